/** The domain service as commands use it: as the operator, on the store itself. */

import { toJson } from "../contract/json.ts";
import { isExpectedProblem, type ProblemCode } from "../core/problems.ts";
import { hasEnded } from "../hosting/domains/domain.ts";
import type { DomainService } from "../hosting/domains/domainService.ts";
import type { StoredDomain } from "../hosting/domains/domains.ts";
import type { DomainView } from "../hosting/domains/domainView.ts";
import type { Actor } from "../hosting/sites/site.ts";
import type { Stores } from "../storage/stores.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure } from "./errors.ts";
import { lastReady } from "./sitesCommands.ts";
import { withStores } from "./withStores.ts";

export const operator: Actor = { kind: "operator" };

export const whichHost = { "<host>": "The attached name" };
export const ofProject = {
  "project <slug>": "Whose, where several projects claim the name",
};

export interface OpenDomains {
  readonly service: DomainService;
  readonly stores: Stores;
}

/** `subject` is what the command was given, for the hint about the next step. */
export function withDomainService<T>(
  context: CliContext,
  work: (open: OpenDomains) => Promise<T>,
  subject: Subject = {},
): Promise<T> {
  const { target, reserved } = context.domainSettings();
  return withStores(context, async (stores) => {
    // Loaded here: the list of public suffixes would make every other command slower.
    const { DomainService } = await import("../hosting/domains/domainService.ts");
    const service = new DomainService({ ...stores, clock: context.clock, target, reserved });
    return work({ service, stores }).catch(async (cause: unknown) => {
      if (!isExpectedProblem(cause)) throw cause;
      const { code, message } = cause;
      const next = await nextStep(code, subject, stores);
      const exitCode = code === "host_invalid" ? 2 : 1;
      const said = next === undefined ? message : `${message} ${next}`;
      throw new CommandFailure(said, { exitCode, code });
    });
  });
}

export interface MatchedClaim {
  readonly host: string;
  readonly project: string;
  readonly claim: StoredDomain;
  /** The open claims of other projects. */
  readonly others: readonly StoredDomain[];
}

/**
 * The project is optional where one holds the name, or only one claims it. Ended claims count
 * where asked for.
 */
export async function findDomain(
  { stores }: { readonly stores: Stores },
  typed: string,
  project: string | undefined,
  { ended = false } = {},
): Promise<MatchedClaim> {
  const { parseHost } = await import("../hosting/domains/hostName.ts");
  const reading = parseHost(typed);
  if (reading.kind === "refused") {
    throw new CommandFailure(`${typed}: ${reading.why}`, { exitCode: 2, code: "host_invalid" });
  }
  const { host } = reading;
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
    { code: "domain_not_found" },
  );
}

function ambiguous(host: string, claims: readonly StoredDomain[]): CommandFailure {
  const slugs = claims.map(({ domain }) => domain.project).sort();
  return new CommandFailure(
    `${host} is claimed by ${slugs.join(" and ")}. Say which is meant with --project <slug>.`,
  );
}

export interface Subject {
  readonly slug?: string;
  /** As it was typed. */
  readonly host?: string;
}

export async function nextStep(
  code: ProblemCode,
  { slug = "<slug>", host = "" }: Subject,
  stores: Stores,
): Promise<string | undefined> {
  switch (code) {
    case "plan_required": {
      const project = await stores.sites.project(slug);
      return `The plan is changed with petstore owners plan ${project?.ownerId ?? "<id>"} paid.`;
    }
    case "deployment_required": {
      const ready = await lastReady(stores.sites, slug);
      const again = ready === undefined ? "" : `, or with petstore sites rollback ${slug} ${ready}`;
      return `That is done with petstore sites deploy ${slug} <folder>${again}.`;
    }
    case "already_attached":
      return `See petstore domains show ${await shownBy(slug, host, stores)}.`;
    case "not_verifiable":
      return `See petstore domains show ${host}.`;
    case "attached_elsewhere":
      return "To do so, add --prove.";
    case "confirmation_needed":
      return "To confirm, add --yes.";
    case "project_not_found":
      return "See petstore sites list.";
    case "domain_not_found":
      return "See petstore domains list.";
    default:
      return undefined;
  }
}

/** The arguments that show the claim of this project's owner, whoever else claims the name. */
async function shownBy(slug: string, typed: string, { sites, domains }: Stores): Promise<string> {
  const { parseHost } = await import("../hosting/domains/hostName.ts");
  const reading = parseHost(typed);
  const host = reading.kind === "host" ? reading.host : typed;
  const ownerId = (await sites.project(slug))?.ownerId;
  const claims = (await domains.claimsOn(host)).filter(isOpen);
  const theirs = claims.find(({ domain }) => domain.ownerId === ownerId)?.domain;
  const needsProject = theirs?.ownership.kind === "proof_needed";
  return needsProject ? `${host} --project ${theirs?.project}` : host;
}

/** Without the timeline, which is long and rarely needed. */
export function viewJson(view: DomainView & { readonly timeline?: unknown }) {
  const { timeline: _, ...rest } = view;
  return toJson(rest);
}
