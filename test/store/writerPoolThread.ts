/** What writerThread.ts does, for one database after another. */
import type { DatabaseSync } from "node:sqlite";
import { parentPort } from "node:worker_threads";
import { type BatchReply, BatchRunner } from "../../src/sqlite/batch.ts";
import { closeWriting, connect } from "../../src/sqlite/connection.ts";
import type { WriterMessage } from "../../src/sqlite/writerThread.ts";

export type PoolRequest = { readonly path: string } | WriterMessage;
export type PoolReply = BatchReply | "closed";

let open: { readonly db: DatabaseSync; readonly runner: BatchRunner } | undefined;
const reply = (message: PoolReply) => parentPort?.postMessage(message);

parentPort?.on("message", (request: PoolRequest) => {
  if (request === "close") {
    if (open !== undefined) closeWriting(open.db);
    open = undefined;
    reply("closed");
  } else if ("path" in request) {
    const db = connect(request.path);
    open = { db, runner: new BatchRunner(db) };
  } else if (open !== undefined) {
    reply(open.runner.run(request));
  }
});
