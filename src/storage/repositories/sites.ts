import { then } from "../../core/maybePromise.ts";
import type { Deployment } from "../../hosting/sites/deployment.ts";
import type { Owner, Project } from "../../hosting/sites/site.ts";
import type { StoredFile } from "../../hosting/sites/siteFile.ts";
import { type SiteStore, type UploadStore, uploadBytesMax } from "../../hosting/sites/sites.ts";
import { byText, type LookUp, type Storage } from "./storage.ts";

export function siteRepository(storage: Storage): SiteStore {
  return {
    addOwner: ({ id, name, plan }) => storage.write("addOwner", { id, name, plan }),
    setPlan: (ownerId, plan) => storage.write("setPlan", { ownerId, plan }),
    owner: (id) => storage.get<Owner>("SELECT id, name, plan FROM owners WHERE id = ?1", [id]),
    ownerOf: (slug) => storage.get<Owner>(findOwnerOf, [slug]),
    listOwners: () =>
      then(storage.all<Owner>("SELECT id, name, plan FROM owners"), (owners) =>
        owners.sort(byText(({ id }) => id)),
      ),

    addProject: (project) => storage.write("addProject", project),
    project: (slug) => storage.lookUp(findProject, slug),
    listProjects: () =>
      then(storage.all<Project>(`SELECT ${projectColumns} FROM projects`), (projects) =>
        projects.sort(byText(({ slug }) => slug)),
      ),
    unpublish: (slug) => storage.write("unpublish", slug),
    publishDeployment: (slug, deploymentId) =>
      storage.write("publishDeployment", { slug, deploymentId, evenOlder: false }),
    rollBack: async (slug, deploymentId) => {
      const how = { slug, deploymentId, evenOlder: true };
      const outcome = await storage.write("publishDeployment", how);
      return outcome === "overtaken" ? "shown" : outcome;
    },

    beginDeployment: (deployment) => storage.write("beginDeployment", deployment),
    buildDeployment: (id, nowMs) => storage.write("buildDeployment", { id, nowMs }),
    knownContents: (hashes) =>
      then(
        storage.all<{ hash: string }>(findKnown, [hashes]),
        (found) => new Set(found.map(({ hash }) => hash)),
      ),
    async addFiles(id, uploads, nowMs) {
      const bytes = uploads.reduce((sum, { part }) => sum + (part?.data.byteLength ?? 0), 0);
      if (bytes > uploadBytesMax) throw new RangeError(`At most ${uploadBytesMax} bytes at once.`);
      return storage.write("addFiles", { id, uploads, nowMs });
    },
    finishDeployment: (id, finish) => storage.write("finishDeployment", { id, ...finish }),
    failDeployment: (id, failure, nowMs) => storage.write("failDeployment", { id, failure, nowMs }),
    pruneDeployments: (slug) => storage.write("pruneDeployments", slug),
    deployment: (id) => storage.get<Deployment>(findDeployment, [id]),
    listDeployments: (slug, limit) =>
      storage.all<Deployment>(listDeploymentsOfProject, [slug, limit]),

    revision: () => storage.revision("site_revision"),
    file: (deploymentId, path) =>
      then(storage.lookUp(findSiteFile, deploymentId, path), (row) => {
        if (row === undefined) return undefined;
        const { hash, bytes } = row;
        return { path, hash, bytes, smaller: smallerForms.filter((form) => row[form] === 1) };
      }),
    content: (hash, encoding) =>
      then(storage.all<{ data: Uint8Array }>(readParts, [hash, encoding]), (parts) => {
        const [first] = parts;
        return parts.length > 1 ? Buffer.concat(parts.map(({ data }) => data)) : first?.data;
      }),
  };
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
const findDeployment = `SELECT ${deploymentColumns} FROM deployments WHERE id = ?1`;
export const listDeploymentsOfProject = `SELECT ${deploymentColumns} FROM deployments
  WHERE project = ?1 ORDER BY ordinal DESC LIMIT ?2`;

const findKnown = "SELECT hash FROM contents WHERE hash = ANY(?1) AND complete";

/** Whether there is a compressed form. An index-only lookup: no content is read. */
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
export function uploadRepository(storage: Storage): UploadStore {
  return {
    beginUpload: (upload) => storage.write("beginUpload", upload),
    upload: (id) =>
      then(
        storage.get<{ project: string; files: string }>(findManifest, [id]),
        (row) => row && { ...row, files: JSON.parse(row.files) },
      ),
    contentsOf: (project, hashes) =>
      then(
        storage.all<{ hash: string; bytes: number }>(findOwnContents, [hashes, project]),
        (rows) => new Map(rows.map(({ hash, bytes }) => [hash, bytes])),
      ),
    arrivedPaths: (id) =>
      then(
        storage.all<{ path: string }>(findArrived, [id]),
        (rows) => new Set(rows.map(({ path }) => path)),
      ),
  };
}

const findManifest = `SELECT project, manifests.files FROM deployment_manifests AS manifests
  JOIN deployments ON id = deployment WHERE deployment = ?1 AND state = 'building'`;
export const findOwnContents = `SELECT hash, bytes FROM contents WHERE hash = ANY(?1) AND complete
  AND EXISTS (SELECT 1 FROM site_files AS files JOIN deployments ON id = files.deployment
    WHERE files.hash = contents.hash AND project = ?2)`;
const findArrived = `SELECT path FROM site_files JOIN contents USING (hash)
  WHERE deployment = ?1 AND complete`;
