/** Projects and their deployments, one handler each. */
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";
import { shownAt } from "../../hosting/sites/deployment.ts";
import {
  type Actor,
  isOwn,
  ownProject,
  type Project,
  projectsPerOwnerMax,
  slugError,
} from "../../hosting/sites/site.ts";
import { previewAddress, type SitesHost, siteAddress } from "../../hosting/sites/siteAddress.ts";
import type { Shown, SiteStore, UploadStore } from "../../hosting/sites/sites.ts";
import { type HttpRequest, originOf } from "../../wire/message.ts";
import { bytesOf, invalid, largeJsonBody, readManifest } from "./bodies.ts";
import { json, type PlatformHandlers } from "./handlers.ts";
import { UploadLimiter, Uploads } from "./uploads.ts";

export interface ProjectHandlersParts {
  readonly sites: SiteStore;
  readonly uploads: UploadStore;
  readonly sitesHost: SitesHost | undefined;
  readonly clock: Clock;
}

const deploymentsShownMax = 30;
/** Ten thousand files with long paths. */
const manifestBytesMax = 8 * 1024 * 1024;

export function projectHandlers({ sites, clock, ...parts }: ProjectHandlersParts) {
  const uploads = new Uploads(sites, parts.uploads, clock);
  const uploadLimiter = new UploadLimiter();

  const addressOf = (request: HttpRequest, slug: string) =>
    siteAddress(slug, parts.sitesHost, portOf(request));

  async function shown(request: HttpRequest, { slug, ownerId, createdAtMs, current }: Project) {
    const [owner, deployments] = await Promise.all([
      sites.owner(ownerId),
      newest(request, slug, deploymentsShownMax),
    ]);
    return {
      slug,
      ownerId,
      ownerName: owner?.name ?? ownerId,
      plan: owner?.plan ?? "free",
      createdAtMs,
      current,
      address: addressOf(request, slug),
      deployments,
    };
  }

  async function newest(request: HttpRequest, slug: string, limit: number) {
    const previewOf = (id: string) => previewAddress(id, parts.sitesHost, portOf(request));
    return (await sites.listDeployments(slug, limit)).map(shownAt(clock.now())).map((each) => ({
      ...each,
      preview: each.state === "ready" ? previewOf(each.id) : undefined,
    }));
  }

  return {
    async listProjects(_, { caller: { actor }, request }) {
      const projects = (await sites.listProjects()).filter(({ ownerId }) => isOwn(actor, ownerId));
      const plans = new Map((await sites.listOwners()).map(({ id, plan }) => [id, plan]));
      const lines = projects.map(({ slug, ownerId, createdAtMs, current }) => ({
        slug,
        owner: ownerId,
        plan: plans.get(ownerId),
        createdAtMs,
        current,
        address: addressOf(request, slug),
      }));
      return json(200, lines);
    },

    async createProject({ body: { slug, ownerId: given } }, { caller, request }) {
      const complaint = slugError(slug);
      if (complaint !== undefined) {
        throw new Problem("slug_invalid", { detail: `The name of a project ${complaint}.` });
      }
      const ownerId = ownerFor(caller.actor, given);
      const outcome = await sites.addProject({ slug, ownerId, nowMs: clock.now() });
      if (outcome === "no_such_owner") {
        throw new Problem("owner_not_found", { detail: `There is no owner ${ownerId}.` });
      }
      if (outcome === "slug_taken") {
        throw new Problem("project_exists", {
          detail: `The name ${slug} is taken. Choose another one.`,
        });
      }
      if (outcome === "too_many_projects") {
        throw new Problem("too_many_projects", {
          detail: `An owner can have ${projectsPerOwnerMax} projects, and ${ownerId} has them. Deploy to one of these instead.`,
        });
      }
      return json(201, await shown(request, await ownProject(sites, caller.actor, slug)));
    },

    getProject: async ({ path }, { caller, request }) =>
      json(200, await shown(request, await ownProject(sites, caller.actor, path.project))),

    async rollBackProject({ path, body: { deployment } }, { caller }) {
      const { slug } = await ownProject(sites, caller.actor, path.project);
      requireShowable(await sites.rollBack(slug, deployment), slug, deployment);
      return json(200, { current: deployment });
    },

    async unpublishProject({ path }, { caller }) {
      const { slug } = await ownProject(sites, caller.actor, path.project);
      const outcome = await sites.unpublish(slug);
      if (outcome === "unpublished") return json(200, { current: undefined });
      throw new Problem("not_published", { detail: `Nothing of ${slug} is shown.` });
    },

    async listDeployments({ path, query: { limit } }, { caller, request }) {
      const { slug } = await ownProject(sites, caller.actor, path.project);
      return json(200, await newest(request, slug, limit));
    },

    async beginDeployment({ path }, { caller, request }) {
      const { slug, ownerId } = await ownProject(sites, caller.actor, path.project);
      const files = await uploadLimiter.run(ownerId, async () =>
        readManifest(await largeJsonBody(request, manifestBytesMax)),
      );
      return json(201, await uploads.begin(slug, files));
    },

    async uploadContent({ path: { project, deployment, hash } }, { caller, request }) {
      const { slug, ownerId } = await ownProject(sites, caller.actor, project);
      const type = request.header("content-type") ?? "";
      if (!/^application\/octet-stream\b/i.test(type)) {
        throw invalid("Send a content as application/octet-stream.");
      }
      const bytes = await uploads.expectedBytes(slug, deployment, hash);
      await uploadLimiter.run(ownerId, async () =>
        uploads.take(slug, deployment, hash, await bytesOf(request, bytes)),
      );
      return { status: 204 };
    },

    async cancelDeployment({ path }, { caller }) {
      const { slug } = await ownProject(sites, caller.actor, path.project);
      await uploads.cancel(slug, path.deployment);
      return { status: 204 };
    },

    async finishDeployment({ path: { project, deployment: id }, query }, { caller }) {
      const { slug } = await ownProject(sites, caller.actor, project);
      return json(200, { id, ...(await uploads.finish(slug, id, query.publish)) });
    },

    async publishDeployment({ path: { project, deployment: id } }, { caller }) {
      const { slug } = await ownProject(sites, caller.actor, project);
      return json(200, {
        id,
        kind: requireShowable(await sites.publishDeployment(slug, id), slug, id),
      });
    },
  } satisfies Partial<PlatformHandlers>;
}

function requireShowable(
  outcome: Awaited<ReturnType<SiteStore["publishDeployment"]>>,
  slug: string,
  id: string,
): Shown {
  if (outcome === "no_such_deployment") {
    throw new Problem("deployment_not_found", { detail: `${slug} has no deployment ${id}.` });
  }
  if (outcome === "not_ready") {
    throw new Problem("deployment_not_ready", {
      detail: `${id} is not complete, so it cannot be shown.`,
    });
  }
  return outcome;
}

function ownerFor(actor: Actor, given: string | undefined): string {
  if (actor.kind === "owner") {
    if (given === undefined || given === actor.id) return actor.id;
    throw new Problem("operator_only", {
      detail: "A project of another owner is the operator's to make.",
    });
  }
  if (given !== undefined && given !== "") return given;
  throw invalid("ownerId must say whose project it is.");
}

/** Where sites are shown that have no host of their own. */
const portOf = (request: HttpRequest) => Number(/:(\d+)$/.exec(originOf(request))?.[1] ?? 80);
