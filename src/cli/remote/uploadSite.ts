/** Sends a folder to a service: only the contents that it lacks, several at once. */
import { Problem } from "../../core/problems.ts";
import { fingerprintOf, hashOf } from "../../hosting/sites/deployment.ts";
import type { SourceFile } from "../../hosting/sites/fileUploader.ts";
import type { PublishOutcome } from "../../hosting/sites/publish.ts";
import type { SiteFile } from "../../hosting/sites/siteFile.ts";
import { CommandFailure } from "../errors.ts";
import type { HostedSites, UploadOptions } from "../hosting.ts";
import { bytesText, counted } from "../table.ts";
import type { PlatformClient } from "./platformClient.ts";

interface SiteUpload extends UploadOptions {
  readonly client: PlatformClient;
  readonly sites: Pick<HostedSites, "project" | "listDeployments">;
  readonly slug: string;
  readonly files: readonly SourceFile[];
}

interface HashedFile extends SiteFile {
  readonly source: SourceFile;
}

/** Each is in memory as a whole. The service receives two of an owner at a time, and has the next ones wait. */
const uploadsAtOnce = 4;

/** An upload that breaks off leaves what has arrived, and the next one of the project needs to send only the rest. */
export async function uploadSite(upload: SiteUpload): Promise<PublishOutcome> {
  const { client, slug, signal } = upload;
  const hashed = await hashFiles(upload);
  const begun = await client.call("post", "/projects/{project}/deployments", {
    path: { project: slug },
    body: { files: hashed.map(({ path, bytes, hash }) => ({ path, bytes, hash })) },
    signal,
    // One that was begun and of which we know nothing falls silent, and is failed.
    repeatable: true,
  });
  const path = { project: slug, deployment: begun.id };
  try {
    await sendMissing(upload, path, hashed, new Set(begun.missing));
    return await finish(upload, path, hashed);
  } catch (cause) {
    // Best effort: the service fails what falls silent anyway. The contents that arrived stay.
    await client
      .call("delete", "/projects/{project}/deployments/{deployment}", { path, triesMax: 1 })
      .catch(() => {});
    throw explained(cause);
  }
}

async function hashFiles({ files, signal, progress }: SiteUpload): Promise<HashedFile[]> {
  const bar = progress("Reading");
  const hashed: HashedFile[] = [];
  try {
    for (const source of files) {
      signal.throwIfAborted();
      const { path, bytes } = source;
      hashed.push({ path, bytes, hash: hashOf(await source.read()), source });
      bar.update(hashed.length, hashed.length / files.length);
    }
    return hashed;
  } finally {
    bar.clear();
  }
}

async function sendMissing(
  { client, signal, progress, say }: SiteUpload,
  path: { readonly project: string; readonly deployment: string },
  hashed: readonly HashedFile[],
  missing: ReadonlySet<string>,
): Promise<void> {
  // A content once, however many files have it.
  const contents = new Map(
    hashed.flatMap((file) => (missing.has(file.hash) ? [[file.hash, file]] : [])),
  );
  const all = bytesIn(contents.values());
  const files = counted(hashed.length, "file");
  say(
    contents.size === 0
      ? `Nothing to upload: the service already has the ${files}.`
      : `Uploading ${contents.size} of ${files} (${bytesText(all)}).`,
  );
  const bar = progress("Uploading");
  const failed = new AbortController();
  const waiting = contents.values();
  let [count, sent] = [0, 0];
  const sendSome = async () => {
    for (const { hash, bytes, source } of waiting) {
      await client.call("put", "/projects/{project}/deployments/{deployment}/contents/{hash}", {
        path: { ...path, hash },
        body: new Blob([(await source.read()) as Uint8Array<ArrayBuffer>]),
        signal: AbortSignal.any([signal, failed.signal]),
      });
      count++;
      sent += bytes;
      bar.update(count, all > 0 ? sent / all : undefined);
    }
  };
  try {
    const senders = Array.from({ length: uploadsAtOnce }, sendSome);
    await Promise.all(senders.map((each) => each.catch((cause) => abortAll(failed, cause))));
    signal.throwIfAborted();
  } finally {
    bar.clear();
  }
}

/** The first cause is the one to tell. */
function abortAll(failed: AbortController, cause: unknown): never {
  failed.abort(cause);
  throw failed.signal.reason;
}

async function finish(
  { client, sites, slug, signal }: SiteUpload,
  path: { readonly project: string; readonly deployment: string },
  hashed: readonly HashedFile[],
): Promise<PublishOutcome> {
  const { deployment: id } = path;
  const outcome = await client
    .call("post", "/projects/{project}/deployments/{deployment}/finish", {
      path,
      query: { publish: false },
      signal,
      repeatable: true,
    })
    .catch(async (cause: unknown) => {
      if (!(cause instanceof Problem) || cause.code !== "deployment_ended") throw cause;
      // It may have been finished by an attempt whose response was lost.
      const ended = await finishedBefore(sites, slug, id, fingerprintOf(hashed));
      if (ended === undefined) throw cause;
      return ended;
    });
  if (outcome.kind === "needless") return { kind: "needless", same: outcome.same ?? id };
  return { kind: "ready", id, files: hashed.length, bytes: bytesIn(hashed) };
}

/** Far more than a project keeps. */
const deploymentsMax = 1_000;

async function finishedBefore(
  sites: SiteUpload["sites"],
  slug: string,
  id: string,
  fingerprint: string,
) {
  const deployments = await sites.listDeployments(slug, deploymentsMax);
  const own = deployments.find((each) => each.id === id);
  if (own?.state === "ready") return { kind: "ready" } as const;
  const current = (await sites.project(slug))?.current;
  const shown = deployments.find((each) => each.id === current);
  return own === undefined && shown?.fingerprint === fingerprint
    ? ({ kind: "needless", same: shown.id } as const)
    : undefined;
}

function explained(cause: unknown): unknown {
  if (cause instanceof CommandFailure && cause.details.code === "unreachable") {
    return new CommandFailure(
      `${cause.message} Deploying again sends only what has not arrived.`,
      cause.details,
    );
  }
  return cause;
}

function bytesIn(files: Iterable<{ readonly bytes: number }>): number {
  return [...files].reduce((sum, { bytes }) => sum + bytes, 0);
}
