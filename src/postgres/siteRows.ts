/** Owners, projects and deployments as rows. */
import type { Deployment, DeploymentState } from "../sites/deployment.ts";
import type { Owner, Plan, Project } from "../sites/site.ts";

export type OwnerRow = [id: string, name: string, plan: Plan];

export function ownerFrom([id, name, plan]: OwnerRow): Owner {
  return { id, name, plan };
}

export const projectColumns = "slug, owner_id, created_at_ms, current";
export type ProjectRow = [
  slug: string,
  ownerId: string,
  createdAtMs: bigint,
  current: string | null,
];

export function projectFrom([slug, ownerId, createdAtMs, current]: ProjectRow): Project {
  return { slug, ownerId, createdAtMs: Number(createdAtMs), current: current ?? undefined };
}

export const deploymentColumns = `id, project, state, created_at_ms, changed_at_ms, files, bytes,
  fingerprint, failure`;
export type DeploymentRow = [
  id: string,
  project: string,
  state: DeploymentState,
  createdAtMs: bigint,
  changedAtMs: bigint,
  files: bigint,
  bytes: bigint,
  fingerprint: string | null,
  failure: string | null,
];

export function deploymentFrom(row: DeploymentRow): Deployment {
  const [id, project, state, createdAtMs, changedAtMs, files, bytes, fingerprint, failure] = row;
  return {
    id,
    project,
    state,
    createdAtMs: Number(createdAtMs),
    changedAtMs: Number(changedAtMs),
    files: Number(files),
    bytes: Number(bytes),
    fingerprint: fingerprint ?? undefined,
    failure: failure ?? undefined,
  };
}
