/** What changes of projects and deployments are to those who follow events: pure rules. */
import { toJson } from "../../contract/json.ts";
import type { NewEvent } from "../../petstore/events/events.ts";
import type { Deployment } from "./deployment.ts";
import type { Project } from "./site.ts";

/** A project, with the JSON of its routing if it ever had one. */
export interface ProjectState extends Project {
  readonly routing: string | undefined;
}

export function projectEventsOf(before: ProjectState | undefined, after: ProjectState): NewEvent[] {
  const data = projectData(after);
  if (before !== undefined && projectData(before) === data) return [];
  const type = before === undefined ? "project.created" : "project.updated";
  return [{ type, resource: `projects/${after.slug}`, data }];
}

function projectData({ slug, ownerId, createdAtMs, current, routing = "{}" }: ProjectState) {
  const { primary, redirects = [] } = JSON.parse(routing);
  return JSON.stringify(toJson({ slug, ownerId, createdAtMs, current, primary, redirects }));
}

/** One that expires was published long enough: that is no failure. */
export function deploymentEvent(
  type: "deployment.published" | "deployment.failed",
  { changedAtMs: _, ...shown }: Deployment,
): NewEvent {
  return { type, resource: `deployments/${shown.id}`, data: JSON.stringify(toJson(shown)) };
}
