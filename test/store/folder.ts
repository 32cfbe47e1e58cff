import { afterEach, beforeEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import { startWriterThread, type WriterWorker } from "../../src/storage/sqlite/writer.ts";
import type { Stores, StoresOptions } from "../../src/storage/stores.ts";

export interface TemporaryFolder {
  path(name: string): string;
  /** The store in `petstore.db`, unless another is named. Closed after the test if still open. */
  open(options?: Partial<StoresOptions>, name?: string): Promise<Stores>;
}

/** A new folder for each test of the file. */
export function useTemporaryFolder(
  startThread: (path: string) => WriterWorker = startWriterThread,
): TemporaryFolder {
  let folder = "";
  let opened: Stores[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "petstore-store-"));
  });
  afterEach(async () => {
    await Promise.all(opened.map((stores) => stores.close()));
    opened = [];
    rmSync(folder, { recursive: true });
  });
  return {
    path: (name) => join(folder, name),
    async open(options, name = "petstore.db") {
      const all = { environment: "production", clock: systemClock, ...options } as const;
      const stores = await openSqlite(join(folder, name), all, startThread);
      let closing: Promise<void> | undefined;
      const closable = {
        ...stores,
        close() {
          closing ??= stores.close();
          return closing;
        },
      };
      opened.push(closable);
      return closable;
    },
  };
}
