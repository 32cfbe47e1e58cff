import type { MaybePromise } from "../../core/maybePromise.ts";
import type { Deployment } from "./deployment.ts";
import type { AddProjectOutcome, Owner, Plan, Project } from "./site.ts";
import type { Encoding, SiteFile, StoredFile } from "./siteFile.ts";

export interface NewProject {
  readonly slug: string;
  readonly ownerId: string;
  readonly nowMs: number;
}

export interface NewDeployment {
  readonly id: string;
  readonly project: string;
  readonly nowMs: number;
}

/**
 * How large a part of a content is. All but the last of a content have this size, so that parts
 * from two uploads of one content fit together.
 */
export const partBytesMax = 2 * 1024 * 1024;
/** What one call brings at most: it is one message and one commit, and others wait behind it. */
export const uploadBytesMax = 2 * partBytesMax;

/** A file to add, and perhaps a part of its content. */
export interface Upload extends SiteFile {
  /** Undefined where the content is stored already. */
  readonly part: UploadPart | undefined;
}

export interface UploadPart {
  readonly encoding: Encoding;
  /** Which part of this form, from 0. */
  readonly index: number;
  /** Whether the content is complete with it: the smaller forms come before. */
  readonly last: boolean;
  readonly data: Uint8Array;
}

export type AddFilesOutcome =
  | { readonly kind: "added" }
  /** It is gone, or was ended by another. Nothing was added. */
  | { readonly kind: "not_building" }
  /** Of these, no content is stored. Nothing was added. */
  | { readonly kind: "content_missing"; readonly hashes: readonly string[] };

export interface Finish {
  readonly fingerprint: string;
  /** What makes the deployment needless when it has the same fingerprint. */
  readonly unless: "shown" | "newest";
  /** Unless false, it is shown in the same step. */
  readonly publish?: boolean | undefined;
  readonly nowMs: number;
}

/** An older deployment never replaces a newer one that was ready first. */
export type Shown = "shown" | "overtaken";

export type FinishOutcome =
  /** Overtaken: it is ready, but one that was begun later has been shown, and that one stays. */
  | { readonly kind: Shown }
  /** It is not to be shown yet. */
  | { readonly kind: "ready" }
  /** The named one has the same content. This one was removed again. */
  | { readonly kind: "needless"; readonly same: string }
  /** It is gone, not building, or a content is not complete. Nothing was changed. */
  | { readonly kind: "refused" };

/** What a server of sites needs to know. */
export interface SiteContents {
  project(slug: string): MaybePromise<Project | undefined>;
  file(deploymentId: string, path: string): MaybePromise<StoredFile | undefined>;
  /** A content in a form; undefined where it is not kept in that form. */
  content(hash: string, encoding: Encoding): MaybePromise<Uint8Array | undefined>;
  /** Differs after any change to owners, projects or what is shown, by any process. Cheap. */
  revision(): number;
}

/**
 * Owners, projects and what they published, on whatever engine, so that several servers share it.
 * A promise that resolves means: on disk. Everything may be called concurrently.
 */
export interface SiteStore extends SiteContents {
  /** False, with nothing done, when the id is taken. */
  addOwner(owner: Owner): Promise<boolean>;
  /** False when there is no such owner. */
  setPlan(ownerId: string, plan: Plan): Promise<boolean>;
  owner(id: string): MaybePromise<Owner | undefined>;
  ownerOf(slug: string): MaybePromise<Owner | undefined>;
  /** In the order of their ids. */
  listOwners(): MaybePromise<readonly Owner[]>;

  /** Refuses a project beyond `projectsPerOwnerMax`. */
  addProject(project: NewProject): Promise<AddProjectOutcome>;
  /** In the order of their slugs. */
  listProjects(): MaybePromise<readonly Project[]>;
  /** Shows nothing of it any more. Its deployments stay. */
  unpublish(slug: string): Promise<"unpublished" | "not_published" | "no_such_project">;
  /** Shows a deployment that is ready, unless one that was begun later has been shown. */
  publishDeployment(
    slug: string,
    deploymentId: string,
  ): Promise<Shown | "no_such_deployment" | "not_ready">;
  /** Shows an earlier deployment again. */
  rollBack(
    slug: string,
    deploymentId: string,
  ): Promise<"shown" | "no_such_deployment" | "not_ready">;

  /**
   * Begins a deployment as `queued`, and fails those of the project that fell silent. False when
   * there is no such project.
   */
  beginDeployment(deployment: NewDeployment): Promise<boolean>;
  /** From `queued` to `building`. False when it is not queued. */
  buildDeployment(id: string, nowMs: number): Promise<boolean>;
  /** Which of these contents are stored whole. */
  knownContents(hashes: readonly string[]): MaybePromise<ReadonlySet<string>>;
  /** Adds files to a deployment that is being built; at most `uploadBytesMax` of parts at once. */
  addFiles(id: string, uploads: readonly Upload[], nowMs: number): Promise<AddFilesOutcome>;
  /** Makes it `ready` and, in the same step, what the project shows, unless that is to come later. */
  finishDeployment(id: string, finish: Finish): Promise<FinishOutcome>;
  /** False, with nothing done, when it has ended already. */
  failDeployment(id: string, failure: string, nowMs: number): Promise<boolean>;
  /**
   * Deletes some of what the project no longer needs: files of failed deployments, ready deployments
   * beyond `readyDeploymentsMax` that are not shown, failed ones beyond `failedDeploymentsMax`, and
   * contents that nothing else refers to. False once there is nothing left to delete.
   */
  pruneDeployments(slug: string): Promise<boolean>;
  deployment(id: string): MaybePromise<Deployment | undefined>;
  /** Newest first. */
  listDeployments(slug: string, limit: number): MaybePromise<readonly Deployment[]>;
}

/** A deployment whose files are announced first and brought one by one, by several requests. */
export interface NewUpload extends NewDeployment {
  readonly files: readonly SiteFile[];
  /** How many may be under way. */
  readonly limits: { readonly all: number; readonly perOwner: number };
}

export interface AnnouncedUpload {
  readonly project: string;
  readonly files: readonly SiteFile[];
}

/** What was announced, in the store, so that whichever process answers the next request knows it. */
export interface UploadStore {
  /** Begins a deployment as `building`, and fails those of the project that fell silent. */
  beginUpload(upload: NewUpload): Promise<"begun" | "no_such_project" | "too_many">;
  /** Undefined for one that has ended, or was never announced. */
  upload(id: string): MaybePromise<AnnouncedUpload | undefined>;
  /**
   * Which of these contents are stored whole and belong to a deployment of the project, in whatever
   * state it is, by hash with their sizes.
   */
  contentsOf(project: string, hashes: readonly string[]): MaybePromise<ReadonlyMap<string, number>>;
  /** The paths of its files whose contents are stored whole. */
  arrivedPaths(id: string): MaybePromise<ReadonlySet<string>>;
}
