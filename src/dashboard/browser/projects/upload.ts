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

export interface Terms {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

interface Named extends FolderFile {
  readonly hash: string;
}

/** As many at once as a browser opens connections, less the ones that others need. */
const uploadsAtOnce = 3;

export async function upload(
  slug: string,
  files: readonly FolderFile[],
  terms: Terms,
): Promise<FinishedDeployment> {
  const named = await namesOf(files, terms);
  const begun = await call("post", "/projects/{project}/deployments", {
    path: { project: slug },
    body: { files: named.map(({ path, file, hash }) => ({ path, bytes: file.size, hash })) },
  });
  const path = { project: slug, deployment: begun.id };
  try {
    await sendAll(path, named, new Set(begun.missing), terms);
    // Where nothing was to be sent, nothing has asked yet.
    terms.signal.throwIfAborted();
    terms.onProgress({ step: "finishing", done: 0, all: 1, doneBytes: 0, allBytes: 1 });
    return await call("post", "/projects/{project}/deployments/{deployment}/finish", { path });
  } catch (cause) {
    // Best effort: what is silent for long is taken as given up anyway.
    await call("delete", "/projects/{project}/deployments/{deployment}", { path }).catch(() => {});
    throw cause;
  }
}

async function namesOf(files: readonly FolderFile[], terms: Terms): Promise<Named[]> {
  const allBytes = bytesIn(files);
  const named: Named[] = [];
  let doneBytes = 0;
  for (const each of files) {
    terms.signal.throwIfAborted();
    const bytes = new Uint8Array(await each.file.arrayBuffer());
    named.push({ ...each, hash: await sha256(bytes) });
    doneBytes += each.file.size;
    const done = named.length;
    terms.onProgress({ step: "reading", done, all: files.length, doneBytes, allBytes });
  }
  return named;
}

async function sendAll(
  path: { readonly project: string; readonly deployment: string },
  named: readonly Named[],
  missing: ReadonlySet<string>,
  { signal, onProgress }: Terms,
): Promise<void> {
  const byHash = new Map(
    named.filter(({ hash }) => missing.has(hash)).map((each) => [each.hash, each]),
  );
  const waiting = [...byHash.values()];
  const [all, allBytes] = [waiting.length, bytesIn(waiting)];
  let [done, doneBytes] = [0, 0];
  const tellProgress = () => onProgress({ step: "uploading", done, all, doneBytes, allBytes });
  tellProgress();
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
      tellProgress();
    }
  };
  await Promise.all(Array.from({ length: uploadsAtOnce }, sendNext));
}

const bytesIn = (files: readonly FolderFile[]) =>
  files.reduce((sum, { file }) => sum + file.size, 0);
