import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { cacheControlOf, mediaTypeOf } from "./mediaTypes.ts";
import type { PublishedFile } from "./published.ts";

/** A file with all that is to be said of it when it is served. */
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
