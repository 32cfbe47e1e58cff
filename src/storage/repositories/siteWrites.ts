/**
 * The writes to owners, projects and deployments. Rows are locked in one order: the project, the
 * deployment, contents, domains, the revision of the sites, and finally the events.
 */
import {
  type DeploymentEvent,
  type DeploymentState,
  expiredFailure,
  failedDeploymentsMax,
  readyDeploymentsMax,
  staleAfterMs,
  staleFailure,
  transitions,
} from "../../hosting/sites/deployment.ts";
import {
  type AddProjectOutcome,
  decideAddProject,
  type Owner,
  type Plan,
} from "../../hosting/sites/site.ts";
import type { ProjectState } from "../../hosting/sites/siteEvents.ts";
import type {
  AddFilesOutcome,
  Finish,
  FinishOutcome,
  NewDeployment,
  NewProject,
  NewUpload,
  Shown,
  Upload,
} from "../../hosting/sites/sites.ts";
import { recordEvents } from "./events.ts";
import { deploymentEvents, projectEvents, readProject, standingEvents } from "./recording.ts";
import { addContents, discardFiles, missingContents } from "./siteContents.ts";
import type { Transaction, Writes } from "./storage.ts";

interface ProjectRow {
  readonly ownerId: string;
  readonly current: string | undefined;
  /** The ordinal of the newest deployment that it has shown so far. */
  readonly newestShown: number | undefined;
}

interface DeploymentRow {
  readonly ordinal: number;
  readonly project: string;
  readonly state: DeploymentState;
}

interface NamedRow {
  readonly id: string;
  readonly fingerprint: string | undefined;
}

export const siteWrites = {
  /** False, with nothing done, when the id is taken. */
  async addOwner(tx, { id, name, plan }: Owner): Promise<boolean> {
    const added = await tx.run(
      "INSERT INTO owners (id, name, plan) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING",
      [id, name, plan],
    );
    if (added > 0) await tx.advance("site_revision");
    return added > 0;
  },

  async setPlan(tx, { ownerId, plan }: { ownerId: string; plan: Plan }): Promise<boolean> {
    const text = "UPDATE owners SET plan = ?2 WHERE id = ?1 RETURNING id";
    if ((await tx.get(text, [ownerId, plan])) === undefined) return false;
    const events = await standingEvents(tx, "owner", ownerId);
    await tx.advance("site_revision");
    await recordEvents(tx, events);
    return true;
  },

  async addProject(tx, { slug, ownerId, nowMs }: NewProject): Promise<AddProjectOutcome> {
    // Locked before they are counted, so that two at the same time cannot exceed the limit.
    const owner = await tx.get("SELECT 1 FROM owners WHERE id = ?1 FOR UPDATE", [ownerId]);
    const owned = await tx.get<{ count: number }>(
      "SELECT count(*) AS count FROM projects WHERE owner_id = ?1",
      [ownerId],
    );
    const outcome = decideAddProject({
      slugTaken: (await tx.get(findProject, [slug])) !== undefined,
      ownerExists: owner !== undefined,
      projectsOfOwner: Number(owned?.count),
    });
    if (outcome !== "added") return outcome;
    await tx.run(insertProject, [slug, ownerId, nowMs]);
    await tx.advance("site_revision");
    await recordEvents(tx, await projectEvents(tx, slug, undefined));
    return outcome;
  },

  async unpublish(tx, slug: string): Promise<"unpublished" | "not_published" | "no_such_project"> {
    const project = await lockProject(tx, slug);
    if (project === undefined) return "no_such_project";
    if (project.current === undefined) return "not_published";
    const before = await readProject(tx, slug);
    await tx.run("UPDATE projects SET current = NULL WHERE slug = ?1", [slug]);
    await recordShown(tx, slug, before);
    return "unpublished";
  },

  async publishDeployment(
    tx,
    { slug, deploymentId, evenOlder }: { slug: string; deploymentId: string; evenOlder: boolean },
  ): Promise<Shown | "no_such_deployment" | "not_ready"> {
    // Under the lock of the project, it cannot expire before it is shown.
    const project = await lockProject(tx, slug);
    const found = await tx.get<DeploymentRow>(findDeployment, [deploymentId]);
    if (project === undefined || found?.project !== slug) return "no_such_deployment";
    if (found.state !== "ready") return "not_ready";
    return show(tx, deploymentId, found, evenOlder ? undefined : project.newestShown);
  },

  async beginDeployment(tx, deployment: NewDeployment): Promise<boolean> {
    if ((await lockProject(tx, deployment.project)) === undefined) return false;
    const failed = await failSilent(tx, deployment);
    await insertDeployment(tx, deployment, "queued");
    await recordEvents(tx, failed);
    return true;
  },

  async beginUpload(
    tx,
    { files, limits, ...deployment }: NewUpload,
  ): Promise<"begun" | "no_such_project" | "too_many"> {
    const { id, project, nowMs } = deployment;
    const found = await lockProject(tx, project);
    if (found === undefined) return "no_such_project";
    // Locked, so that concurrent uploads of one owner cannot exceed the limit.
    await tx.get("SELECT id FROM owners WHERE id = ?1 FOR UPDATE", [found.ownerId]);
    const failed = await failSilent(tx, deployment);
    await tx.run(removeEnded, [project]);
    const since = nowMs - staleAfterMs;
    const open = await tx.get<{ all: number; own: number }>(countOpen, [found.ownerId, since]);
    if (open === undefined || open.all >= limits.all || open.own >= limits.perOwner) {
      await recordEvents(tx, failed);
      return "too_many";
    }
    await insertDeployment(tx, deployment, "building");
    await tx.run(insertManifest, [id, JSON.stringify(files)]);
    await recordEvents(tx, failed);
    return "begun";
  },

  async buildDeployment(tx, { id, nowMs }: { id: string; nowMs: number }): Promise<boolean> {
    return move(tx, id, "build", nowMs);
  },

  async addFiles(
    tx,
    { id, uploads, nowMs }: { id: string; uploads: readonly Upload[]; nowMs: number },
  ): Promise<AddFilesOutcome> {
    if ((await lockDeployment(tx, id))?.state !== "building") return { kind: "not_building" };
    const hashes = await missingContents(tx, uploads);
    if (hashes.length > 0) return { kind: "content_missing", hashes };
    await addContents(tx, uploads);
    // A file in several parts is added with the first of them.
    const added = await tx.all<{ path: string }>(findPaths, [id, uploads.map(({ path }) => path)]);
    const known = new Set(added.map(({ path }) => path));
    const files = new Map<string, Upload>();
    for (const upload of uploads) {
      if (!known.has(upload.path) && !files.has(upload.path)) files.set(upload.path, upload);
    }
    const rows = [...files.values()];
    await tx.insertAll(
      "INSERT INTO site_files (deployment, path, hash) VALUES (?1, ?2, ?3)",
      rows.map(({ path, hash }) => [id, path, hash]),
    );
    const bytes = rows.reduce((sum, file) => sum + file.bytes, 0);
    await tx.run(grow, [id, rows.length, bytes, nowMs]);
    return { kind: "added" };
  },

  async finishDeployment(
    tx,
    { id, fingerprint, unless, publish, nowMs }: Finish & { readonly id: string },
  ): Promise<FinishOutcome> {
    const slug = (await tx.get<DeploymentRow>(findDeployment, [id]))?.project;
    const project = slug === undefined ? undefined : await lockProject(tx, slug);
    const found = await lockDeployment(tx, id);
    if (project === undefined || found === undefined) return { kind: "refused" };
    const state = transitions[found.state].finish;
    if (state === undefined || (await tx.get(findIncomplete, [id])) !== undefined) {
      return { kind: "refused" };
    }
    const other =
      unless === "newest"
        ? await tx.get<NamedRow>(findNewest, [found.project])
        : await tx.get<NamedRow>(findNamed, [project.current]);
    if (other?.fingerprint === fingerprint) {
      await tx.run("DELETE FROM site_files WHERE deployment = ?1", [id]);
      await tx.run("DELETE FROM deployments WHERE id = ?1", [id]);
      return { kind: "needless", same: other.id };
    }
    await tx.run(
      `UPDATE deployments SET state = ?2, changed_at_ms = ?3, failure = NULL, fingerprint = ?4
       WHERE id = ?1`,
      [id, state, nowMs, fingerprint],
    );
    return { kind: publish === false ? "ready" : await show(tx, id, found, project.newestShown) };
  },

  async failDeployment(
    tx,
    { id, failure, nowMs }: { id: string; failure: string; nowMs: number },
  ): Promise<boolean> {
    if (!(await move(tx, id, "fail", nowMs, failure))) return false;
    await recordEvents(tx, await deploymentEvents(tx, "deployment.failed", [id]));
    return true;
  },

  /** False once there is nothing left to delete. */
  async pruneDeployments(tx, slug: string): Promise<boolean> {
    const project = await lockProject(tx, slug);
    if (project === undefined) return false;
    // No longer ready, so that there is no rollback to one whose files are being deleted.
    const expired = await tx.run(expireOld, [slug, project.current ?? "", expiredFailure]);
    // Edges cache pages of each by its own address.
    if (expired > 0) await tx.advance("site_revision");
    if (await discardFiles(tx, slug)) return true;
    return (await tx.run(removeFailed, [slug])) > 0;
  },
} satisfies Writes;

/** Beginning a deployment takes this lock too, so that ordinals are unique within a project. */
async function lockProject(tx: Transaction, slug: string) {
  // Not of its key: a domain that is moved here refers to it while it waits to be locked.
  return tx.get<ProjectRow>(`${findProject} FOR NO KEY UPDATE`, [slug]);
}

/** Fails uploads that were interrupted. */
async function failSilent(tx: Transaction, { project, nowMs }: NewDeployment) {
  const silent = await tx.all<{ id: string }>(
    `SELECT id FROM deployments
     WHERE project = ?1 AND state IN ('queued', 'building') AND changed_at_ms < ?2 FOR UPDATE`,
    [project, nowMs - staleAfterMs],
  );
  const ids = silent.map(({ id }) => id);
  await tx.run(
    `UPDATE deployments SET state = 'failed', failure = ?1, changed_at_ms = ?2
     WHERE id = ANY(?3)`,
    [staleFailure, nowMs, ids],
  );
  return deploymentEvents(tx, "deployment.failed", ids);
}

async function insertDeployment(
  tx: Transaction,
  { id, project, nowMs }: NewDeployment,
  state: DeploymentState,
): Promise<void> {
  const ordinal = await tx.ordinal({ table: "deployments", column: "project", value: project });
  await tx.run(
    `INSERT INTO deployments (project, ordinal, id, state, created_at_ms, changed_at_ms, files,
       bytes)
     VALUES (?1, ?2, ?3, ?4, ?5, ?5, 0, 0)`,
    [project, ordinal, id, state, nowMs],
  );
}

async function lockDeployment(tx: Transaction, id: string): Promise<DeploymentRow | undefined> {
  return tx.get<DeploymentRow>(`${findDeployment} FOR UPDATE`, [id]);
}

/** False when the event is not allowed, or there is no such deployment. */
async function move(
  tx: Transaction,
  id: string,
  event: DeploymentEvent,
  nowMs: number,
  failure?: string,
): Promise<boolean> {
  const found = await lockDeployment(tx, id);
  const state = found && transitions[found.state][event];
  if (state === undefined) return false;
  await tx.run(
    "UPDATE deployments SET state = ?2, changed_at_ms = ?3, failure = ?4 WHERE id = ?1",
    [id, state, nowMs, failure],
  );
  return true;
}

/** Unless it is older than the newest that was shown, where that is given. */
async function show(
  tx: Transaction,
  id: string,
  { project, ordinal }: DeploymentRow,
  newestShown = 0,
): Promise<Shown> {
  if (newestShown > ordinal) return "overtaken";
  const before = await readProject(tx, project);
  await tx.run(showDeployment, [project, id, ordinal]);
  await recordShown(tx, project, before);
  return "shown";
}

/** Only under the lock of the project. */
async function recordShown(tx: Transaction, slug: string, before: ProjectState | undefined) {
  const changed = await projectEvents(tx, slug, before);
  const current = (await readProject(tx, slug))?.current;
  const published = current !== undefined && current !== before?.current ? [current] : [];
  const isOnOrOff = (current === undefined) !== (before?.current === undefined);
  const events = [
    ...(await deploymentEvents(tx, "deployment.published", published)),
    ...changed,
    ...(isOnOrOff ? await standingEvents(tx, "project", slug) : []),
  ];
  await tx.advance("site_revision");
  await recordEvents(tx, events);
}

const findProject = `SELECT owner_id AS "ownerId", current, newest_shown AS "newestShown"
  FROM projects WHERE slug = ?1`;
const showDeployment = `UPDATE projects SET current = ?2,
    newest_shown = CASE WHEN newest_shown > ?3 THEN newest_shown ELSE ?3 END
  WHERE slug = ?1`;
const insertProject = "INSERT INTO projects (slug, owner_id, created_at_ms) VALUES (?1, ?2, ?3)";
const findDeployment = "SELECT ordinal, project, state FROM deployments WHERE id = ?1";
const findNewest = `SELECT id, fingerprint FROM deployments
  WHERE project = ?1 AND state = 'ready' ORDER BY ordinal DESC LIMIT 1`;
const findNamed = "SELECT id, fingerprint FROM deployments WHERE id = ?1";
const removeEnded = `DELETE FROM deployment_manifests WHERE deployment IN (
    SELECT id FROM deployments WHERE project = ?1 AND state IN ('ready', 'failed'))`;
const insertManifest = "INSERT INTO deployment_manifests (deployment, files) VALUES (?1, ?2)";
const countOpen = `SELECT count(*) AS "all", count(*) FILTER (WHERE owner_id = ?1) AS own
  FROM deployment_manifests JOIN deployments ON id = deployment JOIN projects ON slug = project
  WHERE state = 'building' AND changed_at_ms >= ?2`;
const findPaths = "SELECT path FROM site_files WHERE deployment = ?1 AND path = ANY(?2)";
const grow = `UPDATE deployments SET files = files + ?2, bytes = bytes + ?3, changed_at_ms = ?4
  WHERE id = ?1`;
const findIncomplete = `SELECT 1 FROM site_files JOIN contents USING (hash)
  WHERE deployment = ?1 AND NOT complete LIMIT 1`;
export const expireOld = `UPDATE deployments SET state = '${transitions.ready.expire}', failure = ?3
  WHERE id <> ?2 AND id IN (
    SELECT id FROM deployments WHERE project = ?1 AND state = 'ready'
    ORDER BY ordinal DESC LIMIT 10 OFFSET ${readyDeploymentsMax})`;
// Only one that was ready has a fingerprint.
export const removeFailed = `DELETE FROM deployments
  WHERE project = ?1 AND state = 'failed'
    AND NOT EXISTS (SELECT 1 FROM site_files WHERE deployment = deployments.id)
    AND (fingerprint IS NOT NULL OR id NOT IN (
      SELECT id FROM deployments WHERE project = ?1 AND state = 'failed' AND fingerprint IS NULL
      ORDER BY ordinal DESC LIMIT ${failedDeploymentsMax}))`;
