/** The calendar jumps forwards and back, by seconds and by years, under a service that runs on. */

import { faultyDisk, lacksFaultyDisk, setFaults } from "../../testkit/faultyDisk.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { petstore } from "../../testkit/serviceProcess.ts";
import { comes } from "../disk/diskTrouble.ts";
import { codeOf, exchange } from "../exchange.ts";
import { type Load, pause, startLoad } from "../load.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import type { Victim } from "../service.ts";
import { judgeEnd, newStoreFixture, type StoreFixture } from "../storeFixture.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Any two instants are less than a day apart, for which idempotency keys are promised to be kept. */
const smallMsMax = 11 * hourMs;
/** Past it getPet is no more. */
const sunsetMs = Date.parse("2030-12-05");
const longAgoMs = Date.parse("2001-01-01");
const keyDays = 90;
const jumpsInARow = 4;
/** More than there are clients, so that one of them was asked after the jump. */
const writesMin = 40;
/** Low enough that the clients meet it, and have to see it grow back. */
const quota = "300/1";

export const clockJumps: Scenario = {
  name: "clockJumps",
  about: "the calendar jumps by seconds, hours and years, both ways, under mixed load",
  lacks: lacksFaultyDisk,
  async run(context) {
    const endMs = performance.now() + context.seconds * 1_000;
    for (let number = 0; number === 0 || performance.now() < endMs; number++) {
      const fixture = newStoreFixture(context, `store-${number}`);
      const first = await fixture.open();
      await first.stopped();
      const shortLived = await keyThatExpires(fixture);
      const control = `${fixture.folder}.control`;
      const disk = faultyDisk({ folder: fixture.folder, control });
      const victim = await fixture.open({ ...disk, PETSTORE_RATE_LIMIT: quota });
      const place = { context, fixture, control, victim, shortLived };
      try {
        for (let round = 0; round === 0 || performance.now() < endMs; round++) {
          if (fixture.isFull()) break;
          await jumpAbout(place, context.random.fork(`store ${number} round ${round}`));
        }
        setFaults(control, { clockOffsetMs: 0 });
        await judgeQuiet(place);
        await judgeEnd(victim, context.tally);
      } finally {
        await victim.killed();
      }
    }
  },
};

interface Place {
  readonly context: ScenarioContext;
  readonly fixture: StoreFixture;
  readonly control: string;
  readonly victim: Victim;
  /** A key for `keyDays` days from now. */
  readonly shortLived: string;
}

async function keyThatExpires({ folder }: StoreFixture): Promise<string> {
  const args = ["keys", "create", "--name", "short", "--expires", `${keyDays}d`, "--json"];
  const { stdout } = await petstore(args, { PETSTORE_DATA: folder });
  return (JSON.parse(stdout) as { key: string }).key;
}

/** A far jump while nobody asks, since it may take idempotency keys away, then small ones under load. */
async function jumpAbout(place: Place, random: SeededRandom): Promise<void> {
  const { context, fixture, control } = place;
  const far = farJump(random);
  setFaults(control, { clockOffsetMs: far });
  context.tally.fault("jump by days or years");
  fixture.ledger.forgetMarks();
  await judgeCalendar(place, Date.now() + far);
  const load = begin(place, random.fork("load"));
  try {
    for (let jump = 0; jump < jumpsInARow; jump++) {
      const near = random.between(0, random.oneOf([5_000, hourMs, smallMsMax]));
      setFaults(control, { clockOffsetMs: far + near });
      context.tally.fault("jump by seconds or hours");
      await judgeGoesOn(context, load, far + near);
      await pause(random.between(20, 300));
    }
  } finally {
    await load.ended();
  }
  await judgeSunset(place, random);
  await judgeQuiet(place);
}

/** getPet is no more once its day has come, and is there again where the calendar goes back. */
async function judgeSunset({ context, fixture, control, victim }: Place, random: SeededRandom) {
  const { tally } = context;
  const { base, token } = victim;
  const pet = fixture.ledger.anyPet(random);
  if (pet === undefined) return;
  for (const [pastMs, status] of [
    [dayMs, 410],
    [-dayMs, 200],
  ] as const) {
    setFaults(control, { clockOffsetMs: sunsetMs + pastMs - Date.now() });
    const url = `${base}/pets/${pet.id}`;
    const answer = await withinQuota(() => exchange({ method: "GET", url, token }, tally));
    tally.judge(answer?.status === status, () => `getPet ${pastMs} ms after: ${answer?.status}`);
  }
}

/** From the beginning of the century to shortly before getPet goes away. */
function farJump(random: SeededRandom): number {
  const nowMs = Date.now();
  const latest = sunsetMs - nowMs - 2 * dayMs;
  const choices = [0, 2 * dayMs, -2 * dayMs, (keyDays - 1) * dayMs, (keyDays + 1) * dayMs];
  const forwards = random.between(0, Math.max(1, latest));
  const backwards = random.between(longAgoMs - nowMs, 0);
  return Math.min(random.oneOf([...choices, forwards, backwards]), latest);
}

function begin({ context, fixture, victim }: Place, random: SeededRandom): Load {
  return startLoad({
    addresses: () => [victim.base],
    token: victim.token,
    random,
    ledger: fixture.ledger,
    tally: context.tally,
    mayBreak: () => false,
    readsMayFail: () => false,
    writesMayFail: () => false,
    limited: true,
  });
}

/** Writes go on, and so does the quota grow back: both would stop with a wrong sum of times. */
async function judgeGoesOn(
  { tally }: ScenarioContext,
  load: Load,
  offsetMs: number,
): Promise<void> {
  const goal = load.seen.acknowledged + writesMin;
  const wentOn = await comes(() => load.seen.acknowledged >= goal);
  tally.judge(wentOn, () => `After a jump to ${offsetMs} ms, writes or quotas do not go on`);
}

/** What is promised by the calendar follows it both ways. */
async function judgeCalendar({ context, victim, shortLived }: Place, nowMs: number): Promise<void> {
  const { tally } = context;
  const url = `${victim.base}/pets?limit=1`;
  const expired = nowMs >= Date.now() + keyDays * dayMs;
  const answer = await withinQuota(() =>
    exchange({ method: "GET", url, token: shortLived }, tally),
  );
  const said = answer?.status === 200 ? "works" : codeOf(answer?.text ?? "");
  tally.judge(said === (expired ? "key_expired" : "works"), () => {
    return `On ${new Date(nowMs).toISOString()}, the key for ${keyDays} days: ${said}`;
  });
}

/** The judgement has a quota as well, and takes the service's word for when to come again. */
async function withinQuota<T extends { readonly status: number } | undefined>(
  ask: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask();
    if (answer?.status !== 429 || attempt === 5) return answer;
    await pause(1_000);
  }
}

async function judgeQuiet({ fixture, victim }: Place): Promise<void> {
  // A whole quota, so that the walk through the store meets no end of it.
  await pause(1_000);
  await fixture.judge(victim);
}
