/** The life of a deployment. Whoever needs a project's row and a deployment's takes them in that order. */
import {
  type DeploymentEvent,
  type DeploymentState,
  silenceFailure,
  silenceMsMax,
  transitions,
} from "../sites/deployment.ts";
import {
  type AddFilesOutcome,
  type Finish,
  type FinishOutcome,
  type NewDeployment,
  type Upload,
  uploadBytesMax,
} from "../sites/sites.ts";
import { addContents, discardFiles, missingOf } from "./contentWrites.ts";
import type { Database } from "./database.ts";
import type { Revisions } from "./revisions.ts";
import type { Session } from "./session.ts";

type Found = [ordinal: bigint, state: DeploymentState];
type Named = [id: string, ordinal: bigint, fingerprint: string | null];

interface Finished {
  readonly outcome: FinishOutcome;
  /** Where another one is shown now. */
  readonly revision?: bigint;
}

export class DeploymentWrites {
  readonly #database: Database;
  readonly #revisions: Revisions;

  constructor(database: Database, revisions: Revisions) {
    this.#database = database;
    this.#revisions = revisions;
  }

  begin({ id, project, nowMs }: NewDeployment): Promise<boolean> {
    return this.#database.transact("BEGIN", async (session) => {
      // Taken by whoever begins one, so that their ordinals follow each other.
      if ((await session.query(lockProject, [project])).count === 0) return false;
      await session.query(failSilent, [silenceFailure, nowMs, project, nowMs - silenceMsMax]);
      await session.query(begin, [id, project, nowMs]);
      return true;
    });
  }

  /** False when the event may not happen to it, or it is not there. */
  async move(id: string, event: DeploymentEvent, nowMs: number, failure?: string) {
    const { from, to } = passageOf(event);
    const { count } = await this.#database.write(move, [id, from, to, nowMs, failure ?? null]);
    return count > 0;
  }

  async addFiles(id: string, uploads: readonly Upload[], nowMs: number): Promise<AddFilesOutcome> {
    const bytes = uploads.reduce((sum, { part }) => sum + (part?.data.byteLength ?? 0), 0);
    if (bytes > uploadBytesMax) throw new RangeError(`At most ${uploadBytesMax} bytes at once.`);
    return this.#database.transact("BEGIN", (session) => addFiles(session, id, uploads, nowMs));
  }

  async finish(id: string, finish: Finish): Promise<FinishOutcome> {
    const { outcome, revision } = await this.#database.transact("BEGIN", (session) =>
      finishOn(session, id, finish),
    );
    if (revision !== undefined) await this.#revisions.announce("site_revision", revision);
    return outcome;
  }

  discardFailed(slug: string): Promise<boolean> {
    return this.#database.transact("BEGIN", (session) => discardFiles(session, slug));
  }
}

/** From which states an event leads to which: there is one for each event. */
function passageOf(event: DeploymentEvent): { from: DeploymentState[]; to: DeploymentState } {
  const from = (Object.keys(transitions) as DeploymentState[]).filter(
    (state) => transitions[state][event] !== undefined,
  );
  const to = transitions[from[0] as DeploymentState][event] as DeploymentState;
  return { from, to };
}

async function lockDeployment(session: Session, id: string): Promise<Found | undefined> {
  return (await session.query<Found>(lockDeploymentById, [id])).rows[0];
}

async function addFiles(
  session: Session,
  id: string,
  uploads: readonly Upload[],
  nowMs: number,
): Promise<AddFilesOutcome> {
  const found = await lockDeployment(session, id);
  if (found?.[1] !== "building") return { kind: "not_building" };
  const hashes = await missingOf(session, uploads);
  if (hashes.length > 0) return { kind: "content_missing", hashes };
  await addContents(session, uploads);
  // A file that comes in several parts is added with the first of them.
  const { rows } = await session.query<[path: string]>(addSiteFiles, [
    id,
    uploads.map(({ path }) => path),
    uploads.map(({ hash }) => hash),
  ]);
  const added = new Set(rows.map(([path]) => path));
  const bytesOf = new Map(uploads.toReversed().map(({ path, bytes }) => [path, bytes]));
  const bytes = [...added].reduce((sum, path) => sum + (bytesOf.get(path) ?? 0), 0);
  await session.query(grow, [added.size, bytes, nowMs, id]);
  return { kind: "added" };
}

async function finishOn(
  session: Session,
  id: string,
  { fingerprint, unless, nowMs }: Finish,
): Promise<Finished> {
  const refused: Finished = { outcome: { kind: "refused" } };
  const [row] = (await session.query<[slug: string, current: string | null]>(lockProjectOf, [id]))
    .rows;
  const found = await lockDeployment(session, id);
  const { from, to } = passageOf("finish");
  if (row === undefined || found === undefined || !from.includes(found[1])) return refused;
  if ((await session.query(findIncomplete, [id])).count > 0) return refused;
  const [project, current] = row;
  const [newest] = (await session.query<Named>(findNewest, [project])).rows;
  const [shown] = (await session.query<Named>(findNamed, [current])).rows;
  const other = unless === "newest" ? newest : shown;
  if (other?.[2] === fingerprint) {
    await session.query("DELETE FROM site_files WHERE deployment = $1", [id]);
    await session.query("DELETE FROM deployments WHERE id = $1", [id]);
    return { outcome: { kind: "needless", same: other[0] } };
  }
  await session.query(finish, [id, to, nowMs, fingerprint]);
  if (newest !== undefined && newest[1] > found[0]) return { outcome: { kind: "overtaken" } };
  await session.query("UPDATE projects SET current = $1 WHERE slug = $2", [id, project]);
  const moved = await session.query<[bigint]>(moveRevision);
  return { outcome: { kind: "shown" }, revision: moved.rows[0]?.[0] as bigint };
}

export const lockProject = "SELECT 1 FROM projects WHERE slug = $1 FOR UPDATE";
const lockProjectOf = `SELECT slug, current FROM projects
  WHERE slug = (SELECT project FROM deployments WHERE id = $1) FOR UPDATE`;
const lockDeploymentById = "SELECT ordinal, state FROM deployments WHERE id = $1 FOR UPDATE";

export const failSilent = `UPDATE deployments SET state = 'failed', failure = $1, changed_at_ms = $2
  WHERE project = $3 AND state IN ('queued', 'building') AND changed_at_ms < $4`;

export const begin = `INSERT INTO deployments (project, ordinal, id, state, created_at_ms, changed_at_ms,
    files, bytes)
  SELECT $2, coalesce(max(ordinal), 0) + 1, $1, 'queued', $3::int8, $3::int8, 0, 0
  FROM deployments WHERE project = $2`;

const move = `UPDATE deployments SET state = $3, changed_at_ms = $4, failure = $5
  WHERE id = $1 AND state = ANY($2::text[])`;

const addSiteFiles = `INSERT INTO site_files (deployment, path, hash)
  SELECT $1, path, hash FROM unnest($2::text[], $3::text[]) AS new (path, hash)
  ON CONFLICT (deployment, path) DO NOTHING RETURNING path`;

const grow = `UPDATE deployments SET files = files + $1, bytes = bytes + $2, changed_at_ms = $3
  WHERE id = $4`;

const findIncomplete = `SELECT 1 FROM site_files JOIN contents USING (hash)
  WHERE deployment = $1 AND NOT complete LIMIT 1`;

const findNewest = `SELECT id, ordinal, fingerprint FROM deployments
  WHERE project = $1 AND state = 'ready' ORDER BY ordinal DESC LIMIT 1`;
const findNamed = "SELECT id, ordinal, fingerprint FROM deployments WHERE id = $1";

const finish = `UPDATE deployments
  SET state = $2, changed_at_ms = $3, failure = NULL, fingerprint = $4 WHERE id = $1`;

const moveRevision =
  "UPDATE counters SET value = value + 1 WHERE name = 'site_revision' RETURNING value";
