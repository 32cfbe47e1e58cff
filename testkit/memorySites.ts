import type { Deployment } from "../src/hosting/sites/deployment.ts";
import {
  type AddProjectOutcome,
  decideAddProject,
  type Owner,
  type Plan,
  type Project,
} from "../src/hosting/sites/site.ts";
import type {
  AddFilesOutcome,
  Finish,
  FinishOutcome,
  NewDeployment,
  NewProject,
  SiteStore,
} from "../src/hosting/sites/sites.ts";

/** Owners, projects and deployments in memory, without any files. */
export class MemorySites implements SiteStore {
  readonly #owners = new Map<string, Owner>();
  readonly #projects = new Map<string, Project>();
  readonly #deployments = new Map<string, Deployment>();
  #revision = 0;

  revision(): number {
    return this.#revision;
  }

  async addOwner(owner: Owner): Promise<boolean> {
    if (this.#owners.has(owner.id)) return false;
    this.#owners.set(owner.id, owner);
    return true;
  }

  async setPlan(ownerId: string, plan: Plan): Promise<boolean> {
    const owner = this.#owners.get(ownerId);
    if (owner === undefined) return false;
    this.#owners.set(ownerId, { ...owner, plan });
    this.#revision += 1;
    return true;
  }

  owner(id: string): Owner | undefined {
    return this.#owners.get(id);
  }

  ownerOf(slug: string): Owner | undefined {
    return this.#owners.get(this.#projects.get(slug)?.ownerId ?? "");
  }

  listOwners(): readonly Owner[] {
    return sortedBy([...this.#owners.values()], ({ id }) => id);
  }

  async addProject({ slug, ownerId, nowMs }: NewProject): Promise<AddProjectOutcome> {
    const outcome = decideAddProject({
      ownerExists: this.#owners.has(ownerId),
      slugTaken: this.#projects.has(slug),
      projectsOfOwner: this.#projects
        .values()
        .filter((each) => each.ownerId === ownerId)
        .toArray().length,
    });
    if (outcome !== "added") return outcome;
    this.#projects.set(slug, { slug, ownerId, createdAtMs: nowMs, current: undefined });
    return "added";
  }

  project(slug: string): Project | undefined {
    return this.#projects.get(slug);
  }

  listProjects(): readonly Project[] {
    return sortedBy([...this.#projects.values()], ({ slug }) => slug);
  }

  async unpublish(slug: string): Promise<"unpublished" | "not_published" | "no_such_project"> {
    const project = this.#projects.get(slug);
    if (project === undefined) return "no_such_project";
    if (project.current === undefined) return "not_published";
    this.#show(project, undefined);
    return "unpublished";
  }

  async publishDeployment(slug: string, deploymentId: string) {
    return this.rollBack(slug, deploymentId);
  }

  async rollBack(
    slug: string,
    deploymentId: string,
  ): Promise<"shown" | "no_such_deployment" | "not_ready"> {
    const project = this.#projects.get(slug);
    const deployment = this.#deployments.get(deploymentId);
    if (project === undefined || deployment?.project !== slug) return "no_such_deployment";
    if (deployment.state !== "ready") return "not_ready";
    this.#show(project, deploymentId);
    return "shown";
  }

  async beginDeployment({ id, project, nowMs }: NewDeployment): Promise<boolean> {
    if (!this.#projects.has(project)) return false;
    this.#deployments.set(id, {
      id,
      project,
      state: "queued",
      createdAtMs: nowMs,
      changedAtMs: nowMs,
      files: 0,
      bytes: 0,
      fingerprint: undefined,
      failure: undefined,
    });
    return true;
  }

  async buildDeployment(id: string, nowMs: number): Promise<boolean> {
    return this.#move(id, ["queued"], { state: "building", changedAtMs: nowMs });
  }

  async finishDeployment(id: string, { fingerprint, nowMs }: Finish): Promise<FinishOutcome> {
    const ready = { state: "ready", changedAtMs: nowMs, fingerprint } as const;
    if (!this.#move(id, ["building"], ready)) return { kind: "refused" };
    const project = this.#projects.get(this.#deployments.get(id)?.project ?? "");
    if (project !== undefined) this.#show(project, id);
    return { kind: "shown" };
  }

  async failDeployment(id: string, failure: string, nowMs: number): Promise<boolean> {
    const failed = { state: "failed", changedAtMs: nowMs, failure } as const;
    return this.#move(id, ["queued", "building"], failed);
  }

  async pruneDeployments(): Promise<boolean> {
    return false;
  }

  deployment(id: string): Deployment | undefined {
    return this.#deployments.get(id);
  }

  listDeployments(slug: string, limit: number): readonly Deployment[] {
    const all = [...this.#deployments.values()].filter(({ project }) => project === slug);
    return all.toReversed().slice(0, limit);
  }

  knownContents(): ReadonlySet<string> {
    return new Set();
  }

  async addFiles(): Promise<AddFilesOutcome> {
    throw new Error("Sites in memory have no files.");
  }

  file(): undefined {
    return undefined;
  }

  content(): undefined {
    return undefined;
  }

  #show(project: Project, current: string | undefined): void {
    this.#projects.set(project.slug, { ...project, current });
    this.#revision += 1;
  }

  #move(id: string, from: readonly string[], changes: Partial<Deployment>): boolean {
    const deployment = this.#deployments.get(id);
    if (deployment === undefined || !from.includes(deployment.state)) return false;
    this.#deployments.set(id, { ...deployment, ...changes });
    return true;
  }
}

function sortedBy<T>(values: readonly T[], of: (value: T) => string): T[] {
  return values.toSorted((one, other) => (of(one) < of(other) ? -1 : 1));
}

export const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** What a store in memory answers is here at once. */
export function here<T>(value: T | Promise<T>): T {
  if (value instanceof Promise) throw new Error("The sites must be in memory too.");
  return value;
}
