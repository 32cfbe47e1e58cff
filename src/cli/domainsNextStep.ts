/** What to type next after a refusal, where the service's own words do not say it. */
import type { ProblemCode } from "../core/problems.ts";
import type { Stores } from "../storage/stores.ts";
import { isOpen } from "./domainsClaims.ts";
import { lastReady } from "./sitesServed.ts";

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

/** The words that show the claim of this project's owner, whoever else claims the name. */
async function shownBy(slug: string, typed: string, { sites, domains }: Stores): Promise<string> {
  const { parseHost } = await import("../hosting/domains/hostName.ts");
  const reading = parseHost(typed);
  const host = reading.kind === "host" ? reading.name.host : typed;
  const ownerId = (await sites.project(slug))?.ownerId;
  const claims = (await domains.claimsOn(host)).filter(isOpen);
  const theirs = claims.find(({ domain }) => domain.ownerId === ownerId)?.domain;
  const needsProject = theirs?.ownership.kind === "proof_needed";
  return needsProject ? `${host} --project ${theirs?.project}` : host;
}
