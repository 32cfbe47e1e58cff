/**
 * Takes a pet through its life under idempotency keys, in the database named, and dies right after the
 * commit told, before anybody can hear of it. Prints the outcome of each step it hears of.
 */
import { writeSync } from "node:fs";
import { systemClock } from "../../src/core/clock.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import { idempotentSteps } from "./idempotentSteps.ts";

const [, , path, deadly] = process.argv;
let commits = 0;
const stores = await openSqlite(path as string, {
  environment: "production",
  clock: systemClock,
  onCommit() {
    commits++;
    if (commits === Number(deadly)) process.kill(process.pid, "SIGKILL");
  },
});
for await (const { kind, text } of idempotentSteps(stores)) writeSync(1, `${kind} ${text}\n`);
