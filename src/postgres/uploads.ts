/** Deployments that are being brought. */

import { silenceFailure, silenceMsMax } from "../sites/deployment.ts";
import type { SiteFile } from "../sites/siteFile.ts";
import type { AnnouncedUpload, NewUpload, UploadStore } from "../sites/uploads.ts";
import type { Database } from "./database.ts";
import { begin, failSilent, lockProject } from "./deploymentWrites.ts";
import { failing } from "./failures.ts";
import { hasNul } from "./texts.ts";

/** What version 4 of the database has. A manifest is of no use once its deployment has ended. */
export const uploadTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS deployment_manifests (
     deployment text PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE,
     files text NOT NULL
   )`,
];

export class PostgresUploads implements UploadStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  beginUpload({ id, project, files, limits, nowMs }: NewUpload) {
    const begun = this.#database.transact("BEGIN", async (session) => {
      // Taken by whoever begins one, so that their ordinals follow each other.
      if ((await session.query(lockProject, [project])).count === 0) return "no_such_project";
      await session.query(failSilent, [silenceFailure, nowMs, project, nowMs - silenceMsMax]);
      await session.query(removeEnded, [project]);
      const { rows } = await session.query<[all: bigint, own: bigint]>(countOpen, [
        project,
        nowMs - silenceMsMax,
      ]);
      const [all, own] = rows[0] ?? [0n, 0n];
      if (all >= limits.all || own >= limits.perOwner) return "too_many";
      await session.query(begin, [id, project, nowMs]);
      await session.query("UPDATE deployments SET state = 'building' WHERE id = $1", [id]);
      await session.query("INSERT INTO deployment_manifests (deployment, files) VALUES ($1, $2)", [
        id,
        JSON.stringify(files),
      ]);
      return "begun";
    });
    return failing(begun as ReturnType<UploadStore["beginUpload"]>);
  }

  async upload(id: string): Promise<AnnouncedUpload | undefined> {
    if (hasNul(id)) return undefined;
    const rows = await failing(this.#database.read<[project: string, files: string]>(find, [id]));
    const [row] = rows;
    return row && { project: row[0], files: JSON.parse(row[1]) as SiteFile[] };
  }

  async arrivedPaths(id: string): Promise<ReadonlySet<string>> {
    const rows = await failing(this.#database.read<[path: string]>(findArrived, [id]));
    return new Set(rows.map(([path]) => path));
  }
}

const removeEnded = `DELETE FROM deployment_manifests WHERE deployment IN (
    SELECT id FROM deployments WHERE project = $1 AND state IN ('ready', 'failed'))`;
const countOpen = `SELECT count(*),
    count(*) FILTER (WHERE owner_id = (SELECT owner_id FROM projects WHERE slug = $1))
  FROM deployment_manifests JOIN deployments ON id = deployment JOIN projects ON slug = project
  WHERE state = 'building' AND changed_at_ms >= $2`;
const find = `SELECT project, manifests.files FROM deployment_manifests AS manifests
  JOIN deployments ON id = deployment WHERE deployment = $1 AND state = 'building'`;
const findArrived = `SELECT path FROM site_files JOIN contents USING (hash)
  WHERE deployment = $1 AND complete`;
