import type { Deployment } from "../sites/deployment.ts";
import type { Owner, Plan, Project } from "../sites/site.ts";
import type { Encoding, StoredFile } from "../sites/siteFile.ts";
import type {
  AddFilesOutcome,
  Finish,
  FinishOutcome,
  NewDeployment,
  NewProject,
  SiteStore,
  Upload,
} from "../sites/sites.ts";
import type { Database } from "./database.ts";
import { DeploymentWrites } from "./deploymentWrites.ts";
import { failing } from "./failures.ts";
import { GatheredLookUps } from "./gatheredLookUps.ts";
import type { Revisions } from "./revisions.ts";
import {
  type DeploymentRow,
  deploymentColumns,
  deploymentFrom,
  type OwnerRow,
  ownerFrom,
  type ProjectRow,
  projectColumns,
  projectFrom,
} from "./siteRows.ts";
import { SiteWrites } from "./siteWrites.ts";
import { byText, hasNul } from "./texts.ts";

type FileRow = [
  deployment: string,
  path: string,
  hash: string,
  bytes: bigint,
  smaller: StoredFile["smaller"],
];

export class PostgresSites implements SiteStore {
  readonly #database: Database;
  readonly #revisions: Revisions;
  readonly #writes: SiteWrites;
  readonly #deployments: DeploymentWrites;
  readonly #projects: GatheredLookUps<Project>;
  readonly #files: GatheredLookUps<StoredFile>;

  constructor(database: Database, revisions: Revisions) {
    this.#database = database;
    this.#revisions = revisions;
    this.#writes = new SiteWrites(database, revisions);
    this.#deployments = new DeploymentWrites(database, revisions);
    this.#projects = new GatheredLookUps(async (slugs) => {
      const rows = await this.#read<ProjectRow>(findProjects, [slugs]);
      return new Map(rows.map((row) => [row[0], projectFrom(row)]));
    });
    this.#files = new GatheredLookUps((places) => this.#filesAt(places));
  }

  addOwner(owner: Owner): Promise<boolean> {
    return failing(this.#writes.addOwner(owner));
  }

  async setPlan(ownerId: string, plan: Plan): Promise<boolean> {
    if (hasNul(ownerId)) return false;
    return failing(this.#writes.setPlan(ownerId, plan));
  }

  owner(id: string): Promise<Owner | undefined> {
    return this.#ownerBy(findOwner, id);
  }

  ownerOf(slug: string): Promise<Owner | undefined> {
    return this.#ownerBy(findOwnerOf, slug);
  }

  async #ownerBy(query: string, key: string): Promise<Owner | undefined> {
    if (hasNul(key)) return undefined;
    const [row] = await this.#read<OwnerRow>(query, [key]);
    return row && ownerFrom(row);
  }

  async listOwners(): Promise<readonly Owner[]> {
    const rows = await this.#read<OwnerRow>("SELECT id, name, plan FROM owners");
    return rows.map(ownerFrom).sort(byText(({ id }) => id));
  }

  async addProject(project: NewProject): Promise<"added" | "slug_taken" | "no_such_owner"> {
    if (hasNul(project.ownerId)) return "no_such_owner";
    return failing(this.#writes.addProject(project));
  }

  project(slug: string): Promise<Project | undefined> {
    return this.#projects.get(slug);
  }

  async listProjects(): Promise<readonly Project[]> {
    const rows = await this.#read<ProjectRow>(`SELECT ${projectColumns} FROM projects`);
    return rows.map(projectFrom).sort(byText(({ slug }) => slug));
  }

  unpublish(slug: string): Promise<"unpublished" | "not_published" | "no_such_project"> {
    return failing(this.#writes.unpublish(slug));
  }

  async rollBack(
    slug: string,
    deploymentId: string,
  ): Promise<"shown" | "no_such_deployment" | "not_ready"> {
    if (hasNul(deploymentId)) return "no_such_deployment";
    return failing(this.#writes.rollBack(slug, deploymentId));
  }

  beginDeployment(deployment: NewDeployment): Promise<boolean> {
    return failing(this.#deployments.begin(deployment));
  }

  buildDeployment(id: string, nowMs: number): Promise<boolean> {
    return failing(this.#deployments.move(id, "build", nowMs));
  }

  async knownContents(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#read<[hash: string]>(findKnown, [hashes]);
    return new Set(rows.map(([hash]) => hash));
  }

  addFiles(id: string, uploads: readonly Upload[], nowMs: number): Promise<AddFilesOutcome> {
    return failing(this.#deployments.addFiles(id, uploads, nowMs));
  }

  finishDeployment(id: string, finish: Finish): Promise<FinishOutcome> {
    return failing(this.#deployments.finish(id, finish));
  }

  failDeployment(id: string, failure: string, nowMs: number): Promise<boolean> {
    return failing(this.#deployments.move(id, "fail", nowMs, failure));
  }

  discardFailed(slug: string): Promise<boolean> {
    return failing(this.#deployments.discardFailed(slug));
  }

  async deployment(id: string): Promise<Deployment | undefined> {
    if (hasNul(id)) return undefined;
    const [row] = await this.#read<DeploymentRow>(findDeployment, [id]);
    return row && deploymentFrom(row);
  }

  async listDeployments(slug: string, limit: number): Promise<readonly Deployment[]> {
    const rows = await this.#read<DeploymentRow>(listDeploymentsOfProject, [slug, limit]);
    return rows.map(deploymentFrom);
  }

  revision(): number {
    return this.#revisions.of("site_revision");
  }

  file(deploymentId: string, path: string): Promise<StoredFile | undefined> {
    return this.#files.get(`${deploymentId}/${path}`);
  }

  async #filesAt(places: readonly string[]): Promise<Map<string, StoredFile>> {
    // An id has no slash in it.
    const slashes = places.map((place) => place.indexOf("/"));
    const rows = await this.#read<FileRow>(findSiteFiles, [
      places.map((place, index) => place.slice(0, slashes[index])),
      places.map((place, index) => place.slice((slashes[index] as number) + 1)),
    ]);
    return new Map(
      rows.map(([deployment, path, hash, bytes, smaller]) => [
        `${deployment}/${path}`,
        { path, hash, bytes: Number(bytes), smaller },
      ]),
    );
  }

  async content(hash: string, encoding: Encoding): Promise<Uint8Array | undefined> {
    const rows = await this.#read<[data: Buffer]>(readParts, [hash, encoding]);
    const [first] = rows;
    return rows.length > 1 ? Buffer.concat(rows.map(([data]) => data)) : first?.[0];
  }

  #read<Row extends unknown[]>(query: string, values: readonly unknown[] = []): Promise<Row[]> {
    return failing(this.#database.read<Row>(query, values));
  }
}

const findOwner = "SELECT id, name, plan FROM owners WHERE id = $1";
const findOwnerOf = `SELECT id, name, plan FROM owners
  WHERE id = (SELECT owner_id FROM projects WHERE slug = $1)`;
export const findProjects = `SELECT ${projectColumns} FROM projects WHERE slug = ANY($1::text[])`;
const findKnown = "SELECT hash FROM contents WHERE hash = ANY($1::text[]) AND complete";
const findDeployment = `SELECT ${deploymentColumns} FROM deployments WHERE id = $1`;
export const listDeploymentsOfProject = `SELECT ${deploymentColumns} FROM deployments
  WHERE project = $1 ORDER BY ordinal DESC LIMIT $2`;
/** Asks the index alone which smaller forms there are: no content is read for it. */
export const findSiteFiles = `SELECT files.deployment, files.path, files.hash, contents.bytes,
    ARRAY(SELECT parts.encoding FROM content_parts AS parts
      WHERE parts.hash = contents.hash AND parts.encoding IN ('br', 'gzip') AND parts.part = 0
      ORDER BY parts.encoding)
  FROM unnest($1::text[], $2::text[]) AS asked (deployment, path)
  JOIN site_files AS files ON files.deployment = asked.deployment AND files.path = asked.path
  JOIN contents ON contents.hash = files.hash`;
export const readParts = `SELECT data FROM content_parts WHERE hash = $1 AND encoding = $2
  ORDER BY part`;
