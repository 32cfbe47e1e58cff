/** Which claim on a name a command means: several projects may claim one, and one may hold it. */
import { hasEnded } from "../hosting/domains/domain.ts";
import type { StoredDomain } from "../hosting/domains/domains.ts";
import type { Stores } from "../storage/stores.ts";
import { CommandFailure } from "./context.ts";

export interface Found {
  readonly host: string;
  readonly project: string;
  readonly claim: StoredDomain;
  /** The open claims of other projects. */
  readonly others: readonly StoredDomain[];
}

/**
 * The project need not be said where one holds the name, or only one claims it. Ended claims count
 * where asked for.
 */
export async function findDomain(
  { stores }: { readonly stores: Stores },
  typed: string,
  project: string | undefined,
  { ended = false } = {},
): Promise<Found> {
  const { parseHost } = await import("../hosting/domains/hostName.ts");
  const reading = parseHost(typed);
  if (reading.kind === "refused") {
    throw new CommandFailure(`${typed}: ${reading.why}`, 2, undefined, "host_invalid");
  }
  const { host } = reading.name;
  const claims = await claimsOn(host, project, stores);
  const meant = claims.filter(({ domain }) => project === undefined || domain.project === project);
  const open = meant.filter(isOpen);
  const holder = open.find(({ domain }) => domain.ownership.kind === "held");
  if (holder === undefined && open.length > 1) throw ambiguous(host, open);
  const claim = holder ?? open[0] ?? (ended ? endedLast(meant) : undefined);
  if (claim === undefined) throw notAttached(host, project);
  const others = claims.filter((other) => isOpen(other) && other !== claim);
  return { host, project: claim.domain.project, claim, others };
}

/** Who holds the name, and what a project has, are found among however many claims. */
async function claimsOn(host: string, project: string | undefined, { domains }: Stores) {
  const holder = await domains.holderOf(host);
  const own = project === undefined ? [] : await domains.list(project);
  const all = [
    ...(holder === undefined ? [] : [holder]),
    ...own.filter(({ domain }) => domain.host === host),
    ...(await domains.claimsOn(host)),
  ];
  return [...new Map(all.map((claim) => [claim.domain.id, claim])).values()];
}

export const isOpen = ({ domain }: StoredDomain) => !hasEnded(domain);

function endedLast(claims: readonly StoredDomain[]): StoredDomain | undefined {
  return claims.toSorted((one, other) => endMs(other) - endMs(one))[0];
}

function endMs({ domain: { ownership } }: StoredDomain): number {
  return "atMs" in ownership ? ownership.atMs : 0;
}

function notAttached(host: string, project: string | undefined): CommandFailure {
  return new CommandFailure(
    `${host} is not attached to ${project ?? "any project"}. See petstore domains list, or attach it with petstore domains add ${project ?? "<slug>"} ${host}.`,
    1,
    undefined,
    "domain_not_found",
  );
}

function ambiguous(host: string, claims: readonly StoredDomain[]): CommandFailure {
  const slugs = claims.map(({ domain }) => domain.project).sort();
  return new CommandFailure(
    `${host} is claimed by ${slugs.join(" and ")}. Say which is meant with --project <slug>.`,
  );
}
