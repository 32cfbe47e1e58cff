/** Projects and their deployments, one handler each. */
import type { Clock } from "../../clock.ts";
import type { Actor } from "../../domains/desk.ts";
import { asSeen, type Deployment } from "../../sites/deployment.ts";
import { type Project, slugComplaint } from "../../sites/site.ts";
import type { SiteStore } from "../../sites/sites.ts";
import type { UploadStore } from "../../sites/uploads.ts";
import { type HttpRequest, originOf } from "../../wire/message.ts";
import type { InternalAnswer, InternalCall, Places } from "../internal/places.ts";
import { Arrivals } from "./arrivals.ts";
import { readManifest } from "./manifest.ts";
import { bytesOf, invalid, largeBody, membersOf, textIn } from "./reading.ts";
import { DashboardRefusal, noSuchProject } from "./refusal.ts";
import { Uploads } from "./uploads.ts";

export interface ProjectPlacesParts {
  readonly sites: SiteStore;
  readonly uploads: UploadStore;
  readonly clock: Clock;
}

const deploymentsShownMax = 30;
/** Ten thousand files with long paths. */
const manifestBytesMax = 8 * 1024 * 1024;

export function projectPlaces({ sites, clock, ...parts }: ProjectPlacesParts): Places {
  const uploads = new Uploads(sites, parts.uploads, clock);

  /** Another owner's project is as unknown as one that is not there. */
  async function ownProject({ actor, path }: InternalCall): Promise<Project> {
    const slug = path.project ?? "";
    const project = await sites.project(slug);
    if (project === undefined || (actor.kind === "owner" && project.ownerId !== actor.id)) {
      throw noSuchProject(slug);
    }
    return project;
  }

  async function shown(call: InternalCall, { slug, ownerId, createdAtMs, current }: Project) {
    const [owner, deployments] = await Promise.all([
      sites.owner(ownerId),
      sites.listDeployments(slug, deploymentsShownMax),
    ]);
    return {
      slug,
      ownerId,
      plan: owner?.plan ?? "free",
      createdAtMs,
      current,
      address: siteAddress(call.request, slug),
      deployments: deployments.map((each) => deploymentShown(asSeen(each, clock.now()))),
    };
  }

  async function create(call: InternalCall): Promise<InternalAnswer> {
    const members = membersOf(await call.body(), ["slug", "ownerId"]);
    const slug = textIn(members, "slug");
    const complaint = slugComplaint(slug);
    if (complaint !== undefined) {
      throw new DashboardRefusal("slug_invalid", `The name of a project ${complaint}.`);
    }
    const ownerId = ownerFor(call.actor, members.ownerId);
    const outcome = await sites.addProject({ slug, ownerId, nowMs: clock.now() });
    if (outcome === "no_such_owner") {
      throw new DashboardRefusal("owner_not_found", `There is no owner ${ownerId}.`);
    }
    if (outcome === "slug_taken") {
      throw new DashboardRefusal(
        "project_exists",
        `The name ${slug} is taken. Choose another one.`,
      );
    }
    const project = await sites.project(slug);
    if (project === undefined) throw noSuchProject(slug);
    return { status: 201, body: await shown(call, project) };
  }

  async function rollBack(call: InternalCall): Promise<InternalAnswer> {
    const { slug } = await ownProject(call);
    const deployment = textIn(membersOf(await call.body(), ["deployment"]), "deployment");
    const outcome = await sites.rollBack(slug, deployment);
    if (outcome === "no_such_deployment") {
      throw new DashboardRefusal(
        "deployment_not_found",
        `${slug} has no deployment ${deployment}.`,
      );
    }
    if (outcome === "not_ready") {
      throw new DashboardRefusal(
        "deployment_not_ready",
        `${deployment} is not complete, so it cannot be shown.`,
      );
    }
    return { status: 200, body: { current: deployment } };
  }

  async function unpublish(call: InternalCall): Promise<InternalAnswer> {
    const { slug } = await ownProject(call);
    const outcome = await sites.unpublish(slug);
    if (outcome === "unpublished") return { status: 200, body: { current: undefined } };
    throw new DashboardRefusal("not_published", `Nothing of ${slug} is shown.`);
  }

  const arrivals = new Arrivals();

  async function takeContent(call: InternalCall): Promise<InternalAnswer> {
    const { slug, ownerId } = await ownProject(call);
    const { deployment = "", hash = "" } = call.path;
    const type = call.request.header("content-type") ?? "";
    if (!/^application\/octet-stream\b/i.test(type)) {
      throw invalid("Send a content as application/octet-stream.");
    }
    const bytes = await uploads.expectedBytes(slug, deployment, hash);
    await arrivals.take(ownerId, async () =>
      uploads.take(slug, deployment, hash, await bytesOf(call.request, bytes)),
    );
    return { status: 204 };
  }

  return {
    "/projects": { POST: create },
    "/projects/{project}": {
      GET: async (call) => ({ status: 200, body: await shown(call, await ownProject(call)) }),
    },
    "/projects/{project}/rollback": { POST: rollBack },
    "/projects/{project}/unpublish": { POST: unpublish },
    "/projects/{project}/deployments": {
      async POST(call) {
        const project = await ownProject(call);
        const files = await arrivals.take(project.ownerId, async () =>
          readManifest(await largeBody(call, manifestBytesMax)),
        );
        return { status: 201, body: await uploads.begin(project.slug, files) };
      },
    },
    "/projects/{project}/deployments/{deployment}": {
      async DELETE(call) {
        const { slug } = await ownProject(call);
        await uploads.cancel(slug, call.path.deployment ?? "");
        return { status: 204 };
      },
    },
    "/projects/{project}/deployments/{deployment}/contents/{hash}": { PUT: takeContent },
    "/projects/{project}/deployments/{deployment}/finish": {
      async POST(call) {
        const { slug } = await ownProject(call);
        const id = call.path.deployment ?? "";
        return { status: 200, body: { id, ...(await uploads.finish(slug, id)) } };
      },
    },
  };
}

function ownerFor(actor: Actor, given: unknown): string {
  if (actor.kind === "owner") {
    if (given === undefined || given === actor.id) return actor.id;
    throw new DashboardRefusal(
      "operator_only",
      "A project of another owner is the operator's to make.",
    );
  }
  if (typeof given === "string" && given !== "") return given;
  throw invalid("ownerId must say whose project it is.");
}

function deploymentShown({ id, state, createdAtMs, files, bytes, failure }: Deployment) {
  return { id, state, createdAtMs, files, bytes, failure };
}

/** Where every project is shown without any setting: on the port that the request came to. */
function siteAddress(request: HttpRequest, slug: string): string {
  const port = /:(\d+)$/.exec(originOf(request))?.[1];
  return `http://${slug}.localhost${port === undefined ? "" : `:${port}`}/`;
}
