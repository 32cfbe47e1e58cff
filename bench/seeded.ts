/** Databases full of pets, made once and kept beside the repository, copied for every use. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { makeOwnFolder } from "./ownFolder.ts";
import { say } from "./say.ts";

export const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

const cache = join(process.env["XDG_CACHE_HOME"] ?? tmpdir(), "petstore-bench");

/** What decides how our seeded database looks. */
const ourMakers = [
  "../src/storage/sqlite/migrations.ts",
  "../src/storage/repositories/tables.ts",
  "../src/cli/petsSeed.ts",
];

export interface CacheEntry {
  /** Up to its ending, such as `petstore-1000`. */
  readonly name: string;
  /** The sources that decide what is in it, beside ours: another text makes it anew. */
  readonly makers?: readonly string[];
  /** Makes it at this path. */
  make(draft: string): Promise<void>;
}

/** The path of a file or folder that is made once and then kept, until what makes it changes. */
export async function cached({ name, makers = [], make }: CacheEntry): Promise<string> {
  makeOwnFolder(cache);
  const kept = `${name}.${fingerprint([...ourMakers, ...makers])}`;
  const path = join(cache, kept);
  if (existsSync(path)) return path;
  for (const old of readdirSync(cache).filter((each) => each.startsWith(`${name}.`))) {
    rmSync(join(cache, old), { recursive: true });
  }
  // Under another name first, so that a run that breaks off leaves no half of one.
  const draft = join(cache, `draft-${process.pid}-${kept}`);
  try {
    await make(draft);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return path;
}

function fingerprint(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(new URL(file, import.meta.url)));
  return hash.digest("hex").slice(0, 12);
}

/** Our database with pets 1 to `pets`, and no key. */
export function seededDatabase(pets: number): Promise<string> {
  return cached({
    name: `petstore-${pets}`,
    async make(draft) {
      say(`seeding ${pets.toLocaleString("en")} pets, once`);
      const folder = `${draft}.folder`;
      try {
        await petstore(folder, ["pets", "seed", "--count", String(pets)]);
        renameSync(databaseIn(folder), draft);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  });
}

export const databaseIn = (dataFolder: string) => join(dataFolder, "production", "petstore.db");

/** Shares the blocks where the file system can. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
}

/** A data folder of ours with this many pets. */
export async function newDataFolder(folder: string, pets: number): Promise<void> {
  mkdirSync(join(folder, "production"), { recursive: true, mode: 0o700 });
  await copyDatabase(await seededDatabase(pets), databaseIn(folder));
}

/** Gives a data folder of ours as many events, in place of those of its pets. */
export function replaceEvents(folder: string, count: number): void {
  const db = new DatabaseSync(databaseIn(folder));
  const data = `{"id":1,"name":"Bench 1","categoryId":7,"status":"available"}`;
  db.exec(`BEGIN;
    UPDATE counters SET value = (SELECT value FROM counters WHERE name = 'last_event_id')
      WHERE name = 'removed_event_id';
    DELETE FROM events;
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ${count})
    INSERT INTO events (id, type, resource, at_ms, data)
      SELECT value + n, 'pet.created', 'pets/' || n, ${Date.now()}, '${data}'
      FROM numbers, counters WHERE name = 'last_event_id' AND n <= ${count};
    UPDATE counters SET value = value + ${count} WHERE name = 'last_event_id';
    COMMIT; VACUUM`);
  db.close();
}

/** Runs our command line on a data folder and gives back what it printed. */
export async function petstore(
  dataFolder: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PETSTORE_DATA: dataFolder, ...variables };
  const ran = await promisify(execFile)(process.execPath, [main, ...args], { env });
  return ran.stdout;
}

export async function newKey(dataFolder: string): Promise<string> {
  const said = await petstore(dataFolder, ["keys", "create", "--name", "bench", "--json"]);
  return (JSON.parse(said) as { key: string }).key;
}
