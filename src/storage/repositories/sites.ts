import { type MaybePromise, then } from "../../core/maybePromise.ts";
import { type Deployment, staleAfterMs } from "../../hosting/sites/deployment.ts";
import type { AddProjectOutcome, Owner, Plan, Project } from "../../hosting/sites/site.ts";
import type { Encoding, StoredFile } from "../../hosting/sites/siteFile.ts";
import {
  type AddFilesOutcome,
  type AnnouncedUpload,
  type Finish,
  type FinishOutcome,
  type NewDeployment,
  type NewProject,
  type NewUpload,
  type SiteStore,
  type Upload,
  type UploadStore,
  uploadBytesMax,
} from "../../hosting/sites/sites.ts";
import { failSilent, insertDeployment, lockProject } from "./siteWrites.ts";
import { byText, type LookUp, type Storage, type Transaction } from "./storage.ts";

export class SiteRepository implements SiteStore {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  addOwner({ id, name, plan }: Owner): Promise<boolean> {
    return this.#storage.write("addOwner", { id, name, plan });
  }

  setPlan(ownerId: string, plan: Plan): Promise<boolean> {
    return this.#storage.write("setPlan", { ownerId, plan });
  }

  owner(id: string): MaybePromise<Owner | undefined> {
    return this.#storage.get<Owner>("SELECT id, name, plan FROM owners WHERE id = ?1", [id]);
  }

  ownerOf(slug: string): MaybePromise<Owner | undefined> {
    return this.#storage.get<Owner>(findOwnerOf, [slug]);
  }

  listOwners(): MaybePromise<readonly Owner[]> {
    const owners = this.#storage.all<Owner>("SELECT id, name, plan FROM owners");
    return then(owners, (found) => found.sort(byText(({ id }) => id)));
  }

  addProject(project: NewProject): Promise<AddProjectOutcome> {
    return this.#storage.write("addProject", project);
  }

  project(slug: string): MaybePromise<Project | undefined> {
    return this.#storage.lookUp(findProject, slug);
  }

  listProjects(): MaybePromise<readonly Project[]> {
    const projects = this.#storage.all<Project>(`SELECT ${projectColumns} FROM projects`);
    return then(projects, (found) => found.sort(byText(({ slug }) => slug)));
  }

  unpublish(slug: string): Promise<"unpublished" | "not_published" | "no_such_project"> {
    return this.#storage.write("unpublish", slug);
  }

  rollBack(
    slug: string,
    deploymentId: string,
  ): Promise<"shown" | "no_such_deployment" | "not_ready"> {
    return this.#storage.write("rollBack", { slug, deploymentId });
  }

  beginDeployment(deployment: NewDeployment): Promise<boolean> {
    return this.#storage.write("beginDeployment", deployment);
  }

  buildDeployment(id: string, nowMs: number): Promise<boolean> {
    return this.#storage.write("buildDeployment", { id, nowMs });
  }

  knownContents(hashes: readonly string[]): MaybePromise<ReadonlySet<string>> {
    const known = this.#storage.all<{ hash: string }>(
      "SELECT hash FROM contents WHERE hash = ANY(?1) AND complete",
      [hashes],
    );
    return then(known, (found) => new Set(found.map(({ hash }) => hash)));
  }

  async addFiles(id: string, uploads: readonly Upload[], nowMs: number): Promise<AddFilesOutcome> {
    const bytes = uploads.reduce((sum, { part }) => sum + (part?.data.byteLength ?? 0), 0);
    if (bytes > uploadBytesMax) throw new RangeError(`At most ${uploadBytesMax} bytes at once.`);
    return this.#storage.write("addFiles", { id, uploads, nowMs });
  }

  finishDeployment(id: string, finish: Finish): Promise<FinishOutcome> {
    return this.#storage.write("finishDeployment", { id, ...finish });
  }

  failDeployment(id: string, failure: string, nowMs: number): Promise<boolean> {
    return this.#storage.write("failDeployment", { id, failure, nowMs });
  }

  discardFailed(slug: string): Promise<boolean> {
    return this.#storage.write("discardFailed", slug);
  }

  deployment(id: string): MaybePromise<Deployment | undefined> {
    return this.#storage.get<Deployment>(
      `SELECT ${deploymentColumns} FROM deployments WHERE id = ?1`,
      [id],
    );
  }

  listDeployments(slug: string, limit: number): MaybePromise<readonly Deployment[]> {
    return this.#storage.all<Deployment>(listDeploymentsOfProject, [slug, limit]);
  }

  revision(): number {
    return this.#storage.revision("site_revision");
  }

  file(deploymentId: string, path: string): MaybePromise<StoredFile | undefined> {
    return then(this.#storage.lookUp(findSiteFile, deploymentId, path), (row) => {
      if (row === undefined) return undefined;
      const { hash, bytes } = row;
      const smaller = smallerForms.filter((form) => row[form] === 1);
      return { path, hash, bytes, smaller };
    });
  }

  content(hash: string, encoding: Encoding): MaybePromise<Uint8Array | undefined> {
    return then(this.#storage.all<{ data: Uint8Array }>(readParts, [hash, encoding]), (parts) => {
      const [first] = parts;
      return parts.length > 1 ? Buffer.concat(parts.map(({ data }) => data)) : first?.data;
    });
  }
}

const smallerForms = ["br", "gzip"] as const;

interface FileRow extends Pick<StoredFile, "path" | "hash" | "bytes"> {
  readonly deployment: string;
  readonly br: 1 | undefined;
  readonly gzip: 1 | undefined;
}

const findOwnerOf = `SELECT id, name, plan FROM owners
  WHERE id = (SELECT owner_id FROM projects WHERE slug = ?1)`;

const projectColumns = `slug, owner_id AS "ownerId", created_at_ms AS "createdAtMs", current`;
export const findProject: LookUp<Project> = {
  text: `SELECT ${projectColumns} FROM projects WHERE slug = ANY(?1)`,
  keyOf: ({ slug }) => [slug],
};

const deploymentColumns = `id, project, state, created_at_ms AS "createdAtMs",
  changed_at_ms AS "changedAtMs", files, bytes, fingerprint, failure`;
export const listDeploymentsOfProject = `SELECT ${deploymentColumns} FROM deployments
  WHERE project = ?1 ORDER BY ordinal DESC LIMIT ?2`;

/** Asks the index alone which smaller forms there are: no content is read for it. */
const hasForm = (form: (typeof smallerForms)[number]) =>
  `(SELECT 1 FROM content_parts AS parts
    WHERE parts.hash = contents.hash AND parts.encoding = '${form}' AND parts.part = 0) AS ${form}`;
export const findSiteFile: LookUp<FileRow> = {
  text: `SELECT files.deployment, files.path, files.hash, contents.bytes,
      ${smallerForms.map(hasForm).join(", ")}
    FROM site_files AS files JOIN contents ON contents.hash = files.hash
    WHERE (files.deployment, files.path) = ANY(?1, ?2)`,
  keyOf: ({ deployment, path }) => [deployment, path],
};
export const readParts = `SELECT data FROM content_parts WHERE hash = ?1 AND encoding = ?2
  ORDER BY part`;

/** Deployments whose files are announced first. */
export class UploadRepository implements UploadStore {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  beginUpload(upload: NewUpload): Promise<"begun" | "no_such_project" | "too_many"> {
    return this.#storage.write("beginUpload", upload);
  }

  upload(id: string): MaybePromise<AnnouncedUpload | undefined> {
    const manifest = this.#storage.get<{ project: string; files: string }>(findManifest, [id]);
    return then(manifest, (row) => row && { ...row, files: JSON.parse(row.files) });
  }

  arrivedPaths(id: string): MaybePromise<ReadonlySet<string>> {
    const arrived = this.#storage.all<{ path: string }>(findArrived, [id]);
    return then(arrived, (rows) => new Set(rows.map(({ path }) => path)));
  }
}

export const uploadWrites = {
  async beginUpload(
    tx: Transaction,
    { files, limits, ...deployment }: NewUpload,
  ): Promise<"begun" | "no_such_project" | "too_many"> {
    const { id, project, nowMs } = deployment;
    const found = await lockProject(tx, project);
    if (found === undefined) return "no_such_project";
    await failSilent(tx, deployment);
    await tx.run(removeEnded, [project]);
    const open = await tx.get<{ all: number; own: number }>(countOpen, [
      ...[found.ownerId, nowMs - staleAfterMs],
    ]);
    if (open === undefined || open.all >= limits.all || open.own >= limits.perOwner) {
      return "too_many";
    }
    await insertDeployment(tx, deployment, "building");
    await tx.run("INSERT INTO deployment_manifests (deployment, files) VALUES (?1, ?2)", [
      ...[id, JSON.stringify(files)],
    ]);
    return "begun";
  },
};

const removeEnded = `DELETE FROM deployment_manifests WHERE deployment IN (
    SELECT id FROM deployments WHERE project = ?1 AND state IN ('ready', 'failed'))`;
const countOpen = `SELECT count(*) AS "all", count(*) FILTER (WHERE owner_id = ?1) AS own
  FROM deployment_manifests JOIN deployments ON id = deployment JOIN projects ON slug = project
  WHERE state = 'building' AND changed_at_ms >= ?2`;
const findManifest = `SELECT project, manifests.files FROM deployment_manifests AS manifests
  JOIN deployments ON id = deployment WHERE deployment = ?1 AND state = 'building'`;
const findArrived = `SELECT path FROM site_files JOIN contents USING (hash)
  WHERE deployment = ?1 AND complete`;
