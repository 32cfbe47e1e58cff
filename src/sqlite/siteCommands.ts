/** The writes to sites. They run in the writer's thread, within its transaction. */
import type { DatabaseSync } from "node:sqlite";
import {
  type DeploymentEvent,
  type DeploymentState,
  silenceFailure,
  silenceMsMax,
  transitions,
} from "../sites/deployment.ts";
import type { Owner, Plan } from "../sites/site.ts";
import {
  type AddFilesOutcome,
  type Finish,
  type FinishOutcome,
  type NewDeployment,
  type NewProject,
  type Upload,
  uploadBytesMax,
} from "../sites/sites.ts";
import type { Counter } from "./counter.ts";

/** What one call takes away at most, so that the writes behind it do not wait long. */
export const discardedFilesMax = 64;
const discardedBytesMax = uploadBytesMax;

interface DeploymentRow {
  readonly ordinal: number;
  readonly project: string;
  readonly state: DeploymentState;
}

export function siteCommands(db: DatabaseSync, revision: Counter) {
  const sql = prepare(db);

  const deploymentOf = (id: string) => sql.find.get(id) as unknown as DeploymentRow | undefined;

  /** The deployment, if the event may happen to it. */
  function taking(id: string, event: DeploymentEvent): DeploymentRow | undefined {
    const found = deploymentOf(id);
    return found && transitions[found.state][event] !== undefined ? found : undefined;
  }

  function move(id: string, event: DeploymentEvent, nowMs: number, failure?: string): boolean {
    const found = taking(id, event);
    if (found === undefined) return false;
    sql.move.run(transitions[found.state][event] as string, nowMs, failure ?? null, id);
    return true;
  }

  function show(slug: string, deploymentId: string | null): void {
    sql.show.run(deploymentId, slug);
    revision.next();
  }

  function store({ path, hash, bytes, part }: Upload, deploymentId: string): number {
    sql.addContent.run(hash, bytes);
    if (part !== undefined) {
      sql.addPart.run(hash, part.encoding, part.index, part.data);
      if (part.last) sql.complete.run(hash);
    }
    return Number(sql.addFile.run(deploymentId, path, hash).changes);
  }

  /** Contents that are neither stored nor brought along by an earlier one of the uploads. */
  function missingOf(uploads: readonly Upload[]): string[] {
    const brought = new Set<string>();
    const missing = new Set<string>();
    for (const { hash, part } of uploads) {
      if (part?.last) brought.add(hash);
      if (part === undefined && !brought.has(hash) && sql.known.get(hash) === undefined) {
        missing.add(hash);
      }
    }
    return [...missing];
  }

  return {
    /** False, with nothing done, when the id is taken. */
    addOwner({ id, name, plan }: Owner): boolean {
      if (sql.addOwner.run(id, name, plan).changes === 0) return false;
      revision.next();
      return true;
    },

    setPlan({ ownerId, plan }: { ownerId: string; plan: Plan }): boolean {
      if (sql.setPlan.run(plan, ownerId).changes === 0) return false;
      revision.next();
      return true;
    },

    addProject({ slug, ownerId, nowMs }: NewProject): "added" | "slug_taken" | "no_such_owner" {
      if (sql.findProject.get(slug) !== undefined) return "slug_taken";
      if (sql.findOwner.get(ownerId) === undefined) return "no_such_owner";
      sql.addProject.run(slug, ownerId, nowMs);
      revision.next();
      return "added";
    },

    unpublish(slug: string): "unpublished" | "not_published" | "no_such_project" {
      const project = sql.findProject.get(slug);
      if (project === undefined) return "no_such_project";
      if (project.current === null) return "not_published";
      show(slug, null);
      return "unpublished";
    },

    rollBack({
      slug,
      deploymentId,
    }: {
      slug: string;
      deploymentId: string;
    }): "shown" | "no_such_deployment" | "not_ready" {
      const found = deploymentOf(deploymentId);
      if (found?.project !== slug) return "no_such_deployment";
      if (found.state !== "ready") return "not_ready";
      show(slug, deploymentId);
      return "shown";
    },

    beginDeployment({ id, project, nowMs }: NewDeployment): boolean {
      if (sql.findProject.get(project) === undefined) return false;
      sql.failSilent.run(silenceFailure, nowMs, project, nowMs - silenceMsMax);
      sql.begin.run(id, project, nowMs, nowMs);
      return true;
    },

    buildDeployment({ id, nowMs }: { id: string; nowMs: number }): boolean {
      return move(id, "build", nowMs);
    },

    addFiles({
      id,
      uploads,
      nowMs,
    }: {
      id: string;
      uploads: readonly Upload[];
      nowMs: number;
    }): AddFilesOutcome {
      if (deploymentOf(id)?.state !== "building") return { kind: "not_building" };
      const hashes = missingOf(uploads);
      if (hashes.length > 0) return { kind: "content_missing", hashes };
      let files = 0;
      let bytes = 0;
      for (const upload of uploads) {
        // A file that comes in several parts is added with the first of them.
        const added = store(upload, id);
        files += added;
        bytes += added * upload.bytes;
      }
      sql.grow.run(files, bytes, nowMs, id);
      return { kind: "added" };
    },

    finishDeployment({ id, fingerprint, unless, nowMs }: Finish & { id: string }): FinishOutcome {
      const found = taking(id, "finish");
      if (found === undefined || sql.findIncomplete.get(id) !== undefined) {
        return { kind: "refused" };
      }
      const { project, ordinal } = found;
      const newest = sql.findNewest.get(project);
      const other = unless === "newest" ? newest : sql.findShown.get(project);
      if (other?.fingerprint === fingerprint) {
        sql.removeFiles.run(id);
        sql.remove.run(id);
        return { kind: "needless", same: other.id as string };
      }
      move(id, "finish", nowMs);
      sql.name.run(fingerprint, id);
      if (newest !== undefined && (newest.ordinal as number) > ordinal) {
        return { kind: "overtaken" };
      }
      show(project, id);
      return { kind: "shown" };
    },

    failDeployment({
      id,
      failure,
      nowMs,
    }: {
      id: string;
      failure: string;
      nowMs: number;
    }): boolean {
      return move(id, "fail", nowMs, failure);
    },

    /** False once there is nothing left to take away. */
    discardFailed(slug: string): boolean {
      let bytes = 0;
      const rows = sql.findFailed.all(slug, discardedFilesMax);
      for (const row of rows) {
        const hash = row.hash as string;
        sql.removeFile.run(row.deployment as string, row.path as string);
        if (sql.findUse.get(hash) !== undefined) continue;
        sql.removeParts.run(hash);
        sql.removeContent.run(hash);
        bytes += row.bytes as number;
        if (bytes >= discardedBytesMax) break;
      }
      return rows.length > 0;
    },
  };
}

function prepare(db: DatabaseSync) {
  const newest = (condition: string) =>
    `SELECT ordinal, id, fingerprint FROM deployments WHERE ${condition} ORDER BY ordinal DESC LIMIT 1`;
  const texts = {
    addOwner: "INSERT OR IGNORE INTO owners (id, name, plan) VALUES (?, ?, ?)",
    findOwner: "SELECT 1 FROM owners WHERE id = ?",
    setPlan: "UPDATE owners SET plan = ? WHERE id = ?",
    addProject: "INSERT INTO projects (slug, owner_id, created_at_ms) VALUES (?, ?, ?)",
    findProject: "SELECT current FROM projects WHERE slug = ?",
    show: "UPDATE projects SET current = ? WHERE slug = ?",
    find: "SELECT ordinal, project, state FROM deployments WHERE id = ?",
    findNewest: newest("project = ? AND state = 'ready'"),
    findShown: newest("id = (SELECT current FROM projects WHERE slug = ?)"),
    begin: `INSERT INTO deployments (id, project, state, created_at_ms, changed_at_ms, files, bytes)
      VALUES (?, ?, 'queued', ?, ?, 0, 0)`,
    failSilent: `UPDATE deployments SET state = 'failed', failure = ?, changed_at_ms = ?
      WHERE project = ? AND (state = 'queued' OR state = 'building') AND changed_at_ms < ?`,
    move: "UPDATE deployments SET state = ?, changed_at_ms = ?, failure = ? WHERE id = ?",
    name: "UPDATE deployments SET fingerprint = ? WHERE id = ?",
    grow: `UPDATE deployments SET files = files + ?, bytes = bytes + ?, changed_at_ms = ?
      WHERE id = ?`,
    remove: "DELETE FROM deployments WHERE id = ?",
    known: "SELECT 1 FROM contents WHERE hash = ? AND complete = 1",
    addContent: "INSERT OR IGNORE INTO contents (hash, bytes, complete) VALUES (?, ?, 0)",
    addPart:
      "INSERT OR REPLACE INTO content_parts (hash, encoding, part, data) VALUES (?, ?, ?, ?)",
    complete: "UPDATE contents SET complete = 1 WHERE hash = ?",
    addFile: "INSERT OR IGNORE INTO site_files (deployment, path, hash) VALUES (?, ?, ?)",
    findIncomplete: `SELECT 1 FROM site_files JOIN contents USING (hash)
      WHERE deployment = ? AND complete = 0 LIMIT 1`,
    removeFiles: "DELETE FROM site_files WHERE deployment = ?",
    findFailed: `SELECT deployment, path, hash, contents.bytes AS bytes FROM deployments
      JOIN site_files ON deployment = id JOIN contents USING (hash)
      WHERE project = ? AND state = 'failed' LIMIT ?`,
    removeFile: "DELETE FROM site_files WHERE deployment = ? AND path = ?",
    findUse: "SELECT 1 FROM site_files WHERE hash = ? LIMIT 1",
    removeParts: "DELETE FROM content_parts WHERE hash = ?",
    removeContent: "DELETE FROM contents WHERE hash = ?",
  } as const;
  const entries = Object.entries(texts).map(([name, text]) => [name, db.prepare(text)]);
  return Object.fromEntries(entries) as Record<
    keyof typeof texts,
    ReturnType<DatabaseSync["prepare"]>
  >;
}
