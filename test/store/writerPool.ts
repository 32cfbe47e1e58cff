/** Writing threads that outlive their stores: to start one takes longer than most tests write for. */
import { EventEmitter } from "node:events";
import { Worker } from "node:worker_threads";
import { systemClock } from "../../src/core/clock.ts";
import { BatchRunner } from "../../src/storage/sqlite/batch.ts";
import { closeWriting, connect } from "../../src/storage/sqlite/connection.ts";
import type { WriterWorker } from "../../src/storage/sqlite/writer.ts";
import type { WriterMessage } from "../../src/storage/sqlite/writerThread.ts";
import type { PoolReply, PoolRequest } from "./writerPoolThread.ts";

const idle: Worker[] = [];

/** As `startWriterThread`, with a thread that may have had another database before. */
export function takeWriterThread(path: string): WriterWorker {
  if (process.env["PETSTORE_TEST_WRITER"] === "here") return writerHere(path);
  const worker = idle.pop() ?? new Worker(new URL("./writerPoolThread.ts", import.meta.url));
  const send = (request: PoolRequest) => worker.postMessage(request);
  const lent = new EventEmitter();
  worker.on("message", (reply: PoolReply) => {
    if (reply !== "closed") {
      lent.emit("message", reply);
      return;
    }
    worker.removeAllListeners();
    worker.unref();
    idle.push(worker);
    lent.emit("exit", 0);
  });
  worker.on("error", (cause) => lent.emit("error", cause));
  worker.on("exit", (code) => lent.emit("exit", code));
  worker.ref();
  send({ path });
  return Object.assign(lent, { postMessage: (message: WriterMessage) => send(message) });
}

/** In this thread, the only one in which `npm run mutation` can switch a mutant on and off. */
function writerHere(path: string): WriterWorker {
  const db = connect(path);
  const runner = new BatchRunner(db, systemClock);
  const lent = new EventEmitter();
  const postMessage = async (message: WriterMessage) => {
    if (message !== "close") {
      lent.emit("message", structuredClone(await runner.run(structuredClone(message))));
      return;
    }
    closeWriting(db);
    lent.emit("exit", 0);
  };
  return Object.assign(lent, { postMessage });
}
