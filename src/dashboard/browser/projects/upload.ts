/** Uploads a folder: only the files that the service lacks, and all of them or none. */
import type { FinishedDeployment } from "../../../contract/generated/platform.ts";
import { call } from "../http.ts";
import type { FolderFile } from "./folder.ts";
import { sha256 } from "./sha256.ts";

export interface Progress {
  readonly step: "reading" | "uploading" | "finishing";
  readonly done: number;
  readonly all: number;
  readonly doneBytes: number;
  readonly allBytes: number;
}

export interface UploadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

interface HashedFile extends FolderFile {
  readonly hash: string;
}

/** Below the six connections of a browser to one host, since other requests need some. */
const uploadsAtOnce = 3;

export async function upload(
  slug: string,
  files: readonly FolderFile[],
  options: UploadOptions,
): Promise<FinishedDeployment> {
  const hashed = await hashFiles(files, options);
  const begun = await call("post", "/projects/{project}/deployments", {
    path: { project: slug },
    body: { files: hashed.map(({ path, file, hash }) => ({ path, bytes: file.size, hash })) },
  });
  const path = { project: slug, deployment: begun.id };
  try {
    await uploadMissing(path, hashed, new Set(begun.missing), options);
    // If nothing had to be uploaded, the signal has not been checked yet.
    options.signal.throwIfAborted();
    options.onProgress({ step: "finishing", done: 0, all: 1, doneBytes: 0, allBytes: 1 });
    return await call("post", "/projects/{project}/deployments/{deployment}/finish", { path });
  } catch (cause) {
    // Best effort: the service gives up abandoned uploads after a while anyway.
    await call("delete", "/projects/{project}/deployments/{deployment}", { path }).catch(() => {});
    throw cause;
  }
}

async function hashFiles(
  files: readonly FolderFile[],
  options: UploadOptions,
): Promise<HashedFile[]> {
  const allBytes = bytesIn(files);
  const hashed: HashedFile[] = [];
  let doneBytes = 0;
  for (const each of files) {
    options.signal.throwIfAborted();
    const bytes = new Uint8Array(await each.file.arrayBuffer());
    hashed.push({ ...each, hash: await sha256(bytes) });
    doneBytes += each.file.size;
    const done = hashed.length;
    options.onProgress({ step: "reading", done, all: files.length, doneBytes, allBytes });
  }
  return hashed;
}

async function uploadMissing(
  path: { readonly project: string; readonly deployment: string },
  hashed: readonly HashedFile[],
  missing: ReadonlySet<string>,
  { signal, onProgress }: UploadOptions,
): Promise<void> {
  const byHash = new Map(
    hashed.filter(({ hash }) => missing.has(hash)).map((each) => [each.hash, each]),
  );
  const waiting = [...byHash.values()];
  const [all, allBytes] = [waiting.length, bytesIn(waiting)];
  let [done, doneBytes] = [0, 0];
  const reportProgress = () => onProgress({ step: "uploading", done, all, doneBytes, allBytes });
  reportProgress();
  const sendNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { file, hash } = next;
      await call("put", "/projects/{project}/deployments/{deployment}/contents/{hash}", {
        path: { ...path, hash },
        body: file,
        signal,
      });
      done++;
      doneBytes += file.size;
      reportProgress();
    }
  };
  await Promise.all(Array.from({ length: uploadsAtOnce }, sendNext));
}

const bytesIn = (files: readonly FolderFile[]) =>
  files.reduce((sum, { file }) => sum + file.size, 0);
