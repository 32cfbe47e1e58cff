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
import { judgeDatabase } from "../judge.ts";
import { pause, startLoad } from "../load.ts";
import type { Scenario, Stage } from "../scenario.ts";
import type { Victim } from "../service.ts";
import { judgeEnd, newShop, type Shop } from "../shop.ts";
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
  run: (stage) => losePower(stage, { lies: false }),
};

/** With a disk that lies about its syncs, acknowledged writes must be found missing. */
export async function losePower(stage: Stage, { lies }: { lies: boolean }): Promise<void> {
  const { random, tally, seconds } = stage;
  const endMs = performance.now() + seconds * 1_000;
  let shop = newShop(stage, "shop-0");
  let victim: Victim | undefined;
  /** How much was written down in the lives before. */
  let lifeBegan = 0;
  try {
    await made(shop);
    for (let round = 0; round === 0 || performance.now() < endMs; round++) {
      const disk = diskOf(shop);
      const before = readImage(shop.folder);
      victim = await shop.open(faultyDisk(disk));
      await shop.judge(victim);
      if (shop.isFull()) {
        await judgeEnd(victim, tally);
        shop = newShop(stage, `shop-${round}`);
        await made(shop);
        continue;
      }
      setFaults(disk.control, { syncDelayMs: random.between(0, syncDelayMsMax) });
      const position = () => lifeBegan + statSync(disk.journal).size;
      await liveAndDie(stage, shop, victim, round, position);
      const records = readJournal(readFileSync(disk.journal));
      for (let instant = 0; instant < instantsElse; instant++) {
        const some = records.slice(0, instantIn(records, random));
        const image = counted(cutPower({ before, records: some, random, lies }), tally);
        judgeInstant(stage, shop, image, lifeBegan + (some.at(-1)?.endsAt ?? 0));
      }
      lifeBegan += records.at(-1)?.endsAt ?? 0;
      writeImage(shop.folder, counted(cutPower({ before, records, random, lies }), tally));
    }
    victim = await shop.open(faultyDisk(diskOf(shop)));
    await shop.judge(victim);
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
async function made(shop: Shop): Promise<void> {
  const victim = await shop.open();
  await victim.stopped();
}

function diskOf({ folder }: Shop) {
  const disk = { folder, control: `${folder}.control`, journal: `${folder}.journal` };
  rmSync(disk.journal, { force: true });
  return disk;
}

async function liveAndDie(
  stage: Stage,
  shop: Shop,
  victim: Victim,
  round: number,
  position: () => number,
): Promise<void> {
  const { random, tally } = stage;
  let dying = false;
  const load = startLoad({
    addresses: () => (dying ? [] : [victim.base]),
    token: victim.token,
    random: random.fork(`round ${round}`),
    ledger: shop.ledger,
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
function judgeInstant({ folder, tally }: Stage, { ledger }: Shop, image: DiskImage, at: number) {
  const place = join(folder, "instant");
  writeImage(place, image);
  const file = join(place, "production", "petstore.db");
  judgeDatabase(file, tally);
  judgeRowsAt(file, ledger, at, tally);
}
