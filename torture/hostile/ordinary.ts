/** Honest clients beside the hostile ones: nothing that is done to others may be felt by them. */

import { judgeStore } from "../judge.ts";
import { Ledger } from "../ledger.ts";
import { type Load, startLoad } from "../load.ts";
import type { ScenarioContext } from "../scenario.ts";
import { judgeLog, startVictim, type Victim } from "../service.ts";
import type { Tally } from "../tally.ts";

export interface Beside {
  readonly victim: Victim;
  readonly load: Load;
  /** Whether there is time left. */
  until(): boolean;
}

export interface OrdinaryOptions {
  readonly clients: number;
  readonly variables?: Record<string, string>;
}

export async function besideOrdinaryLoad(
  context: ScenarioContext,
  { clients, variables }: OrdinaryOptions,
  work: (beside: Beside) => Promise<void>,
): Promise<void> {
  const { random, folder, seconds, tally } = context;
  const victim = await startVictim({ folder, ...(variables && { variables }) });
  try {
    await warm(victim);
    const { token } = victim;
    const ledger = new Ledger();
    const load = startLoad({
      addresses: () => [victim.base],
      token,
      random: random.fork("ordinary"),
      ledger,
      tally,
      clients,
      mayBreak: () => false,
      readsMayFail: () => false,
      writesMayFail: () => false,
    });
    const endMs = performance.now() + seconds * 1_000;
    try {
      await work({
        victim,
        load,
        until: () => performance.now() < endMs,
      });
    } finally {
      await load.ended();
    }
    const { acknowledged, reads } = load.seen;
    tally.judge(acknowledged > 0 && reads > 0, () => "The honest clients got nothing done");
    await judgeStore({ base: victim.base, token, ledger, tally });
    judgeLog(victim, tally, []);
    judgeMarks(victim.log(), tally);
    const ending = await victim.stopped();
    tally.judge(ending === 0, () => `The service ended with ${ending}`);
    judgeErrors(victim.log(), tally);
  } finally {
    await victim.killed();
  }
}

/** Pages are made when they are first asked for, which is not what is measured here. */
export async function warm({ origin }: Victim): Promise<void> {
  for (const path of ["/docs/", "/dashboard/", "/internal/v1/session", "/"]) {
    await (await fetch(`${origin}${path}`)).arrayBuffer();
  }
}

/** A request that was hidden and carried out would be logged by the id that it carried. */
function judgeMarks(log: string, tally: Tally): void {
  const found = log.match(/smuggled-[\d-]+/g) ?? [];
  tally.judge(found.length === 0, () => `What was hidden was carried out: ${found.slice(0, 5)}`);
}

function judgeErrors(log: string, tally: Tally): void {
  const errors = log.split("\n").filter((line) => line.includes('"level":"error"'));
  tally.judge(errors.length === 0, () => `The log tells of faults: ${errors[0]?.slice(0, 500)}`);
}
