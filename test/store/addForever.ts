/**
 * Adds pets to the database named until it is killed or the disk refuses, and prints each id once
 * the pet is on disk. The end, if there is one, is the code of the problem.
 */
import { writeSync } from "node:fs";
import { systemClock } from "../../src/core/clock.ts";
import { Problem } from "../../src/core/problems.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import { doneOf } from "./outcomes.ts";

const stores = await openSqlite(process.argv[2] as string, {
  environment: "production",
  clock: systemClock,
});
let code: string | undefined;
await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (code === undefined) {
      try {
        const pet = { name: "x", categoryId: 1n, status: "sold" } as const;
        const { id } = doneOf(await stores.catalogue.add(pet));
        writeSync(1, `${id}\n`);
      } catch (cause) {
        code = cause instanceof Problem ? cause.code : String(cause);
      }
    }
  }),
);
// Reads go on while nothing can be written.
writeSync(1, `${code} ${stores.catalogue.get(1n) === undefined ? "unreadable" : "readable"}\n`);
await stores.close();
