import type { MaybePromise } from "../maybePromise.ts";
import type { SiteFile } from "./siteFile.ts";
import type { NewDeployment } from "./sites.ts";

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
  /** The paths of its files whose contents are stored whole. */
  arrivedPaths(id: string): MaybePromise<ReadonlySet<string>>;
}
