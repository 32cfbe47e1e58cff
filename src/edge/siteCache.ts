/** Recent contents in memory. A content never changes under its hash, so none is ever stale. */

import { type MaybePromise, then } from "../maybePromise.ts";
import type { Encoding } from "../sites/siteFile.ts";
import type { SiteContents } from "../sites/sites.ts";
import type { ServedContents } from "./siteAnswer.ts";

export const cacheBytesMax = 32 * 1024 * 1024;

/** What the store would answer, and contents from memory where they were asked for lately. */
export function cachedContents(store: SiteContents, bytesMax = cacheBytesMax): ServedContents {
  // The one that was asked for least lately comes first.
  const recent = new Map<string, Uint8Array>();
  let bytes = 0;

  function keep(key: string, content: Uint8Array): void {
    if (content.byteLength > bytesMax || recent.has(key)) return;
    recent.set(key, content);
    bytes += content.byteLength;
    for (const [oldest, { byteLength }] of recent) {
      if (bytes <= bytesMax) return;
      recent.delete(oldest);
      bytes -= byteLength;
    }
  }

  return {
    file: (deploymentId, path) => store.file(deploymentId, path),
    content(hash: string, encoding: Encoding): MaybePromise<Uint8Array | undefined> {
      const key = `${encoding} ${hash}`;
      const held = recent.get(key);
      if (held !== undefined) {
        recent.delete(key);
        recent.set(key, held);
        return held;
      }
      return then(store.content(hash, encoding), (content) => {
        if (content !== undefined) keep(key, content);
        return content;
      });
    },
  };
}
