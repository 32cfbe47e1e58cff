/** One store on SQLite with all that its clients know of it, through many lives of the service. */
import { join } from "node:path";
import { judgeDatabase, judgeStore } from "./judge.ts";
import { Ledger } from "./ledger.ts";
import type { Stage } from "./scenario.ts";
import { judgeLog, killAtStart, startVictim, type Victim } from "./service.ts";
import type { Tally } from "./tally.ts";
import { wordOf } from "./word.ts";

/** A judgement reads all of the store, so that a long run goes on with a new one from time to time. */
const petsMax = 6_000;
export const isFull = ({ pets }: Ledger) => pets.length >= petsMax;

export interface Shop {
  readonly folder: string;
  /** The database itself. */
  readonly file: string;
  readonly ledger: Ledger;
  /** Whether it is time for a new one. */
  isFull(): boolean;
  open(variables?: Record<string, string>): Promise<Victim>;
  /** Starts the service and kills it so soon that it may not have got to listening. */
  openAndKill(afterMs: number, variables?: Record<string, string>): Promise<void>;
  /** Everything that must hold while nobody writes. */
  judge(victim: Victim): Promise<void>;
}

export function newShop({ folder, random, tally }: Stage, name: string): Shop {
  const data = join(folder, name);
  const file = join(data, "production", "petstore.db");
  const ledger = new Ledger();
  // What cursors are sealed with, and what no log may hold.
  const secret = wordOf(random);
  const sealed = { PETSTORE_SECRET: secret };
  let token: string | undefined;
  return {
    folder: data,
    file,
    ledger,
    isFull: () => isFull(ledger),
    async open(variables = {}) {
      const victim = await startVictim({
        folder: data,
        variables: { ...sealed, ...variables },
        ...(token !== undefined && { token }),
      });
      token = victim.token;
      return victim;
    },
    openAndKill: (afterMs, variables = {}) =>
      killAtStart({ folder: data, variables: { ...sealed, ...variables } }, afterMs),
    async judge(victim) {
      await judgeStore({ ...victim, ledger, tally, settle: true });
      judgeDatabase(file, tally);
      judgeLog(victim, tally, [secret]);
    },
  };
}

/** Tells the service to stop, and takes nothing but a clean end for an answer. */
export async function judgeEnd(victim: Victim, tally: Tally): Promise<void> {
  const exit = await victim.stopped();
  tally.judge(exit === 0, () => `The service ended with ${exit}: ${victim.log().slice(-500)}`);
}
