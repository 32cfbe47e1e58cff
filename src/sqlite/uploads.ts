/** Deployments that are being brought. */
import type { DatabaseSync } from "node:sqlite";
import { silenceFailure, silenceMsMax } from "../sites/deployment.ts";
import type { SiteFile } from "../sites/siteFile.ts";
import type { AnnouncedUpload, NewUpload, UploadStore } from "../sites/uploads.ts";
import { reading } from "./failures.ts";
import type { Writer } from "./writer.ts";

/** What version 10 of the database has. A manifest is of no use once its deployment has ended. */
export const uploadTables = `CREATE TABLE deployment_manifests (
     deployment TEXT PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE,
     files TEXT NOT NULL CHECK (json_valid(files))
   ) STRICT;
   CREATE TRIGGER deployment_ended AFTER UPDATE OF state ON deployments
     WHEN NEW.state = 'ready' OR NEW.state = 'failed' BEGIN
       DELETE FROM deployment_manifests WHERE deployment = NEW.id;
   END;`;

/** Runs in the writer's thread, within its transaction. */
export function uploadCommands(db: DatabaseSync) {
  const owner = db.prepare("SELECT owner_id FROM projects WHERE slug = ?");
  const failSilent = db.prepare(
    `UPDATE deployments SET state = 'failed', failure = ?, changed_at_ms = ?
     WHERE project = ? AND (state = 'queued' OR state = 'building') AND changed_at_ms < ?`,
  );
  const count = db.prepare(
    `SELECT count(*) AS "all", count(*) FILTER (WHERE owner_id = ?) AS own
     FROM deployment_manifests JOIN deployments ON id = deployment JOIN projects ON slug = project
     WHERE changed_at_ms >= ?`,
  );
  const begin = db.prepare(
    `INSERT INTO deployments (id, project, state, created_at_ms, changed_at_ms, files, bytes)
     VALUES (?, ?, 'building', ?, ?, 0, 0)`,
  );
  const keep = db.prepare("INSERT INTO deployment_manifests (deployment, files) VALUES (?, ?)");
  return {
    beginUpload({ id, project, files, limits, nowMs }: NewUpload) {
      const ownerId = owner.get(project)?.owner_id as string | undefined;
      if (ownerId === undefined) return "no_such_project" as const;
      failSilent.run(silenceFailure, nowMs, project, nowMs - silenceMsMax);
      const open = count.get(ownerId, nowMs - silenceMsMax) as { all: number; own: number };
      if (open.all >= limits.all || open.own >= limits.perOwner) return "too_many" as const;
      begin.run(id, project, nowMs, nowMs);
      keep.run(id, JSON.stringify(files));
      return "begun" as const;
    },
  };
}

export class SqliteUploads implements UploadStore {
  readonly #writer: Writer;
  readonly #find;
  readonly #arrived;

  constructor(db: DatabaseSync, writer: Writer) {
    this.#writer = writer;
    this.#find = db.prepare(
      `SELECT project, manifests.files FROM deployment_manifests AS manifests
       JOIN deployments ON id = deployment WHERE deployment = ?`,
    );
    this.#arrived = db.prepare(
      `SELECT path FROM site_files JOIN contents USING (hash)
       WHERE deployment = ? AND complete = 1`,
    );
  }

  beginUpload(upload: NewUpload) {
    return this.#writer.submit("beginUpload", upload);
  }

  upload(id: string): AnnouncedUpload | undefined {
    const row = reading(() => this.#find.get(id));
    if (row === undefined) return undefined;
    const files = JSON.parse(row.files as string) as SiteFile[];
    return { project: row.project as string, files };
  }

  arrivedPaths(id: string): ReadonlySet<string> {
    return new Set(reading(() => this.#arrived.all(id)).map(({ path }) => path as string));
  }
}
