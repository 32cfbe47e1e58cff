/** How the host names of a project lead to each other. */
import type { RoutingChange } from "../../hosting/domains/domains.ts";
import type { NewEvent } from "../../petstore/events/events.ts";
import { projectEvents, readProject } from "./recording.ts";
import type { Transaction } from "./storage.ts";

export async function isRoutingAt(
  tx: Transaction,
  { project, version }: RoutingChange,
): Promise<boolean> {
  const text = "SELECT version FROM project_routing WHERE project = ?1 FOR UPDATE";
  return ((await tx.get<{ version: number }>(text, [project]))?.version ?? 0) === version;
}

/**
 * The first version is inserted: of two concurrent writes, the second fails and is run again.
 * Returns what that is to those who follow events.
 */
export async function writeRouting(
  tx: Transaction,
  change: RoutingChange | undefined,
): Promise<NewEvent[]> {
  if (change === undefined) return [];
  const { project, routing, version } = change;
  const before = await readProject(tx, project);
  const text =
    version === 0
      ? "INSERT INTO project_routing (project, version, routing) VALUES (?1, ?2, ?3)"
      : "UPDATE project_routing SET version = ?2, routing = ?3 WHERE project = ?1";
  await tx.run(text, [project, version + 1, JSON.stringify(routing)]);
  return projectEvents(tx, project, before);
}
