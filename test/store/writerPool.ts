/** Writing threads that outlive their stores: to start one takes longer than most tests write for. */
import { EventEmitter } from "node:events";
import { Worker } from "node:worker_threads";
import type { WriterWorker } from "../../src/storage/sqlite/writer.ts";
import type { WriterMessage } from "../../src/storage/sqlite/writerThread.ts";
import type { PoolReply, PoolRequest } from "./writerPoolThread.ts";

const idle: Worker[] = [];

/** As `startWriterThread`, with a thread that may have had another database before. */
export function takeWriterThread(path: string): WriterWorker {
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
