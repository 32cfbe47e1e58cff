/** No room is left for a while: writes are refused, reads go on, and nothing is done by halves. */

import { lacksFaultyDisk } from "../../testkit/faultyDisk.ts";
import { type Trouble, troubleDisk } from "../disk/diskTrouble.ts";
import type { Scenario } from "../scenario.ts";

const roomBytesMax = 200_000;

const full: Trouble = {
  name: "disk full",
  // Not always at once, so that it ends in the middle of a write.
  faults: (random) =>
    random.happens(0.3) ? { full: true } : { roomBytes: random.between(0, roomBytesMax) },
  failedMayBeDone: false,
};

export const diskFull: Scenario = {
  name: "diskFull",
  about: "the disk is full and has room again, under mixed load",
  lacks: lacksFaultyDisk,
  run: (context) => troubleDisk(context, [full]),
};
