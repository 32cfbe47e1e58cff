/** A command line on a database with sites that can have domains, and what a worker would write. */

import type { CliContext } from "../../src/cli/context.ts";
import { run } from "../../src/cli/run.ts";
import type { DnsFact, Domain, Issuance } from "../../src/hosting/domains/domain.ts";
import type { TimelineEntry } from "../../src/hosting/domains/domains.ts";
import { certificateNamed, changeIn, holding, nowMs, projectIn } from "../store/domainSamples.ts";
import { CapturedOutput, CliFixture, type Outcome } from "./cliFixture.ts";

export const target = "sites.platform.test";

/** With the paid and deployed projects shop, rival and third, each of the owner of its name. */
export async function cliWithDomains(): Promise<CliFixture> {
  const cli = new CliFixture();
  await cli.withStores(async (stores) => {
    for (const project of ["shop", "rival", "third"]) await projectIn(stores, project);
  });
  return cli;
}

/** What the newest claim on a host is shown as its target. */
export async function targetOf(cli: CliFixture, host: string): Promise<string> {
  const claims = await cli.withStores((stores) => stores.domains.claimsOn(host));
  return claims[0]?.domain.target ?? "";
}

export interface Findings {
  readonly dns?: Partial<DnsFact>;
  readonly issuance?: Partial<Issuance> | undefined;
  readonly live?: boolean;
  readonly entries?: readonly TimelineEntry[];
}

/** As if a worker had looked at the name just now and decided this. */
export async function decided(
  cli: CliFixture,
  host: string,
  findings: Findings,
  project = "shop",
): Promise<void> {
  await cli.withStores(async (stores) => {
    const claims = await stores.domains.claimsOn(host);
    const claim = claims.find(({ domain }) => domain.project === project);
    if (claim === undefined) throw new Error(`${host} should be attached.`);
    const { domain } = claim;
    const checkedAtMs = cli.clock.now();
    const everRight = domain.dns.everRight || findings.dns?.verdict === "right";
    const issuance: Issuance | undefined = findings.issuance && {
      sinceMs: checkedAtMs,
      attempts: 1,
      nextAttemptAtMs: checkedAtMs,
      ordering: false,
      refusal: undefined,
      delay: undefined,
      ...findings.issuance,
    };
    const next: Domain = {
      ...domain,
      ownership: everRight ? { kind: "held" } : domain.ownership,
      dns: { ...domain.dns, checkedAtMs, findings: [], ...findings.dns, everRight },
      certificate: { ...domain.certificate, issuance },
    };
    const { entries = [] } = findings;
    if (findings.live !== true) return changeIn(stores, next, { entries });
    const certificate = certificateNamed(`cert_${host}`, host, { notBeforeMs: nowMs });
    const served = holding(next, certificate);
    const renewAtMs = nowMs + 60 * 86_400_000;
    const window = { startMs: renewAtMs - 3_600_000, endMs: renewAtMs + 3_600_000 };
    await changeIn(
      stores,
      { ...served, certificate: { ...served.certificate, renewAtMs, window } },
      { certificate, entries },
    );
  });
}

export const live = (cli: CliFixture, host: string, project = "shop") =>
  decided(cli, host, { dns: { verdict: "right" }, live: true }, project);

/**
 * Types a command that waits. Whenever it does, the time passes at once and the next step of the
 * script happens; after the last one, time just goes on.
 */
export async function typesWaiting(
  cli: CliFixture,
  argv: readonly string[],
  script: readonly (() => unknown)[] = [],
): Promise<Outcome> {
  const steps = [...script];
  const clock: CliContext["clock"] = {
    ...cli.clock,
    now: () => cli.clock.now(),
    after(delayMs, action) {
      cli.clock.advance(delayMs);
      void Promise.resolve(steps.shift()?.()).then(() => setImmediate(action));
      return () => {};
    },
  };
  const stdout = new CapturedOutput();
  const stderr = new CapturedOutput();
  const code = await run(argv, cli.context({ clock, stdout, stderr }));
  return { code, out: stdout.text, err: stderr.text };
}
