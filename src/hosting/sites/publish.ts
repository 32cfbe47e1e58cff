/** Brings a site into the store, file by file, and shows it once all of it is there. */
import type { Clock } from "../../core/clock.ts";
import { fingerprintOf, hashOf, newDeploymentId } from "./deployment.ts";
import { endedByAnother, FileUploader, PublishError, type SourceFile } from "./fileUploader.ts";
import type { Owner } from "./site.ts";
import { fileSizeError, type SiteFile, siteError, sizeError } from "./siteFile.ts";
import { readRules, rulesError } from "./siteRules.ts";
import type { Finish, FinishOutcome, Shown, SiteStore } from "./sites.ts";

export interface PublishOptions {
  readonly store: SiteStore;
  readonly clock: Clock;
  readonly unless: Finish["unless"];
  readonly publish?: Finish["publish"];
  /** Ends it between two files, with the signal's reason. What is shown stays shown. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  readonly files: number;
  readonly bytes: number;
}

export type PublishOutcome =
  | { readonly kind: "no_such_project" }
  /** The named deployment has the same content, so none was made. */
  | { readonly kind: "needless"; readonly same: string }
  | {
      /** Ready: it is stored, and not to be shown yet. */
      readonly kind: Shown | "ready";
      readonly id: string;
      readonly files: number;
      readonly bytes: number;
    };

/** Nothing of a deployment is seen before all of it is stored, and then all of it at once. */
export async function publish(
  slug: string,
  sources: readonly SourceFile[],
  terms: PublishOptions,
): Promise<PublishOutcome> {
  const error = siteError(sources);
  if (error !== undefined) throw new PublishError(error);
  const { store, clock, signal } = terms;
  signal?.throwIfAborted();
  const id = newDeploymentId(clock);
  if (!(await store.beginDeployment({ id, project: slug, nowMs: clock.now() }))) {
    return { kind: "no_such_project" };
  }
  try {
    await prune(slug, terms);
    return await build(id, sources, terms);
  } catch (cause) {
    // The first cause is the one to tell, whatever else goes wrong now.
    const failure = failureText(cause, signal);
    await store.failDeployment(id, failure, clock.now()).catch(() => {});
    throw cause;
  }
}

async function build(
  id: string,
  sources: readonly SourceFile[],
  { store, clock, unless, publish, signal, onProgress }: PublishOptions,
): Promise<PublishOutcome> {
  if (!(await store.buildDeployment(id, clock.now()))) throw endedByAnother();
  const uploader = new FileUploader(id, store, clock);
  const files: SiteFile[] = [];
  let bytes = 0;
  for (const source of sources) {
    signal?.throwIfAborted();
    const content = await source.read();
    const file = { path: source.path, hash: hashOf(content), bytes: content.byteLength };
    const large = fileSizeError(file.bytes);
    if (large !== undefined) throw new PublishError(`${file.path} ${large}.`);
    await uploader.take(file, content, source);
    files.push(file);
    bytes += file.bytes;
    onProgress?.({ files: files.length, bytes });
  }
  await uploader.send();
  signal?.throwIfAborted();
  // Files may have grown since they were counted.
  const error = sizeError(files.length, bytes);
  if (error !== undefined) throw new PublishError(`The site ${error}.`);
  const finish = { fingerprint: fingerprintOf(files), unless, publish, nowMs: clock.now() };
  const outcome = await finishDeployment(id, finish, store);
  if (outcome.kind === "refused") throw endedByAnother();
  if (outcome.kind === "needless") return outcome;
  return { kind: outcome.kind, id, files: files.length, bytes };
}

/** The end of every deployment, whichever way its files came. Rejects one whose rules are invalid. */
export async function finishDeployment(
  id: string,
  finish: Finish,
  store: SiteStore,
): Promise<FinishOutcome> {
  const error = rulesError(await readRules(store, id));
  if (error !== undefined) throw new PublishError(error);
  return store.finishDeployment(id, finish);
}

/** A little at a time, so that no other write waits long. */
async function prune(slug: string, { store, signal }: PublishOptions): Promise<void> {
  // If this fails, the next deployment continues it.
  const more = () => store.pruneDeployments(slug).catch(() => false);
  while (signal?.aborted !== true && (await more()));
}

function failureText(cause: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted === true && cause === signal.reason) return "It was stopped on the way.";
  if (cause instanceof PublishError) return cause.message;
  return `It broke off: ${cause instanceof Error ? cause.message : String(cause)}`;
}

const owner: Owner = { id: "petstore", name: "Pet Store", plan: "paid" };
const ownDocsSlug = "docs";
/** As many as may have failed since one was ready. */
const deploymentsLookedAt = 100;

type OwnDocsOutcome =
  | { readonly kind: "deployed"; readonly id: string }
  | { readonly kind: "unchanged" }
  /** Somebody else's project has the name, and is left alone. */
  | { readonly kind: "slug_taken" };

/**
 * Deploys it unless the newest deployment has the same content. Not the one that is shown: an
 * operator who rolled back, or took the site down, meant it. Processes that start together make one.
 */
export async function deployOwnDocs(
  files: ReadonlyMap<string, Uint8Array>,
  terms: Omit<PublishOptions, "unless">,
): Promise<OwnDocsOutcome> {
  const { store, clock } = terms;
  await store.addOwner(owner);
  await store.addProject({ slug: ownDocsSlug, ownerId: owner.id, nowMs: clock.now() });
  const project = await store.project(ownDocsSlug);
  if (project?.ownerId !== owner.id) return { kind: "slug_taken" };
  const named = [...files].map(([path, content]) => ({ path, hash: hashOf(content) }));
  const deployments = await store.listDeployments(ownDocsSlug, deploymentsLookedAt);
  const newest = deployments.find(({ state }) => state === "ready");
  if (newest?.fingerprint === fingerprintOf(named)) return { kind: "unchanged" };
  const sources = [...files].map(
    ([path, content]): SourceFile => ({
      path,
      bytes: content.byteLength,
      read: async () => content,
    }),
  );
  const outcome = await publish(ownDocsSlug, sources, { ...terms, unless: "newest" });
  return "id" in outcome ? { kind: "deployed", id: outcome.id } : { kind: "unchanged" };
}
