/** One upload of a whole site, and what may become of it. */
import { createHash } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import type { SiteFile } from "./siteFile.ts";

export type DeploymentState = "queued" | "building" | "ready" | "failed";
export type DeploymentEvent = "build" | "finish" | "fail" | "expire";

/** State × event → state; what is not there is refused. A ready one serves the same files until it expires. */
export const transitions: Readonly<
  Record<DeploymentState, Readonly<Partial<Record<DeploymentEvent, DeploymentState>>>>
> = {
  queued: { build: "building", fail: "failed" },
  building: { finish: "ready", fail: "failed" },
  ready: { expire: "failed" },
  failed: {},
};

export interface Deployment {
  readonly id: string;
  readonly project: string;
  readonly state: DeploymentState;
  readonly createdAtMs: number;
  /** When something was last heard of it: a file, or its end. */
  readonly changedAtMs: number;
  /** How many have arrived; all of them once it is ready. */
  readonly files: number;
  readonly bytes: number;
  /** Names the whole content: the same files under the same paths have the same one. */
  readonly fingerprint: string | undefined;
  /** Why it failed, in whole sentences, for its owner. */
  readonly failure: string | undefined;
}

/** Far longer than the largest file takes: an upload that is silent for so long has stopped. */
export const staleAfterMs = 10 * 60_000;
export const staleFailure = "The upload was interrupted before it was complete. Deploy it again.";

/** An upload that was cut off says nothing more, so its end is concluded from its silence. */
function isStale({ state, changedAtMs }: Deployment, nowMs: number): boolean {
  const open = state === "queued" || state === "building";
  return open && nowMs - changedAtMs > staleAfterMs;
}

export type ShownDeployment = Omit<Deployment, "project" | "changedAtMs">;

/** As it is to be shown now: one that was cut off has failed, also before anybody wrote it down. */
export function shownAt(nowMs: number) {
  return (deployment: Deployment): ShownDeployment => {
    const { project: _, changedAtMs: __, ...shown } = deployment;
    return isStale(deployment, nowMs)
      ? { ...shown, state: "failed", failure: staleFailure }
      : shown;
  };
}

/** The newest that a project can be rolled back to. The one that is shown is kept, however old it is. */
export const readyDeploymentsMax = 100;
/** Kept only for their failure messages. */
export const failedDeploymentsMax = 20;
export const expiredFailure = `It was replaced by ${readyDeploymentsMax} newer deployments and is being deleted.`;

const idBytes = 10;

export function newDeploymentId(clock: Clock): string {
  return `dep_${Buffer.from(clock.random(idBytes)).toString("hex")}`;
}

const labelForm = /^dep-([0-9a-f]{20})$/;

/** The label of its own address. An underscore is none of a host name. */
export function deploymentLabel(id: string): string {
  return id.replace("_", "-");
}

/** The deployment whose label it is; undefined for any other label. */
export function deploymentAt(label: string): string | undefined {
  const [, digits] = labelForm.exec(label) ?? [];
  return digits && `dep_${digits}`;
}

/** The same for the same files under the same paths, in whatever order they come. */
export function fingerprintOf(files: readonly Pick<SiteFile, "path" | "hash">[]): string {
  const lines = files.map(({ path, hash }) => `${hash} ${path}\n`).sort();
  return createHash("sha256").update(lines.join("")).digest("hex");
}

export function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
