/** Two processes of the service on one PostgreSQL, their clients, and what must hold for both. */
import { join } from "node:path";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { judgeStore } from "../judge.ts";
import { Ledger } from "../ledger.ts";
import { pause, startLoad } from "../load.ts";
import { randomWord } from "../randomWord.ts";
import type { ScenarioContext } from "../scenario.ts";
import { judgeLog, startVictim, type Victim } from "../service.ts";
import { isFull, judgeEnd } from "../storeFixture.ts";

/** How long a process may take to find its way back once PostgreSQL can be reached again. */
const backMsMax = 30_000;
const askAgainMs = 50;
/** So many right answers in a row make a process one that is back. */
const answersInARow = 5;
const calmMs = 300;
const stormMsMax = 600;

export interface Pair {
  readonly victims: readonly Victim[];
  isFull(): boolean;
  /** Clients at both processes while PostgreSQL is struck, and until both are back. */
  storm(strike: () => Promise<void>): Promise<void>;
  /** Clients at both processes once more, when nothing may fail. */
  calm(): Promise<void>;
  /** Everything that must hold while nobody writes, as either process shows it. */
  judge(): Promise<void>;
  /** Both end as they should. */
  end(): Promise<void>;
  /** Both end, whatever state they are in. */
  killed(): Promise<void>;
}

export interface PairOptions {
  /** The database URL of each of the two processes. */
  readonly addresses: readonly [string, string];
  /** The password in the addresses, which no log may hold. */
  readonly password: string;
}

export async function openPair(
  context: ScenarioContext,
  name: string,
  options: PairOptions,
): Promise<Pair> {
  const { tally, say } = context;
  const random = context.random.fork(name);
  const secret = randomWord(random);
  const ledger = new Ledger();
  const victims: Victim[] = [];
  const killed = async () => {
    for (const victim of victims) await victim.killed();
  };
  try {
    for (const [index, address] of options.addresses.entries()) {
      const variables = { DATABASE_URL: address, PETSTORE_SECRET: secret, PETSTORE_ROLES: "none" };
      const folder = join(context.folder, name, String(index));
      const token = victims[0]?.token;
      victims.push(await startVictim({ folder, variables, ...(token && { token }) }));
    }
  } catch (cause) {
    await killed();
    throw cause;
  }
  const { token = "" } = victims[0] ?? {};
  const bases = victims.map(({ base }) => base);
  let rounds = 0;
  const loadWhere = (mayFail: boolean) =>
    startLoad({
      addresses: () => bases,
      token,
      random: random.fork(`load ${++rounds}`),
      ledger,
      tally,
      // Whatever becomes of PostgreSQL, the service itself is there.
      mayBreak: () => false,
      readsMayFail: () => mayFail,
      writesMayFail: () => mayFail,
      // The connection may be lost when the commit is done and its answer is not.
      failedMayBeDone: true,
    });

  return {
    victims,
    killed,
    isFull: () => isFull(ledger),
    async storm(strike) {
      const load = loadWhere(true);
      try {
        await pause(random.between(50, stormMsMax));
        await strike();
        const struckMs = performance.now();
        for (const victim of victims) await judgeBack(victim, context);
        const backMs = Math.round(performance.now() - struckMs);
        say(`Both were back ${backMs} ms later; ${load.seen.failed} writes were refused.`);
        await pause(random.between(0, stormMsMax));
      } finally {
        await load.ended();
      }
    },
    async calm() {
      const load = loadWhere(false);
      await pause(calmMs);
      await load.ended();
    },
    async judge() {
      for (const { base } of victims) {
        await judgeStore({ base, token, ledger, tally, settle: true });
      }
      for (const victim of victims) judgeLog(victim, tally, [secret, options.password]);
    },
    async end() {
      for (const victim of victims) await judgeEnd(victim, tally);
    },
  };
}

async function judgeBack(
  { base, origin, token }: Victim,
  { tally }: ScenarioContext,
): Promise<void> {
  const deadlineMs = performance.now() + backMsMax;
  let inARow = 0;
  while (inARow < answersInARow && performance.now() < deadlineMs) {
    const answers = await Promise.all([
      statusOf(`${base}/pets?limit=1`, token),
      statusOf(`${origin}/readyz`, token),
    ]);
    inARow = answers.every((status) => status === 200) ? inARow + 1 : 0;
    await pause(askAgainMs);
  }
  tally.judge(inARow === answersInARow, () => `${base} was not back in ${backMsMax} ms`);
}

async function statusOf(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(backMsMax) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

export const withPassword = (address: string, password: string) =>
  address.replace("postgres@", `postgres:${password}@`);

export interface Rounds {
  /** A new, empty database, as the two processes reach it. */
  open(name: string): Promise<PairOptions>;
  /** One fault, and its end. */
  strike(random: SeededRandom): Promise<void>;
}

/** Strikes again and again, and judges after each time. */
export async function strikeInRounds(
  context: ScenarioContext,
  { open, strike }: Rounds,
): Promise<void> {
  const endMs = performance.now() + context.seconds * 1_000;
  for (let count = 0; count === 0 || performance.now() < endMs; count++) {
    const pair = await openPair(context, `store-${count}`, await open(`store_${count}`));
    try {
      for (let round = 0; !pair.isFull() && (round === 0 || performance.now() < endMs); round++) {
        const random = context.random.fork(`store ${count}, round ${round}`);
        await pair.storm(() => strike(random));
        await pair.calm();
        await pair.judge();
      }
      await pair.end();
    } finally {
      await pair.killed();
    }
  }
}
