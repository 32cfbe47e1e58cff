/** The names that visitors know a site by, and what they lose when it is taken off them. */
import { type Domain, type Status, statusOf } from "../hosting/domains/domain.ts";
import type { SiteStore } from "../hosting/sites/sites.ts";
import type { Stores } from "../storage/stores.ts";
import type { Call } from "./command.ts";
import { CommandFailure } from "./context.ts";
import { counted } from "./table.ts";

const served: ReadonlySet<Status> = new Set<Status>(["live", "degraded", "renewal_failing"]);

/** The attached names that are answered for now, in the order of their hosts. */
export async function servedHosts(
  { domains }: Stores,
  nowMs: number,
  isMeant: (domain: Domain) => boolean,
): Promise<string[]> {
  return (await domains.list())
    .filter(({ domain, standing }) => served.has(statusOf(domain, standing, nowMs)))
    .flatMap(({ domain }) => (isMeant(domain) ? [domain.host] : []));
}

export interface Cut {
  /** What does it: `This`, `The plan free`. */
  readonly by: string;
  readonly hosts: readonly string[];
  /** The command that undoes it. */
  readonly back: string;
}

/** Refuses what would leave visitors without an answer, unless that is wanted. */
export function refuseCut({ switches }: Call, { by, hosts, back }: Cut): void {
  if (hosts.length === 0 || switches.has("yes")) return;
  throw new CommandFailure(
    `${by} would cut off ${counted(hosts.length, "live domain")}: ${someOf(hosts)}. Visitors would get no answer there, until ${back} brings ${them(hosts)} back. Nothing was changed. To confirm, add --yes.`,
    1,
    undefined,
    "confirmation_needed",
  );
}

/** Empty where nothing was cut off. */
export function cutText({ hosts, back }: Pick<Cut, "hosts" | "back">): string {
  if (hosts.length === 0) return "";
  const are = hosts.length === 1 ? "is" : "are";
  return `${counted(hosts.length, "live domain")} ${are} cut off: ${someOf(hosts)}. Visitors get no answer there from now on, until ${back} brings ${them(hosts)} back.\n`;
}

const hostsNamed = 3;

function someOf(hosts: readonly string[]): string {
  const named = hosts.slice(0, hostsNamed).join(", ");
  return hosts.length > hostsNamed ? `${named} and ${hosts.length - hostsNamed} more` : named;
}

const them = ({ length }: readonly string[]) => (length === 1 ? "it" : "them");

const deploymentsSearched = 100;

/** The newest deployment that can be shown again. */
export async function lastReady(sites: SiteStore, slug: string): Promise<string | undefined> {
  const deployments = await sites.listDeployments(slug, deploymentsSearched);
  return deployments.find(({ state }) => state === "ready")?.id;
}
