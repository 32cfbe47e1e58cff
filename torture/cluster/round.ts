/** One fault under load, the time after it, and what must hold then. */
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { judgeStore } from "../judge.ts";
import { Ledger } from "../ledger.ts";
import { type LoadOptions, pause, startLoad } from "../load.ts";
import { judgeLog } from "../service.ts";
import { judgeEnd } from "../storeFixture.ts";
import type { Fault, FaultContext } from "./faults.ts";
import { startProbes } from "./outages.ts";
import { type Outcome, outcomeOf, tooLong } from "./outcomes.ts";
import { restoreToMoment } from "./restore.ts";

const calmMs = 3_000;
/** Few enough that the whole database can be read after each fault. */
const [clients, thinkMs] = [8, 60];

export interface RoundOptions extends FaultContext {
  /** What no log may hold. */
  readonly secrets: readonly string[];
}

export class Round {
  readonly #options: RoundOptions;
  readonly #ledger = new Ledger();

  constructor(options: RoundOptions) {
    this.#options = options;
  }

  async strike(fault: Fault, label: string): Promise<Outcome> {
    const { cluster, services, tally, say } = this.#options;
    const random = this.#options.random.fork(label);
    const bases = () =>
      fault.unnoticed ? [services.base] : services.victims.map(({ base }) => base);
    const options = this.#load(random, !fault.unnoticed);
    const load = startLoad(options);
    const probes = startProbes(bases, { ...options, random: random.fork("probes") });
    let lastedSeconds = 0;
    let outcome: Outcome;
    try {
      await pause(random.between(500, 2_000));
      lastedSeconds = await fault.strike({ ...this.#options, random });
      tally.fault(fault.name);
      for (const name of await cluster.whole()) {
        say(`${name} could not follow the new primary by itself, and was rebuilt.`);
      }
      for (const base of bases()) await services.isBack(base);
    } finally {
      await load.ended();
      outcome = outcomeOf(fault, lastedSeconds, await probes.ended());
    }
    const long = tooLong(outcome);
    tally.judge(long === undefined, () => long ?? "");
    await this.#calm(random.fork("calm"));
    await this.#judge(random);
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
    const { readMs, writeMs } = outcome;
    const { acknowledged, failed } = load.seen;
    say(
      `${fault.name}: no reads for ${seconds(readMs)}, no writes for ${seconds(writeMs)}; ${acknowledged} acknowledged, ${failed} refused; ${tally.violations.length} violations`,
    );
    return outcome;
  }

  async restore(): Promise<void> {
    const random = this.#options.random.fork("restore");
    await this.#calm(random);
    await restoreToMoment({ ...this.#options, random }, this.#ledger);
    await this.#calm(random.fork("restored"));
    await this.#judge(random);
  }

  async end(): Promise<void> {
    const { services, tally, secrets } = this.#options;
    for (const victim of services.victims) {
      const { base, token } = victim;
      await judgeStore({ base, token, ledger: this.#ledger, tally, settle: true });
      judgeLog(victim, tally, secrets);
      await judgeEnd(victim, tally);
    }
  }

  /** Clients once more, when nothing may fail. */
  async #calm(random: SeededRandom): Promise<void> {
    const load = startLoad(this.#load(random, false));
    await pause(calmMs);
    await load.ended();
  }

  async #judge(random: SeededRandom): Promise<void> {
    const { services, tally, secrets } = this.#options;
    const { base, token } = random.oneOf(services.victims);
    await judgeStore({ base, token, ledger: this.#ledger, tally, settle: true });
    for (const victim of services.victims) judgeLog(victim, tally, secrets);
  }

  #load(random: SeededRandom, mayFail: boolean): LoadOptions {
    const { services, tally } = this.#options;
    return {
      ...{ token: services.token, tally, ledger: this.#ledger, clients, thinkMs },
      addresses: () => [services.base],
      random: random.fork("load"),
      // HAProxy and the processes are there, whatever becomes of the database.
      mayBreak: () => false,
      readsMayFail: () => mayFail,
      writesMayFail: () => mayFail,
      // The connection may be lost when the commit is done and its answer is not.
      failedMayBeDone: true,
    };
  }
}
