/** Opens the database named once as many threads as told have arrived, and says how that went. */
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../../src/storage/sqlite/store.ts";

const barrier = workerData as Int32Array;

parentPort?.on("message", ({ path, arrivals }: { path: string; arrivals: number }) => {
  Atomics.add(barrier, 0, 1);
  // Spinning, not waiting: waking up one after the other would keep them apart.
  while (Atomics.load(barrier, 0) < arrivals);
  try {
    openDatabase(path, "production").close();
    parentPort?.postMessage("opened");
  } catch (cause) {
    parentPort?.postMessage(String(cause));
  }
});
