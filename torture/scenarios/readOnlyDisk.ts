/** A disk that takes no writes, or fails to sync them, as one does that is about to break. */

import { lacksFaultyDisk } from "../../testkit/faultyDisk.ts";
import { type Trouble, troubleDisk } from "../disk/diskTrouble.ts";
import type { Scenario } from "../scenario.ts";

const readOnly: Trouble = {
  name: "disk read-only",
  faults: () => ({ readOnly: true }),
  failedMayBeDone: false,
};

const unsynced: Trouble = {
  name: "sync fails",
  faults: () => ({ syncFails: true }),
  // It is in the log, and a process that finds it there after a crash takes it for done.
  failedMayBeDone: true,
};

export const readOnlyDisk: Scenario = {
  name: "readOnlyDisk",
  about: "the disk turns read-only or cannot sync, and recovers, under mixed load",
  lacks: lacksFaultyDisk,
  run: (context) => troubleDisk(context, [readOnly, unsynced]),
};
