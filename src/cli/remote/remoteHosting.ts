/** Projects and domains of a service that is called over its API. */
import { fromJson } from "../../contract/json.ts";
import { Problem, type ProblemCode } from "../../core/problems.ts";
import type { Removal } from "../../hosting/domains/domainService.ts";
import type { DomainDetails, DomainView } from "../../hosting/domains/domainView.ts";
import type { Routing } from "../../hosting/domains/routing.ts";
import { type Owner, type Project, slugError } from "../../hosting/sites/site.ts";
import { everyDomain } from "../domainsAccess.ts";
import type { HostedDeployment, HostedDomains, HostedSites, Hosting } from "../hosting.ts";
import { type ClientOptions, PlatformClient } from "./platformClient.ts";
import { uploadSite } from "./uploadSite.ts";

export function remoteHosting(options: ClientOptions): Hosting {
  const client = new PlatformClient(options);
  const projects = new Projects(client);
  return {
    service: options.origin,
    sites: projects,
    domains: async () => remoteDomains(client),
    attached: (slug) =>
      Array.fromAsync(
        everyDomain(remoteDomains(client), { project: slug }),
        ({ host, status }) => ({ host, status }),
      )
        // Listed, but not attached any more.
        .then((hosts) => hosts.filter(({ status }) => status !== "abandoned"))
        .catch(outcomeFor({ domains_off: [] })),
    addressOf: (slug) => projects.addressOf(slug),
    publicHttpsPort: () => 443,
    upload: (slug, files, how) => uploadSite({ client, sites: projects, slug, files, ...how }),
  };
}

/** What stands for a refusal of this kind. */
function outcomeFor<const T>(outcomes: Partial<Record<ProblemCode, T>>) {
  return (cause: unknown): T => {
    const known = cause instanceof Problem && Object.hasOwn(outcomes, cause.code);
    if (!known) throw cause;
    return outcomes[cause.code] as T;
  };
}

const notShown = {
  deployment_not_found: "no_such_deployment",
  deployment_not_ready: "not_ready",
} as const;

/** What is no slug is no project, and no part of a path. */
function at(slug: string): { readonly project: string } {
  if (slugError(slug) === undefined) return { project: slug };
  throw new Problem("project_not_found", { detail: `There is no project ${slug}.` });
}

type ProjectFacts = Project & {
  readonly ownerName: string;
  readonly plan: Owner["plan"];
  readonly address: string;
};

class Projects implements HostedSites {
  readonly #client: PlatformClient;
  /** As they were last seen. */
  readonly #seen = new Map<string, Pick<ProjectFacts, "address"> & Partial<ProjectFacts>>();

  constructor(client: PlatformClient) {
    this.#client = client;
  }

  addProject: HostedSites["addProject"] = ({ slug, ownerId }) =>
    this.#client
      .call("post", "/projects", { body: { slug, ...(ownerId === "" ? {} : { ownerId }) } })
      .then(() => "added" as const)
      .catch(
        outcomeFor({
          project_exists: "slug_taken",
          owner_not_found: "no_such_owner",
          too_many_projects: "too_many_projects",
        }),
      );

  async project(slug: string): Promise<Project | undefined> {
    return this.#look(slug).catch(outcomeFor({ project_not_found: undefined }));
  }

  async listProjects(): Promise<readonly Project[]> {
    const lines = await this.#client.call("get", "/projects");
    return lines.map(({ owner: ownerId, ...line }) => {
      this.#seen.set(line.slug, { address: line.address });
      return fromJson<Project>({ ...line, ownerId });
    });
  }

  async ownerOf(slug: string): Promise<Owner> {
    const { ownerId, ownerName, plan } = await this.#look(slug);
    return { id: ownerId, name: ownerName, plan };
  }

  async addressOf(slug: string): Promise<string> {
    return (this.#seen.get(slug) ?? (await this.#look(slug))).address;
  }

  async listDeployments(slug: string, limit: number): Promise<readonly HostedDeployment[]> {
    const path = "/projects/{project}/deployments";
    return fromJson(await this.#client.call("get", path, { path: at(slug), query: { limit } }));
  }

  publishDeployment: HostedSites["publishDeployment"] = (slug, deployment) =>
    this.#client
      .call("post", "/projects/{project}/deployments/{deployment}/publish", {
        path: { ...at(slug), deployment },
        repeatable: true,
      })
      .then(({ kind }) => (kind === "overtaken" ? kind : "shown"))
      .catch(outcomeFor(notShown));

  rollBack: HostedSites["rollBack"] = (slug, deployment) =>
    this.#client
      .call("post", "/projects/{project}/rollback", {
        path: at(slug),
        body: { deployment },
        repeatable: true,
      })
      .then(() => "shown" as const)
      .catch(outcomeFor(notShown));

  unpublish: HostedSites["unpublish"] = (slug) =>
    this.#client
      .call("post", "/projects/{project}/unpublish", { path: at(slug) })
      .then(() => "unpublished" as const)
      .catch(outcomeFor({ not_published: "not_published", project_not_found: "no_such_project" }));

  async #look(slug: string): Promise<ProjectFacts> {
    const found = await this.#client.call("get", "/projects/{project}", { path: at(slug) });
    const facts = fromJson<ProjectFacts>(found);
    this.#seen.set(slug, facts);
    return facts;
  }
}

/** The actor is the one whose token it is. */
function remoteDomains(client: PlatformClient): HostedDomains {
  const one = (slug: string, host: string) => ({ ...at(slug), host });
  const routingPath = "/projects/{project}/routing";
  const versioned = async (slug: string) => {
    const { version = 0, ...rest } = await client.call("get", routingPath, { path: at(slug) });
    return { version, routing: fromJson<Routing>(rest) };
  };
  const applyRouting = async (slug: string, document: unknown): Promise<Routing> => {
    // Whatever it is: the service says what is wrong with it.
    const body = document as { primary: string | null; redirects: [] };
    const path = at(slug);
    const { version: _, ...applied } = await client.call("put", routingPath, { path, body });
    return fromJson<Routing>(applied);
  };
  return {
    async list(_, { project, statuses: status = [], search = "", cursor = "", limit = 50 } = {}) {
      const query = { status, search, cursor, limit };
      const { items, nextCursor } = await (project === undefined
        ? client.call("get", "/domains", { query })
        : client.call("get", "/projects/{project}/domains", { path: at(project), query }));
      return { items: fromJson<DomainView[]>(items), next: nextCursor ?? undefined };
    },
    claimsOn: async (_, host) =>
      fromJson<DomainView[]>((await client.call("get", "/domains", { query: { host } })).items),
    show: async (_, slug, host) =>
      fromJson<DomainDetails>(
        await client.call("get", "/projects/{project}/domains/{host}", { path: one(slug, host) }),
      ),
    add: async (_, slug, host, how = "directly", withWww = false) =>
      fromJson<DomainDetails>(
        await client.call("post", "/projects/{project}/domains", {
          path: at(slug),
          body: { host, withWww, prepare: how === "prepared", proxied: how === "proxied" },
        }),
      ),
    verify: async (_, slug, host) =>
      fromJson<DomainDetails>(
        await client.call("post", "/projects/{project}/domains/{host}/verify", {
          path: one(slug, host),
        }),
      ),
    remove: async (_, slug, host, confirm) =>
      fromJson<Removal>(
        await client.call("delete", "/projects/{project}/domains/{host}", {
          path: one(slug, host),
          query: { confirm },
          // Where the response was lost, a second one would say that it is not attached.
          repeatable: false,
        }),
      ),
    move: async (_, slug, host, project, confirm) =>
      fromJson<DomainDetails>(
        await client.call("post", "/projects/{project}/domains/{host}/move", {
          path: one(slug, host),
          body: { project, confirm },
        }),
      ),
    setHsts: async (_, slug, host, hsts) =>
      fromJson<DomainDetails>(
        await client.call("put", "/projects/{project}/domains/{host}/hsts", {
          path: one(slug, host),
          body: { hsts },
        }),
      ),
    edgesBehind: () => client.call("get", "/edges"),
    routing: async (_, slug) => (await versioned(slug)).routing,
    applyRouting: (_, slug, document) => applyRouting(slug, document),
    async changeRouting(_, slug, change) {
      const { version, routing } = await versioned(slug);
      return applyRouting(slug, { ...(change(routing, version) as object), version });
    },
  };
}
