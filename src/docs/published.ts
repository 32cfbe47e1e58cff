/** The site in memory, ready to be served. It is built in a thread, so that requests do not wait. */
import { hash } from "node:crypto";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { mediaTypeOf } from "../hosting/sites/siteFile.ts";
import { hashedForm } from "./assets.ts";
import type { ThreadInput, ThreadOutput } from "./publishThread.ts";

export interface PublishedFile {
  readonly mediaType: string;
  readonly cacheControl: string;
  readonly etag: string;
  readonly bytes: Uint8Array;
  /** Undefined if compression saves too little. */
  readonly gzip: Uint8Array | undefined;
}

export interface PublishedDocs {
  /** By their paths below the base path: `guide/keys/index.html`. */
  readonly files: ReadonlyMap<string, PublishedFile>;
  readonly contentSecurityPolicy: string;
}

/** Rejects with the signal's reason when that aborts. */
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

/** A file with the headers that it is served with. */
export function publishedFile(path: string, bytes: Uint8Array): PublishedFile {
  const gzip = gzipSync(bytes, { level: 9 });
  return {
    mediaType: mediaTypeOf(path),
    cacheControl: cacheControlOf(path),
    etag: `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`,
    bytes,
    gzip: gzip.byteLength < bytes.byteLength * 0.9 ? gzip : undefined,
  };
}

export function cacheControlOf(path: string): string {
  return hashedForm.test(path) ? "public, max-age=31536000, immutable" : "no-cache";
}

/** The forms that try operations call the API, so its origin is allowed if it is another one. */
export function contentSecurityPolicy(baseUrl: string): string {
  const origin = baseUrl.startsWith("/") ? "" : ` ${new URL(baseUrl).origin}`;
  return `default-src 'self'; connect-src 'self'${origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'`;
}
