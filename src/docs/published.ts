/** The site in memory, ready to be served. It is built in a thread, so that requests do not wait. */
import { hash } from "node:crypto";
import { once } from "node:events";
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

/** Rejects when the signal aborts. */
export async function publishDocs(
  input: ThreadInput,
  signal?: AbortSignal,
): Promise<PublishedDocs> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL("./publishThread.ts", import.meta.url), { workerData: input });
  const exited = once(worker, "exit").then(() => {
    throw new Error("The docs were not built.");
  });
  try {
    const [output] = await Promise.race([once(worker, "message", { signal }), exited]);
    const { files, contentSecurityPolicy }: ThreadOutput = output;
    return { files: new Map(files), contentSecurityPolicy };
  } finally {
    void worker.terminate();
  }
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
