import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Deployment, DeploymentState } from "../sites/deployment.ts";
import type { Owner, Plan, Project } from "../sites/site.ts";
import type { Encoding, StoredFile } from "../sites/siteFile.ts";
import {
  type AddFilesOutcome,
  type Finish,
  type FinishOutcome,
  type NewDeployment,
  type NewProject,
  type SiteStore,
  type Upload,
  uploadBytesMax,
} from "../sites/sites.ts";
import { reading } from "./failures.ts";
import type { RevisionReader } from "./revisions.ts";
import type { Writer } from "./writer.ts";

interface ProjectRow {
  readonly slug: string;
  readonly owner_id: string;
  readonly created_at_ms: number;
  readonly current: string | null;
}

interface DeploymentRow {
  readonly id: string;
  readonly project: string;
  readonly state: DeploymentState;
  readonly created_at_ms: number;
  readonly changed_at_ms: number;
  readonly files: number;
  readonly bytes: number;
  readonly fingerprint: string | null;
  readonly failure: string | null;
}

type FileRow = [hash: string, bytes: number, smaller: string | null];

export class SqliteSites implements SiteStore {
  readonly #writer: Writer;
  readonly #sql;
  readonly #revisions: RevisionReader;

  constructor(db: DatabaseSync, writer: Writer, revisions: RevisionReader) {
    this.#writer = writer;
    this.#revisions = revisions;
    this.#sql = prepare(db);
  }

  addOwner({ id, name, plan }: Owner): Promise<boolean> {
    return this.#writer.submit("addOwner", { id, name, plan });
  }

  setPlan(ownerId: string, plan: Plan): Promise<boolean> {
    return this.#writer.submit("setPlan", { ownerId, plan });
  }

  owner(id: string): Owner | undefined {
    return reading(() => this.#sql.owner.get(id)) as Owner | undefined;
  }

  ownerOf(slug: string): Owner | undefined {
    return reading(() => this.#sql.ownerOf.get(slug)) as Owner | undefined;
  }

  listOwners(): readonly Owner[] {
    return reading(() => this.#sql.owners.all()) as unknown as Owner[];
  }

  addProject(project: NewProject): Promise<"added" | "slug_taken" | "no_such_owner"> {
    return this.#writer.submit("addProject", project);
  }

  project(slug: string): Project | undefined {
    const row = reading(() => this.#sql.project.get(slug)) as ProjectRow | undefined;
    return row && projectFrom(row);
  }

  listProjects(): readonly Project[] {
    return (reading(() => this.#sql.projects.all()) as unknown as ProjectRow[]).map(projectFrom);
  }

  unpublish(slug: string): Promise<"unpublished" | "not_published" | "no_such_project"> {
    return this.#writer.submit("unpublish", slug);
  }

  rollBack(
    slug: string,
    deploymentId: string,
  ): Promise<"shown" | "no_such_deployment" | "not_ready"> {
    return this.#writer.submit("rollBack", { slug, deploymentId });
  }

  beginDeployment(deployment: NewDeployment): Promise<boolean> {
    return this.#writer.submit("beginDeployment", deployment);
  }

  buildDeployment(id: string, nowMs: number): Promise<boolean> {
    return this.#writer.submit("buildDeployment", { id, nowMs });
  }

  knownContents(hashes: readonly string[]): ReadonlySet<string> {
    return reading(() => new Set(hashes.filter((hash) => this.#sql.known.get(hash) !== undefined)));
  }

  async addFiles(id: string, uploads: readonly Upload[], nowMs: number): Promise<AddFilesOutcome> {
    const bytes = uploads.reduce((sum, { part }) => sum + (part?.data.byteLength ?? 0), 0);
    if (bytes > uploadBytesMax) throw new RangeError(`At most ${uploadBytesMax} bytes at once.`);
    return this.#writer.submit("addFiles", { id, uploads, nowMs });
  }

  finishDeployment(id: string, finish: Finish): Promise<FinishOutcome> {
    return this.#writer.submit("finishDeployment", { id, ...finish });
  }

  failDeployment(id: string, failure: string, nowMs: number): Promise<boolean> {
    return this.#writer.submit("failDeployment", { id, failure, nowMs });
  }

  discardFailed(slug: string): Promise<boolean> {
    return this.#writer.submit("discardFailed", slug);
  }

  deployment(id: string): Deployment | undefined {
    const row = reading(() => this.#sql.deployment.get(id)) as DeploymentRow | undefined;
    return row && deploymentFrom(row);
  }

  listDeployments(slug: string, limit: number): readonly Deployment[] {
    const rows = reading(() => this.#sql.deployments.all(slug, limit));
    return (rows as unknown as DeploymentRow[]).map(deploymentFrom);
  }

  revision(): number {
    return this.#revisions.read().site_revision;
  }

  file(deploymentId: string, path: string): StoredFile | undefined {
    const row = reading(() => this.#sql.file.get(deploymentId, path)) as unknown as
      | FileRow
      | undefined;
    if (row === undefined) return undefined;
    const [hash, bytes, smaller] = row;
    const forms = (smaller?.split(",") ?? []) as ("br" | "gzip")[];
    return { path, hash, bytes, smaller: forms };
  }

  content(hash: string, encoding: Encoding): Uint8Array | undefined {
    const rows = reading(() => this.#sql.parts.all(hash, encoding)) as unknown as [Uint8Array][];
    const [first] = rows;
    return rows.length > 1 ? Buffer.concat(rows.map(([data]) => data)) : first?.[0];
  }
}

function prepare(db: DatabaseSync) {
  const arrays = (statement: StatementSync) => {
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    owner: db.prepare("SELECT id, name, plan FROM owners WHERE id = ?"),
    ownerOf: db.prepare(
      `SELECT id, name, plan FROM owners
       WHERE id = (SELECT owner_id FROM projects WHERE slug = ?)`,
    ),
    owners: db.prepare("SELECT id, name, plan FROM owners ORDER BY id"),
    project: db.prepare("SELECT * FROM projects WHERE slug = ?"),
    projects: db.prepare("SELECT * FROM projects ORDER BY slug"),
    known: db.prepare("SELECT 1 FROM contents WHERE hash = ? AND complete = 1"),
    deployment: db.prepare("SELECT * FROM deployments WHERE id = ?"),
    deployments: db.prepare(listDeploymentsOfProject),
    file: arrays(db.prepare(findSiteFile)),
    parts: arrays(
      db.prepare("SELECT data FROM content_parts WHERE hash = ? AND encoding = ? ORDER BY part"),
    ),
  };
}

export const listDeploymentsOfProject =
  "SELECT * FROM deployments WHERE project = ? ORDER BY ordinal DESC LIMIT ?";
/** Asks the index alone which smaller forms there are: no content is read for it. */
export const findSiteFile = `SELECT hash, bytes,
    (SELECT group_concat(encoding) FROM content_parts AS parts
     WHERE parts.hash = contents.hash AND encoding <> 'identity')
  FROM site_files JOIN contents USING (hash) WHERE deployment = ? AND path = ?`;

function projectFrom(row: ProjectRow): Project {
  return {
    slug: row.slug,
    ownerId: row.owner_id,
    createdAtMs: row.created_at_ms,
    current: row.current ?? undefined,
  };
}

function deploymentFrom(row: DeploymentRow): Deployment {
  return {
    id: row.id,
    project: row.project,
    state: row.state,
    createdAtMs: row.created_at_ms,
    changedAtMs: row.changed_at_ms,
    files: row.files,
    bytes: row.bytes,
    fingerprint: row.fingerprint ?? undefined,
    failure: row.failure ?? undefined,
  };
}
