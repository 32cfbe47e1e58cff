/** Sites of a few files, from memory. */
import type { SourceFile } from "../../src/hosting/sites/fileUploader.ts";
import type { SiteStore } from "../../src/hosting/sites/sites.ts";

export type Contents = Readonly<Record<string, string | Uint8Array>>;

export function sourcesOf(contents: Contents): SourceFile[] {
  return Object.entries(contents).map(([path, content]) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    return { path, bytes: bytes.byteLength, read: async () => bytes };
  });
}

/** A store that does some things otherwise. */
export function storeWith(store: SiteStore, changes: Partial<SiteStore>): SiteStore {
  return new Proxy(store, {
    get(_target, name) {
      const changed = Reflect.get(changes, name);
      return changed ?? (Reflect.get(store, name) as (...given: never[]) => unknown).bind(store);
    },
  });
}
