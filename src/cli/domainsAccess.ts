/** The domains as commands use them, on the store or on a service. */

import { toJson } from "../contract/json.ts";
import { isExpectedProblem, type ProblemCode } from "../core/problems.ts";
import type { DomainsPage, DomainsQuery } from "../hosting/domains/domainList.ts";
import type { DomainView } from "../hosting/domains/domainView.ts";
import type { Actor } from "../hosting/sites/site.ts";
import type { Call } from "./command.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure } from "./errors.ts";
import { type HostedDomains, type Hosting, onService, withHosting } from "./hosting.ts";
import { lastReady } from "./sitesCommands.ts";

export const operator: Actor = { kind: "operator" };

export const whichHost = { "<host>": "The attached name" };
export const ofProject = {
  "project <slug>": "Whose, where several projects claim the name",
  ...onService,
};

export interface OpenDomains {
  readonly domains: HostedDomains;
  readonly hosting: Hosting;
}

/** `subject` is what the command was given, for the hint about the next step. */
export function withDomains<T>(
  call: Call,
  context: CliContext,
  work: (open: OpenDomains) => Promise<T>,
  subject: Subject = {},
): Promise<T> {
  return withHosting(call, context, async (hosting) => {
    const open = { hosting, domains: await hosting.domains() };
    return work(open).catch(async (cause: unknown) => {
      if (!isExpectedProblem(cause)) throw cause;
      const { code, message } = cause;
      const next = await nextStep(code, subject, open);
      const exitCode = code === "host_invalid" ? 2 : 1;
      const said = next === undefined ? message : `${message} ${next}`;
      throw new CommandFailure(said, { exitCode, code });
    });
  });
}

export interface MatchedClaim {
  readonly host: string;
  readonly project: string;
  readonly claim: DomainView;
  /** The open claims of other projects. */
  readonly others: readonly DomainView[];
}

/**
 * The project is optional where one holds the name, or only one claims it. Ended claims count
 * where asked for: all of them, or those that were given up and are still listed.
 */
export async function findDomain(
  { domains }: OpenDomains,
  typed: string,
  project: string | undefined,
  { ended }: { readonly ended?: "any" | "abandoned" } = {},
): Promise<MatchedClaim> {
  // Only the service itself has wildcards.
  if (typed.startsWith("*.")) {
    const { items } = await domains.list(operator, { search: typed });
    const claim = items.find(({ host }) => host === typed);
    if (claim !== undefined) return { host: typed, project: "", claim, others: [] };
  }
  const { parseHost } = await import("../hosting/domains/hostName.ts");
  const reading = parseHost(typed);
  if (reading.kind === "refused") {
    throw new CommandFailure(`${typed}: ${reading.why}`, { exitCode: 2, code: "host_invalid" });
  }
  const { host } = reading;
  const claims = await claimsOn(host, project, domains);
  const meant = claims.filter((claim) => project === undefined || claim.project === project);
  const open = meant.filter(isOpen);
  const holder = open.find(({ proven }) => proven);
  if (holder === undefined && open.length > 1) throw ambiguous(host, open);
  const last = ended === "any" ? meant[0] : meant.find(({ status }) => status === ended);
  const claim = holder ?? open[0] ?? last;
  if (claim === undefined) throw notAttached(host, project);
  const others = claims.filter((other) => isOpen(other) && other !== claim);
  return { host, project: claim.project, claim, others };
}

/** What a project has is found among however many claims. */
async function claimsOn(host: string, project: string | undefined, domains: HostedDomains) {
  const own: DomainView[] = [];
  if (project !== undefined) {
    for await (const claim of everyDomain(domains, { project, search: host })) {
      if (claim.host === host) own.push(claim);
    }
  }
  const all = [...own, ...(await domains.claimsOn(operator, host))];
  return [...new Map(all.map((claim) => [claim.id, claim])).values()];
}

/** Page by page. */
export async function* everyDomain(
  domains: Pick<HostedDomains, "list">,
  query: Omit<DomainsQuery, "cursor" | "limit">,
): AsyncGenerator<DomainView> {
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const page: DomainsPage = await domains.list(operator, { ...query, cursor, limit: 200 });
    yield* page.items;
    cursor = page.next;
  }
}

export const isOpen = ({ status }: DomainView) => status !== "removed" && status !== "abandoned";

function notAttached(host: string, project: string | undefined): CommandFailure {
  return new CommandFailure(
    `${host} is not attached to ${project ?? "any project"}. See petstore domains list, or attach it with petstore domains add ${project ?? "<slug>"} ${host}.`,
    { code: "domain_not_found" },
  );
}

function ambiguous(host: string, claims: readonly DomainView[]): CommandFailure {
  const slugs = claims.map(({ project }) => project).sort();
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
  open: OpenDomains,
): Promise<string | undefined> {
  const { sites } = open.hosting;
  switch (code) {
    case "plan_required": {
      const project = await sites.project(slug);
      return `The plan is changed with petstore owners plan ${project?.ownerId ?? "<id>"} paid.`;
    }
    case "deployment_required": {
      const ready = await lastReady(sites, slug);
      const again = ready === undefined ? "" : `, or with petstore sites rollback ${slug} ${ready}`;
      return `That is done with petstore sites deploy ${slug} <folder>${again}.`;
    }
    case "already_attached":
      return `See petstore domains show ${await shownBy(slug, host, open)}. It moves with petstore domains move.`;
    case "not_verifiable":
      return `See petstore domains show ${host}.`;
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
async function shownBy(slug: string, typed: string, open: OpenDomains): Promise<string> {
  const ownerOf = async (project: string) => (await open.hosting.sites.project(project))?.ownerId;
  const ownerId = await ownerOf(slug);
  const claims = (await open.domains.claimsOn(operator, typed)).filter(isOpen);
  for (const claim of claims) {
    if ((await ownerOf(claim.project)) !== ownerId) continue;
    const alone = claim.proven || claims.length === 1;
    return alone ? claim.host : `${claim.host} --project ${claim.project}`;
  }
  return typed;
}

/** Without the timeline, which is long and rarely needed. */
export function viewJson(view: DomainView & { readonly timeline?: unknown }) {
  const { timeline: _, ...rest } = view;
  return toJson(rest);
}
