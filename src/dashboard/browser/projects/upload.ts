/** Takes a folder to the service: only what is not there yet, and all of it or nothing. */
import { ask, pathOf, post } from "../http.ts";
import type { FolderFile } from "./folder.ts";
import { sha256 } from "./sha256.ts";

export interface Progress {
  readonly step: "reading" | "uploading" | "finishing";
  readonly done: number;
  readonly all: number;
  readonly doneBytes: number;
  readonly allBytes: number;
}

export type Outcome =
  | { readonly kind: "shown" | "overtaken"; readonly id: string }
  /** The same content is shown already. */
  | { readonly kind: "needless"; readonly same: string };

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
): Promise<Outcome> {
  const named = await namesOf(files, terms);
  const place = `${pathOf("projects", slug)}/deployments`;
  const begun = await post<{ id: string; missing: readonly string[] }>(place, {
    files: named.map(({ path, file, hash }) => ({ path, bytes: file.size, hash })),
  });
  const own = `${place}${pathOf(begun.id)}`;
  try {
    await sendAll(own, named, new Set(begun.missing), terms);
    // Where nothing was to be sent, nothing has asked yet.
    terms.signal.throwIfAborted();
    terms.onProgress({ step: "finishing", done: 0, all: 1, doneBytes: 0, allBytes: 1 });
    return await post<Outcome>(`${own}/finish`);
  } catch (cause) {
    // Best effort: what is silent for long is taken as given up anyway.
    await ask("DELETE", own).catch(() => {});
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
  own: string,
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
      await ask("PUT", `${own}/contents/${hash}`, { bytes: file, signal });
      done++;
      doneBytes += file.size;
      tellProgress();
    }
  };
  await Promise.all(Array.from({ length: uploadsAtOnce }, sendNext));
}

const bytesIn = (files: readonly FolderFile[]) =>
  files.reduce((sum, { file }) => sum + file.size, 0);
