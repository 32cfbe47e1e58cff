/** The site in memory, ready to be served; built in a thread so that nobody waits for it. */
import { Worker } from "node:worker_threads";
import type { ThreadInput, ThreadOutput } from "./publishThread.ts";

export interface PublishedFile {
  readonly mediaType: string;
  readonly cacheControl: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
  /** Undefined where compressing does not pay. */
  readonly gzip: Uint8Array | undefined;
}

export interface PublishedDocs {
  /** By their paths below the base path: `guide/keys/index.html`. */
  readonly files: ReadonlyMap<string, PublishedFile>;
  readonly contentSecurityPolicy: string;
}

/** Ends with the signal's reason as soon as that aborts. */
export function publishDocs(input: ThreadInput, signal?: AbortSignal): Promise<PublishedDocs> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./publishThread.ts", import.meta.url), {
      workerData: input,
    });
    worker.once("message", ({ files, contentSecurityPolicy }: ThreadOutput) => {
      resolve({ files: new Map(files), contentSecurityPolicy });
      void worker.terminate();
    });
    const stop = () => {
      reject(signal?.reason);
      void worker.terminate();
    };
    signal?.addEventListener("abort", stop, { once: true });
    worker.once("error", reject);
    worker.once("exit", () => {
      signal?.removeEventListener("abort", stop);
      reject(new Error("The docs were not built."));
    });
  });
}
