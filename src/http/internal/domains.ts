/** The desk's services, one handler each. */
import type { Actor, DomainDesk } from "../../domains/desk.ts";
import { inJson } from "../../domains/inJson.ts";
import { DeskRefusal } from "../../domains/refusal.ts";
import type { Routing } from "../../domains/routing.ts";
import { Problem } from "../../problems.ts";
import type { SiteStore } from "../../sites/sites.ts";
import { base } from "./base.ts";
import type { EventStreams } from "./eventStreams.ts";
import type { InternalAnswer, InternalCall, Places } from "./places.ts";

export interface DomainPlacesParts {
  readonly desk: DomainDesk;
  readonly sites: SiteStore;
  readonly streams: EventStreams;
}

/** Relative to the base of this API. */
export function domainPlaces({ desk, sites, streams }: DomainPlacesParts): Places {
  return {
    "/projects": {
      GET: async ({ actor }) => ok(await ownProjects(actor, sites)),
    },
    "/projects/{project}/domains": {
      GET: async ({ actor, path }) => ok(await desk.list(actor, project(path))),
      async POST({ actor, path, body }) {
        const { host: typed, prove } = readAddition(await body());
        const view = await desk.add(actor, project(path), typed, prove);
        const location = `${encodeURIComponent(view.project)}/domains/${view.host}`;
        return { status: 201, body: view, headers: { location: `${base}/projects/${location}` } };
      },
    },
    "/projects/{project}/domains/{host}": {
      GET: async ({ actor, path }) => ok(await desk.show(actor, project(path), host(path))),
      DELETE: async ({ actor, path, query }) =>
        ok(await desk.remove(actor, project(path), host(path), readConfirm(query))),
    },
    "/projects/{project}/domains/{host}/verify": {
      // 202: a check was asked for, and its outcome comes with a later look.
      POST: async ({ actor, path }) => ({
        status: 202,
        body: await desk.verify(actor, project(path), host(path)),
      }),
    },
    "/projects/{project}/domains/{host}/events": {
      GET: (call) => follow(call, desk, streams),
    },
    "/projects/{project}/routing": {
      GET: async ({ actor, path }) => ok(document(await desk.routing(actor, project(path)))),
      PUT: async ({ actor, path, body }) =>
        ok(document(await desk.applyRouting(actor, project(path), await body()))),
    },
  };
}

const project = (path: InternalCall["path"]) => path.project ?? "";
const host = (path: InternalCall["path"]) => path.host ?? "";
/** Both members, always. */
const document = ({ primary, redirects }: Routing) => ({ primary, redirects });
const ok = (body: unknown): InternalAnswer => ({ status: 200, body });

async function ownProjects(actor: Actor, sites: SiteStore) {
  const projects = await sites.listProjects();
  const own = projects.filter(({ ownerId }) => actor.kind === "operator" || ownerId === actor.id);
  const plans = new Map((await sites.listOwners()).map(({ id, plan }) => [id, plan]));
  return own.map(({ slug, ownerId, createdAtMs, current }) => ({
    slug,
    owner: ownerId,
    plan: plans.get(ownerId),
    createdAtMs,
    current,
  }));
}

async function follow(
  { actor, path, signal, stillKnown }: InternalCall,
  desk: DomainDesk,
  streams: EventStreams,
): Promise<InternalAnswer> {
  const view = async () =>
    JSON.stringify(inJson(await desk.show(actor, project(path), host(path))));
  const first = await view();
  return streams.open({
    holder: actor.kind === "owner" ? `owner ${actor.id}` : actor.kind,
    first,
    look: async () => ((await stillKnown()) ? view().catch(endOfRefused) : undefined),
    signal,
  });
}

/** What the desk no longer shows to this actor is the end of the stream, and no fault. */
function endOfRefused(cause: unknown): undefined {
  if (!(cause instanceof DeskRefusal)) throw cause;
  return undefined;
}

/** What is repeated of names that nobody asked for. */
const strangersShownMax = 5;

function readAddition(body: unknown): { host: string; prove: boolean } {
  const { host, prove = false, ...others } = membersOf(body);
  const complaints = [
    ...Object.keys(others)
      .slice(0, strangersShownMax)
      .map((name) => `${JSON.stringify(name.slice(0, 40))} is not known here.`),
    ...(typeof host === "string" ? [] : ["host must be a host name, such as docs.example.com."]),
    ...(typeof prove === "boolean" ? [] : ["prove must be true or false."]),
  ];
  if (complaints.length > 0) throw new Problem("body_invalid", { detail: complaints.join(" ") });
  return { host: host as string, prove: prove as boolean };
}

function membersOf(body: unknown): Record<string, unknown> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) {
    return body as Record<string, unknown>;
  }
  throw new Problem("body_invalid", { detail: "The body must be an object." });
}

function readConfirm(query: URLSearchParams): boolean {
  const values = query.getAll("confirm");
  if (values.length === 0) return false;
  if (values.length === 1 && (values[0] === "true" || values[0] === "false")) {
    return values[0] === "true";
  }
  throw new Problem("parameter_invalid", { detail: "confirm must be true or false." });
}
