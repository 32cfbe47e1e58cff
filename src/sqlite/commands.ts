import type { DatabaseSync } from "node:sqlite";
import { accessCommands } from "./access.ts";
import { accountCommands } from "./accountCommands.ts";
import { acmeAccountCommands } from "./acmeAccounts.ts";
import { categoryCommands } from "./categoryCommands.ts";
import { Counter } from "./counter.ts";
import { domainCommands } from "./domainCommands.ts";
import { domainSweepCommands } from "./domainSweep.ts";
import { edgeCommands } from "./edgeCommands.ts";
import { keyCommands } from "./keyCommands.ts";
import { leaseCommands } from "./leaseCommands.ts";
import { OnceMarks } from "./onceMarks.ts";
import { orderCommands } from "./orderCommands.ts";
import { petCommands } from "./petCommands.ts";
import { siteCommands } from "./siteCommands.ts";
import { uploadCommands } from "./uploads.ts";

/**
 * Every write by name. Each decides whether it refuses before it writes anything, and refuses by
 * what it returns: throwing takes back the whole transaction.
 */
export type Commands = ReturnType<typeof petCommands> &
  ReturnType<typeof categoryCommands> &
  ReturnType<typeof orderCommands> &
  ReturnType<typeof keyCommands> &
  ReturnType<typeof siteCommands> &
  ReturnType<typeof uploadCommands> &
  ReturnType<typeof domainCommands> &
  ReturnType<typeof leaseCommands> &
  ReturnType<typeof domainSweepCommands> &
  ReturnType<typeof edgeCommands> &
  ReturnType<typeof acmeAccountCommands> &
  ReturnType<typeof accessCommands> &
  ReturnType<typeof accountCommands> &
  ReturnType<typeof probeCommands>;
export type CommandName = keyof Commands;
export type Argument<Name extends CommandName> = Parameters<Commands[Name]>[0];
export type Result<Name extends CommandName> = ReturnType<Commands[Name]>;

export function prepareCommands(db: DatabaseSync): {
  readonly commands: Commands;
  readonly counters: readonly Counter[];
} {
  const lastPetId = new Counter(db, "last_pet_id");
  const lastOrderId = new Counter(db, "last_order_id");
  const keyRevision = new Counter(db, "key_revision");
  const siteRevision = new Counter(db, "site_revision");
  const edgeRevision = new Counter(db, "edge_revision");
  const lastFence = new Counter(db, "last_fence");
  const marks = new OnceMarks(db);
  return {
    commands: {
      ...petCommands(db, lastPetId, marks),
      ...categoryCommands(db),
      ...orderCommands(db, lastOrderId, marks),
      ...keyCommands(db, keyRevision),
      ...siteCommands(db, siteRevision),
      ...uploadCommands(db),
      ...domainCommands(db, edgeRevision),
      ...leaseCommands(db, lastFence),
      ...domainSweepCommands(db),
      ...edgeCommands(db),
      ...acmeAccountCommands(db),
      ...accessCommands(db),
      ...accountCommands(db),
      ...probeCommands(db),
    },
    counters: [lastPetId, lastOrderId, keyRevision, siteRevision, edgeRevision, lastFence],
  };
}

function probeCommands(db: DatabaseSync) {
  const write = db.prepare("UPDATE counters SET value = value + 1 WHERE name = 'probe'");
  return {
    /**
     * Only a write that reaches the disk proves that one can, and SQLite writes no page whose bytes
     * stay as they are.
     */
    probe(_nothing: undefined): void {
      write.run();
    },
  };
}
