/** The thread that owns the writing connection, so that no reader ever waits for the disk. */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../core/clock.ts";
import { type Batch, BatchRunner } from "./batch.ts";
import { closeWriting, connect } from "./connection.ts";

export interface WriterThreadData {
  readonly path: string;
}

export type WriterMessage = Batch | "close";

const { path } = workerData as WriterThreadData;
const db = connect(path);
const runner = new BatchRunner(db, systemClock);

// One batch at a time, as the writer sends them: the next message comes after the reply.
parentPort?.on("message", async (message: WriterMessage) => {
  if (message === "close") close();
  else parentPort?.postMessage(await runner.run(message));
});

function close(): void {
  closeWriting(db);
  parentPort?.close();
}
