/**
 * Takes a pet through its life under marks, in the database named, and dies right after the
 * commit told, before anybody can hear of it. Prints the outcome of each step it hears of.
 */
import { writeSync } from "node:fs";
import { openSqlite } from "../../src/sqlite/store.ts";
import { liveOnce } from "./liveOnce.ts";

const [, , path, deadly] = process.argv;
let commits = 0;
const stores = await openSqlite(path as string, {
  environment: "production",
  onCommit() {
    commits++;
    if (commits === Number(deadly)) process.kill(process.pid, "SIGKILL");
  },
});
for await (const { kind, text } of liveOnce(stores)) writeSync(1, `${kind} ${text}\n`);
