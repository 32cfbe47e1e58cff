/** The power goes: what was not synced is gone, in part, or torn. */
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { faultyDisk, lacksFaultyDisk, setFaults } from "../../testkit/faultyDisk.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { type DiskRecord, readJournal } from "../disk/journal.ts";
import { judgeRowsAt } from "../disk/judgeInstant.ts";
import {
  type AfterPowerCut,
  cutPower,
  type DiskImage,
  readImage,
  writeImage,
} from "../disk/powerCut.ts";
import { judgeAuditLog, judgeDatabase } from "../judge.ts";
import { pause, startLoad } from "../load.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import type { Victim } from "../service.ts";
import { judgeEnd, newStoreFixture, type StoreFixture } from "../storeFixture.ts";
import type { Tally } from "../tally.ts";

const lifeMsMax = 1_500;
/** So that a cut often finds writes that wait for their sync. */
const syncDelayMsMax = 20;
/** Other instants of the same life at which the power might have gone. */
const instantsElse = 5;

export const powerLoss: Scenario = {
  name: "powerLoss",
  about: "power cuts under mixed load: what was not synced is dropped or torn",
  lacks: lacksFaultyDisk,
  run: (context) => losePower(context, { lies: false }),
};

/** With a disk that lies about its syncs, acknowledged writes must be found missing. */
export async function losePower(
  context: ScenarioContext,
  { lies }: { lies: boolean },
): Promise<void> {
  const { random, tally, seconds } = context;
  const endMs = performance.now() + seconds * 1_000;
  let fixture = newStoreFixture(context, "store-0");
  let victim: Victim | undefined;
  /** How much was written down in the lives before. */
  let lifeBegan = 0;
  try {
    await made(fixture);
    for (let round = 0; round === 0 || performance.now() < endMs; round++) {
      const disk = diskOf(fixture);
      const before = readImage(fixture.folder);
      victim = await fixture.open(faultyDisk(disk));
      await fixture.judge(victim);
      if (fixture.isFull()) {
        await judgeEnd(victim, tally);
        fixture = newStoreFixture(context, `store-${round}`);
        await made(fixture);
        continue;
      }
      setFaults(disk.control, { syncDelayMs: random.between(0, syncDelayMsMax) });
      const position = () => lifeBegan + statSync(disk.journal).size;
      await liveAndDie(context, fixture, victim, round, position);
      const records = readJournal(readFileSync(disk.journal));
      for (let instant = 0; instant < instantsElse; instant++) {
        const some = records.slice(0, instantIn(records, random));
        const image = counted(cutPower({ before, records: some, random, lies }), tally);
        judgeInstant(context, fixture, image, lifeBegan + (some.at(-1)?.endsAt ?? 0));
      }
      lifeBegan += records.at(-1)?.endsAt ?? 0;
      writeImage(fixture.folder, counted(cutPower({ before, records, random, lies }), tally));
    }
    victim = await fixture.open(faultyDisk(diskOf(fixture)));
    await fixture.judge(victim);
    await judgeEnd(victim, tally);
  } finally {
    await victim?.killed();
  }
}

function counted({ image, dropped, torn }: AfterPowerCut, tally: Tally): DiskImage {
  tally.fault("power cut");
  tally.fault("write dropped", dropped);
  tally.fault("write torn", torn);
  return image;
}

/** What comes before the first start, a key among it, is on disk for certain. */
async function made(fixture: StoreFixture): Promise<void> {
  const victim = await fixture.open();
  await victim.stopped();
}

function diskOf({ folder }: StoreFixture) {
  const disk = { folder, control: `${folder}.control`, journal: `${folder}.journal` };
  rmSync(disk.journal, { force: true });
  return disk;
}

async function liveAndDie(
  context: ScenarioContext,
  fixture: StoreFixture,
  victim: Victim,
  round: number,
  position: () => number,
): Promise<void> {
  const { random, tally } = context;
  let dying = false;
  const load = startLoad({
    addresses: () => (dying ? [] : [victim.base]),
    token: victim.token,
    random: random.fork(`round ${round}`),
    ledger: fixture.ledger,
    tally,
    position,
    mayBreak: () => dying,
    readsMayFail: () => false,
    writesMayFail: () => false,
  });
  await pause(random.between(0, lifeMsMax));
  dying = true;
  await victim.killed();
  await load.ended();
}

/** Often in the midst of a checkpoint, which is rare and touches the database itself. */
function instantIn(records: readonly DiskRecord[], random: SeededRandom): number {
  const checkpoint = records.flatMap(({ kind, path }, index) =>
    kind === "write" && path.endsWith(".db") ? [index + 1] : [],
  );
  return checkpoint.length > 0 && random.happens(0.5)
    ? random.oneOf(checkpoint)
    : random.between(0, records.length + 1);
}

/** Whichever instant it was, the database is whole and has what was acknowledged by then. */
function judgeInstant(
  { folder, tally }: ScenarioContext,
  { ledger }: StoreFixture,
  image: DiskImage,
  at: number,
) {
  const place = join(folder, "instant");
  writeImage(place, image);
  const file = join(place, "production", "petstore.db");
  judgeDatabase(file, tally);
  judgeAuditLog(file, tally);
  judgeRowsAt(file, ledger, at, tally);
}
