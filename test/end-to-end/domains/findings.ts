/** Reads findings of a domain, and makes the authority look in the wrong place. */
import type { DomainDetails } from "../../../src/hosting/domains/domainView.ts";
import type { Finding, FindingCode } from "../../../src/hosting/domains/finding.ts";
import type { DomainsFixture } from "./domainsFixture.ts";

export function findingOf({ findings }: DomainDetails, code: FindingCode): Finding {
  const finding = findings.find((each) => each.code === code);
  if (finding === undefined) throw new Error(`No ${code} in ${JSON.stringify(findings)}`);
  return finding;
}

export const codesOf = ({ findings }: DomainDetails): FindingCode[] =>
  findings.map(({ code }) => code);

/** When a certificate was refused, by the authority or by ourselves. */
export const refusalsOf = ({ timeline }: DomainDetails): number[] =>
  timeline.flatMap(({ event, atMs }) => (event === "certificate_refused" ? atMs : []));

/** The domain once nothing is due for it: no check, and no order under way. */
export function atRest(
  fixture: DomainsFixture,
  project: string,
  host: string,
): Promise<DomainDetails> {
  return fixture.until(project, host, ({ nextAtMs }) => nextAtMs > fixture.clock.now());
}

/** How many orders for the host reached the authority. */
export const ordersFor = ({ testBed }: DomainsFixture, host: string): number =>
  testBed.ca.hostsOrdered().filter((each) => each === host).length;

/**
 * The authority tries IPv6 first and finds nothing there, while our own probe of the edge succeeds.
 */
export async function misleadAuthority({ testBed }: DomainsFixture): Promise<void> {
  await testBed.platform.set("*.sites A 127.0.0.1\n*.sites AAAA ::1");
  await testBed.flush();
}

export async function leadAuthorityBack({ testBed }: DomainsFixture): Promise<void> {
  await testBed.platform.set("*.sites A 127.0.0.1");
  await testBed.flush();
}
