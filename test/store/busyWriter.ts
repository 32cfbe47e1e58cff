/** Another writer of a database, which holds the lock nearly all the time, until it is terminated. */
import { DatabaseSync } from "node:sqlite";
import { workerData } from "node:worker_threads";

const { path, commits } = workerData as { path: string; commits: Int32Array };
const db = new DatabaseSync(path);
db.exec("PRAGMA busy_timeout = 60000");
const pause = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  db.exec("BEGIN IMMEDIATE");
  Atomics.wait(pause, 0, 0, 3);
  db.exec("COMMIT");
  Atomics.add(commits, 0, 1);
  Atomics.wait(pause, 0, 0, 0.1);
}
