/** What writerThread.ts does, for one database after another. */
import type { DatabaseSync } from "node:sqlite";
import { parentPort } from "node:worker_threads";
import { systemClock } from "../../src/core/clock.ts";
import type { BatchReply } from "../../src/storage/repositories/writeQueue.ts";
import { BatchRunner } from "../../src/storage/sqlite/batch.ts";
import { closeWriting, connect } from "../../src/storage/sqlite/connection.ts";
import type { Failure } from "../../src/storage/sqlite/failures.ts";
import type { WriterMessage } from "../../src/storage/sqlite/writerThread.ts";

export type PoolRequest = { readonly path: string } | WriterMessage;
export type PoolReply = BatchReply<Failure> | "closed";

let open: { readonly db: DatabaseSync; readonly runner: BatchRunner } | undefined;
const reply = (message: PoolReply) => parentPort?.postMessage(message);

parentPort?.on("message", async (request: PoolRequest) => {
  if (request === "close") {
    if (open !== undefined) closeWriting(open.db);
    open = undefined;
    reply("closed");
  } else if ("path" in request) {
    const db = connect(request.path);
    open = { db, runner: new BatchRunner(db, systemClock) };
  } else if (open !== undefined) {
    reply(await open.runner.run(request));
  }
});
