/** Whether reads of the store stay as fast, and memory as small, with many more pets. */
import { join } from "node:path";
import { type Measured, metered, type Running } from "../contestants/contestant.ts";
import { startOurs } from "../contestants/ours.ts";
import { median, medianRatio, rotated } from "../figures.ts";
import { drawSample } from "../sample.ts";
import { say } from "../say.ts";
import { figure } from "../table.ts";
import { callsOf, type WorkName, workTitles } from "../works.ts";
import { applyLoad, writeCalls } from "../wrk.ts";
import type { Part } from "./part.ts";

const works = ["listPlain", "listByStatus", "listDeep", "getPetAny"] as const;
/** As many pages for all, or else the fewer pets would have the warmer caches. */
const depths = 900;
/** A request with a wish of its own is never given a kept answer. */
const theLongWay = { Prefer: "handling=strict" };
/** More pages of 20 than ours has room to keep. */
const pagesToKeep = 12_000;

interface Size {
  readonly pets: number;
  readonly folder: string;
  readonly running: Running;
  readonly rates: Map<WorkName, Map<number, number>>;
  memoryMb: number;
}

export const measureGrowth: Part = async (arena, _contestants, options) => {
  const sizes: Size[] = [];
  try {
    for (const pets of options.growth) {
      const folder = arena.newFolder();
      say(`starting ours with ${pets.toLocaleString("en")} pets`);
      const running = await startOurs({ folder, sample: drawSample(pets, depths) });
      sizes.push({ pets, folder, running, rates: new Map(), memoryMb: 0 });
    }
    for (const size of sizes) {
      for (const work of works) await readStore(size, work, options.warmUpSeconds);
    }
    for (let round = 1; round <= options.rounds; round++) {
      for (const [index, work] of works.entries()) {
        for (const size of rotated(sizes, round + index)) {
          await measureOne(size, work, round, options.seconds);
        }
      }
    }
    for (const size of sizes) {
      for (const fill of [fillWithPages, fillWithPets]) {
        size.memoryMb = Math.max(size.memoryMb, (await fill(size, options.seconds)).memoryMb);
      }
    }
  } finally {
    for (const { running } of sizes) await running.stop();
  }
  return tell(sizes);
};

async function measureOne(size: Size, work: WorkName, round: number, seconds: number) {
  const measured = await readStore(size, work, seconds);
  const rates = size.rates.get(work) ?? new Map<number, number>();
  size.rates.set(work, rates.set(round, measured.requestsPerSecond));
  size.memoryMb = Math.max(size.memoryMb, measured.memoryMb);
  const count = size.pets.toLocaleString("en");
  say(`round ${round}: ${workTitles[work]} of ${count}: ${figure(measured.requestsPerSecond)}/s`);
}

/** Loads a service with reads that it answers from its store, never with a kept answer. */
export async function readStore(
  { folder, running }: Pick<Size, "folder" | "running">,
  work: WorkName,
  seconds: number,
): Promise<Measured> {
  const { dialect, pid, port, sample } = running;
  const calls = join(folder, `${work}.strict.calls`);
  const headers = { ...dialect.headers, ...theLongWay };
  writeCalls(calls, { headers, calls: callsOf(work, dialect, sample), ids: sample.pets });
  return faultless(await metered(pid, () => applyLoad({ port, calls, seconds })));
}

/** Memory is at its most when ours keeps as many answers as it has room for. */
async function fillWithPages({ folder, pets, running }: Size, seconds: number) {
  const { dialect, pid, port } = running;
  const { headers } = dialect;
  const calls = join(folder, "pages.calls");
  const pages = callsOf("listDeep", dialect, drawSample(pets, pagesToKeep));
  writeCalls(calls, { headers, calls: pages, ids: pets });
  return faultless(await metered(pid, () => applyLoad({ port, calls, seconds })));
}

async function fillWithPets({ running }: Size, seconds: number) {
  return faultless(await running.measure("getPet", seconds));
}

/** A refusal is quick, and would pass for a fast answer. */
function faultless(measured: Measured): Measured {
  if (measured.faults === 0) return measured;
  throw new Error(`${measured.faults} requests were refused or broken off.`);
}

function tell(sizes: readonly Size[]) {
  const [fewest] = sizes;
  const most = sizes.at(-1);
  if (fewest === undefined || most === undefined) throw new Error("There is nothing to compare.");
  const rows = [
    ...works.map((work) => [
      workTitles[work],
      ...sizes.map((size) => figure(median([...(size.rates.get(work)?.values() ?? [])]))),
      figure(timeRatio(most, fewest, work)),
    ]),
    [
      "memory MB",
      ...sizes.map((size) => figure(size.memoryMb)),
      figure(most.memoryMb / fewest.memoryMb),
    ],
  ];
  const lists = works.filter((work) => work !== "getPetAny");
  return {
    name: "growth",
    title: "Growth",
    method: `Ours with each number of pets at the same time, loaded in turns: requests per second, and the time of a request with the most pets against the fewest, within each round. Every request says \`Prefer: handling=strict\`, to which ours never gives a kept answer: all is read from the store. Deep pages are ${depths} for each, spread over all ids. Memory is the most that was resident, with as many kept answers as ours has room for.`,
    columns: [
      "work",
      ...sizes.map(({ pets }) => `${pets.toLocaleString("en")} pets`),
      "most ÷ fewest",
    ],
    rows,
    facts: {
      timeRatio: Math.max(...lists.map((work) => timeRatio(most, fewest, work))),
      memoryMb: most.memoryMb,
    },
  };
}

/** Requests take the longer, the fewer are answered in a second. */
function timeRatio(size: Size, fewest: Size, work: WorkName): number {
  return medianRatio(fewest.rates.get(work) ?? new Map(), size.rates.get(work) ?? new Map());
}
