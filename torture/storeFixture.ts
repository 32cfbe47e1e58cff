/** A SQLite database with the ledger of its clients, over many starts and stops of the service. */
import { join } from "node:path";
import { judgeAuditLog, judgeDatabase, judgeStore, keysIn } from "./judge.ts";
import { Ledger } from "./ledger.ts";
import { randomWord } from "./randomWord.ts";
import type { ScenarioContext } from "./scenario.ts";
import { judgeLog, killAtStart, startVictim, type Victim } from "./service.ts";
import type { Tally } from "./tally.ts";

/** A judgement reads the whole database, so a long run replaces it from time to time. */
const petsMax = 6_000;
export const isFull = ({ pets }: Ledger) => pets.length >= petsMax;

export interface StoreFixture {
  readonly folder: string;
  /** The database file. */
  readonly file: string;
  readonly ledger: Ledger;
  /** Of the service: it signs cursors, and must not appear in a log. */
  readonly secret: string;
  /** Whether it should be replaced by a new one. */
  isFull(): boolean;
  open(variables?: Record<string, string>): Promise<Victim>;
  /** Starts the service and kills it, possibly before it listens. */
  openAndKill(afterMs: number, variables?: Record<string, string>): Promise<void>;
  /** Creates a key and kills the command, possibly before or after that. */
  createKeyAndKill(afterMs: number): Promise<void>;
  /** Checks everything that must hold while no client writes. */
  judge(victim: Victim): Promise<void>;
}

export function newStoreFixture(
  { folder, random, tally }: ScenarioContext,
  name: string,
): StoreFixture {
  const data = join(folder, name);
  const file = join(data, "production", "petstore.db");
  const ledger = new Ledger();
  const secret = randomWord(random);
  const sealed = { PETSTORE_SECRET: secret };
  let token: string | undefined;
  return {
    folder: data,
    file,
    ledger,
    secret,
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
    createKeyAndKill: (afterMs) => {
      const words = ["keys", "create", "--name", "cut off"];
      return killAtStart({ folder: data, variables: sealed }, afterMs, words);
    },
    async judge(victim) {
      const keys = () => keysIn(file);
      await judgeStore({ ...victim, ledger, tally, settle: true, keys });
      judgeDatabase(file, tally);
      judgeAuditLog(file, tally);
      judgeLog(victim, tally, [secret]);
    },
  };
}

/** Stops the service, and requires that it exits with 0. */
export async function judgeEnd(victim: Victim, tally: Tally): Promise<void> {
  const exit = await victim.stopped();
  tally.judge(exit === 0, () => `The service ended with ${exit}: ${victim.log().slice(-500)}`);
}
