/** The writes to owners, projects and what is shown. Each is one statement, which commits itself. */
import type { DeploymentState } from "../sites/deployment.ts";
import type { Owner, Plan } from "../sites/site.ts";
import type { NewProject } from "../sites/sites.ts";
import type { Database } from "./database.ts";
import type { Revisions } from "./revisions.ts";

export class SiteWrites {
  readonly #database: Database;
  readonly #revisions: Revisions;

  constructor(database: Database, revisions: Revisions) {
    this.#database = database;
    this.#revisions = revisions;
  }

  addOwner({ id, name, plan }: Owner): Promise<boolean> {
    return this.#change(addOwner, [id, name, plan]);
  }

  setPlan(ownerId: string, plan: Plan): Promise<boolean> {
    return this.#change(setPlan, [ownerId, plan]);
  }

  async addProject({
    slug,
    ownerId,
    nowMs,
  }: NewProject): Promise<"added" | "slug_taken" | "no_such_owner"> {
    if (await this.#change(addProject, [slug, ownerId, nowMs])) return "added";
    return (await this.#isProject(slug)) ? "slug_taken" : "no_such_owner";
  }

  async unpublish(slug: string): Promise<"unpublished" | "not_published" | "no_such_project"> {
    if (await this.#change(unpublish, [slug])) return "unpublished";
    return (await this.#isProject(slug)) ? "not_published" : "no_such_project";
  }

  async rollBack(
    slug: string,
    deploymentId: string,
  ): Promise<"shown" | "no_such_deployment" | "not_ready"> {
    if (await this.#change(rollBack, [slug, deploymentId])) return "shown";
    const [row] = await this.#database.read<[DeploymentState]>(findState, [deploymentId, slug]);
    return row === undefined ? "no_such_deployment" : "not_ready";
  }

  /** True if it changed something, and then only when every process knows that. */
  async #change(statement: string, values: readonly unknown[]): Promise<boolean> {
    const { rows } = await this.#database.write<[revision: bigint]>(statement, values);
    const [row] = rows;
    if (row === undefined) return false;
    await this.#revisions.announce("site_revision", row[0]);
    return true;
  }

  async #isProject(slug: string): Promise<boolean> {
    return (await this.#database.read("SELECT 1 FROM projects WHERE slug = $1", [slug])).length > 0;
  }
}

/** A statement that changes something, and then the revision; its answer is that, if it did. */
const moving = (change: string) => `WITH changed AS (${change})
  UPDATE counters SET value = value + 1
  WHERE name = 'site_revision' AND EXISTS (SELECT 1 FROM changed) RETURNING value`;

const addOwner = moving(`INSERT INTO owners (id, name, plan) VALUES ($1, $2, $3)
  ON CONFLICT (id) DO NOTHING RETURNING id`);

const setPlan = moving("UPDATE owners SET plan = $2 WHERE id = $1 RETURNING id");

const addProject = moving(`INSERT INTO projects (slug, owner_id, created_at_ms)
  SELECT $1, id, $3::int8 FROM owners WHERE id = $2
  ON CONFLICT (slug) DO NOTHING RETURNING slug`);

const unpublish = moving(
  "UPDATE projects SET current = NULL WHERE slug = $1 AND current IS NOT NULL RETURNING slug",
);

// One that is ready stays so and is never removed: nothing can come in between.
const rollBack = moving(`UPDATE projects SET current = $2 WHERE slug = $1 AND EXISTS (
    SELECT 1 FROM deployments WHERE id = $2 AND project = $1 AND state = 'ready')
  RETURNING slug`);

const findState = "SELECT state FROM deployments WHERE id = $1 AND project = $2";
