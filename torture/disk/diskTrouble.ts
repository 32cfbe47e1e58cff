/** Trouble with the disk comes and goes under a service that stays: what it must do meanwhile. */

import {
  diskCounts,
  type Faults,
  faultyDisk,
  noFaults,
  setFaults,
} from "../../testkit/faultyDisk.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { type Load, pause, startLoad } from "../load.ts";
import type { ScenarioContext } from "../scenario.ts";
import type { Victim } from "../service.ts";
import { judgeEnd, newStoreFixture, type StoreFixture } from "../storeFixture.ts";

export interface Trouble {
  /** As it is counted: `disk full`. */
  readonly name: string;
  readonly faults: (random: SeededRandom) => Faults;
  /** Whether a write that was answered 503 may be done all the same. */
  readonly failedMayBeDone: boolean;
}

const effectMsMax = 20_000;
const healthyMsMax = 600;
const troubledMsMax = 1_500;
/** More than there are clients, so that one of them was asked after the trouble was over. */
const resumedWritesMin = 40;
const rssGrowthBytesMax = 300 * 1024 * 1024;

/** One trouble after the other, each with a judgement in its midst and one after it. */
export async function troubleDisk(
  context: ScenarioContext,
  troubles: readonly Trouble[],
): Promise<void> {
  const { random, seconds } = context;
  const endMs = performance.now() + seconds * 1_000;
  for (let number = 0; number === 0 || performance.now() < endMs; number++) {
    const fixture = newStoreFixture(context, `shop-${number}`);
    // So that it is there before the disk is watched.
    const first = await fixture.open();
    await first.stopped();
    const control = `${fixture.folder}.control`;
    const place = { context, fixture, control, troubles, endMs };
    const victim = await fixture.open(faultyDisk({ folder: fixture.folder, control }));
    try {
      await sufferUntilFull(place, victim, random.fork(`shop ${number}`));
    } finally {
      await victim.killed();
    }
  }
}

interface Place {
  readonly context: ScenarioContext;
  readonly fixture: StoreFixture;
  readonly control: string;
  readonly troubles: readonly Trouble[];
  readonly endMs: number;
}

async function sufferUntilFull(place: Place, victim: Victim, random: SeededRandom): Promise<void> {
  const { context, fixture, troubles, endMs } = place;
  const { tally } = context;
  const rssBefore = victim.rssBytes();
  for (let round = 0; round === 0 || performance.now() < endMs; round++) {
    if (fixture.isFull()) break;
    const trouble = troubles[round % troubles.length] as Trouble;
    await suffer(place, victim, trouble, random.fork(`round ${round}`));
    await fixture.judge(victim);
  }
  const growth = victim.rssBytes() - rssBefore;
  tally.judge(growth < rssGrowthBytesMax, () => `The memory grew by ${growth} bytes`);
  await judgeEnd(victim, tally);
}

async function suffer(place: Place, victim: Victim, trouble: Trouble, random: SeededRandom) {
  const { context, fixture, control } = place;
  const { tally } = context;
  let troubled = false;
  const begin = (name: string) =>
    startLoad({
      addresses: () => [victim.base],
      token: victim.token,
      random: random.fork(name),
      ledger: fixture.ledger,
      tally,
      mayBreak: () => false,
      readsMayFail: () => false,
      writesMayFail: () => troubled,
      failedMayBeDone: trouble.failedMayBeDone,
    });

  const refusedBefore = diskCounts(control).refused;
  const during = begin("during");
  try {
    await pause(random.between(50, healthyMsMax));
    troubled = true;
    setFaults(control, trouble.faults(random));
    tally.fault(trouble.name);
    await judgeTrouble(context, during, trouble, random);
    // Reads go on, and show nothing half done.
    await during.ended();
    await fixture.judge(victim);
    // Without load: beside writes that fail, the question itself would fail with them.
    await judgeReadiness(context, victim, trouble, 503);
  } finally {
    setFaults(control, noFaults);
    await during.ended();
  }
  tally.fault("call refused by the disk", diskCounts(control).refused - refusedBefore);

  const after = begin("after");
  try {
    await judgeRecovery(context, after, trouble);
    await judgeReadiness(context, victim, trouble, 200);
    troubled = false;
    await pause(random.between(50, healthyMsMax));
  } finally {
    await after.ended();
  }
}

async function judgeTrouble(
  { tally }: ScenarioContext,
  load: Load,
  { name }: Trouble,
  random: SeededRandom,
) {
  const refused = await comes(() => load.seen.failed > 0);
  tally.judge(refused, () => `${name} for ${effectMsMax} ms, and no write was answered 503`);
  const readsBefore = load.seen.reads;
  await pause(random.between(50, troubledMsMax));
  const read = await comes(() => load.seen.reads > readsBefore);
  tally.judge(read, () => `${name}, and no read was answered in ${effectMsMax} ms`);
}

async function judgeRecovery(
  { tally }: ScenarioContext,
  load: Load,
  { name }: Trouble,
): Promise<void> {
  const resumed = await comes(() => load.seen.acknowledged >= resumedWritesMin);
  tally.judge(resumed, () => `${name} was over for ${effectMsMax} ms, and writes did not resume`);
}

/** A load balancer takes a service away whose writes fail, and brings it back. */
async function judgeReadiness(
  { tally }: ScenarioContext,
  victim: Victim,
  { name }: Trouble,
  status: 200 | 503,
): Promise<void> {
  const readiness = new URL("/readyz", victim.base);
  const told = await comes(async () => (await fetch(readiness)).status === status);
  tally.judge(told, () => `${name}: /readyz was not ${status} within ${effectMsMax} ms`);
}

/** Whether it comes to it in time. */
export async function comes(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const endMs = performance.now() + effectMsMax;
  while (performance.now() < endMs) {
    if (await condition()) return true;
    await pause(5);
  }
  return condition();
}
