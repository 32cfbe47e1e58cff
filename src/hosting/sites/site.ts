/** A documentation site: whose it is, and what of it is shown. */
import { Problem } from "../../core/problems.ts";
import { deploymentAt } from "./deployment.ts";
import { isTargetLabel } from "./siteAddress.ts";
import type { SiteStore } from "./sites.ts";

export const plans = ["free", "paid"] as const;
export type Plan = (typeof plans)[number];

export interface Owner {
  readonly id: string;
  readonly name: string;
  /** Set by the operator. A billing system would set it through the same call of the store. */
  readonly plan: Plan;
}

export interface Project {
  /** Its name in addresses: `<slug>.localhost`. Never given to another project. */
  readonly slug: string;
  readonly ownerId: string;
  readonly createdAtMs: number;
  /** The deployment that is shown; undefined while nothing is. */
  readonly current: string | undefined;
}

/** The caller: the operator may do everything, an owner what concerns their own projects. */
export type Actor = { readonly kind: "operator" } | { readonly kind: "owner"; readonly id: string };

export function isOwn(actor: Actor, ownerId: string): boolean {
  return actor.kind === "operator" || actor.id === ownerId;
}

/** Another owner's project is as unknown as one that is not there. */
export async function ownProject(
  sites: Pick<SiteStore, "project">,
  actor: Actor,
  slug: string,
): Promise<Project> {
  const project = await sites.project(slug);
  if (project !== undefined && isOwn(actor, project.ownerId)) return project;
  throw new Problem("project_not_found", { detail: `There is no project ${slug}.` });
}

/** A slug is never given again, so a script in a loop must not be able to take them all. */
export const projectsPerOwnerMax = 100;

export type AddProjectOutcome = "added" | "slug_taken" | "no_such_owner" | "too_many_projects";

/** Decides over a new project by what the store holds. */
export function decideAddProject(found: {
  readonly ownerExists: boolean;
  readonly slugTaken: boolean;
  readonly projectsOfOwner: number;
}): AddProjectOutcome {
  if (found.slugTaken) return "slug_taken";
  if (!found.ownerExists) return "no_such_owner";
  return found.projectsOfOwner >= projectsPerOwnerMax ? "too_many_projects" : "added";
}

/** As long as a label of a host name may be (RFC 1035, section 2.3.4). */
export const slugLengthMax = 63;
export const ownerNameLengthMax = 255;

const labelForm = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Why a text cannot be a slug; undefined when it can. It must be a label of a host name. */
export function slugError(slug: string): string | undefined {
  if (slug.length > slugLengthMax) return `must not have more than ${slugLengthMax} characters`;
  if (!labelForm.test(slug)) {
    return "must be lower-case letters, digits and hyphens, with no hyphen at either end";
  }
  if (deploymentAt(slug) !== undefined) {
    return "must not look like the address of a deployment (dep- and 20 digits)";
  }
  if (isTargetLabel(slug)) {
    return "must not look like the target of a domain (edge- and 20 digits)";
  }
  // The prefix of internationalised names: `xn--…` would be shown as something else.
  return slug.slice(2, 4) === "--"
    ? "must not have hyphens as its third and fourth character"
    : undefined;
}

/** The id of an owner is as narrow as a slug, so that it can stand in addresses too. */
export const ownerIdError = slugError;
