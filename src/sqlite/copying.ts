import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Worker } from "node:worker_threads";
import type { CopyReport } from "../stores.ts";
import type { CopyReply, CopyThreadData } from "./copyThread.ts";

/** A backup that can be stopped: it then leaves nothing behind and throws the signal's reason. */
export function backupStoppable(
  databasePath: string,
  file: string,
  signal: AbortSignal,
): Promise<CopyReport> {
  const workerData: CopyThreadData = { databasePath, file };
  const worker = new Worker(new URL("./copyThread.ts", import.meta.url), { workerData });
  return new Promise((done, fail) => {
    const stop = () => {
      void worker.terminate();
      removePartial(resolve(file));
      fail(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    worker.on("message", (reply: CopyReply) => {
      if ("report" in reply) done(reply.report);
      else fail(Object.assign(new Error(reply.failure.message), reply.failure));
    });
    worker.on("error", fail);
    worker.on("exit", () => {
      signal.removeEventListener("abort", stop);
      fail(new Error(`The thread that was to make ${file} ended before it was done.`));
    });
  });
}

/** What `withTemporary` names after a file. The thread that would remove it is no more. */
function removePartial(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    const rest = name.startsWith(`${basename(file)}.`) ? name.slice(basename(file).length) : "";
    if (/^\.[0-9a-f]{12}\.partial(-journal|-wal|-shm)?$/.test(rest)) {
      rmSync(join(dirname(file), name), { force: true });
    }
  }
}
