/** Whether lists stay as fast, and memory as small, with many more pets. */
import type { Running } from "../contestants/contestant.ts";
import { startOurs } from "../contestants/ours.ts";
import { median, medianRatio, rotated } from "../figures.ts";
import { drawSample } from "../sample.ts";
import { say } from "../say.ts";
import { figure } from "../table.ts";
import { type WorkName, workTitles } from "../works.ts";
import type { Part } from "./part.ts";

const works = ["listPlain", "listByStatus", "listDeep", "getPetAny"] as const;
/** As many pages for all, or else the fewer pets would have the warmer caches. */
const depths = 900;
const warmUpSeconds = 1;

interface Size {
  readonly pets: number;
  readonly running: Running;
  readonly rates: Map<WorkName, Map<number, number>>;
  memoryMb: number;
}

export const measureGrowth: Part = async (arena, _contestants, options) => {
  const sizes: Size[] = [];
  try {
    for (const pets of options.growth) {
      const place = { folder: arena.newFolder(), sample: drawSample(pets, depths) };
      say(`starting ours with ${pets.toLocaleString("en")} pets`);
      sizes.push({ pets, running: await startOurs(place), rates: new Map(), memoryMb: 0 });
    }
    for (const { running } of sizes) {
      for (const work of works) await running.measure(work, warmUpSeconds);
    }
    for (let round = 1; round <= options.rounds; round++) {
      for (const [index, work] of works.entries()) {
        for (const size of rotated(sizes, round + index)) {
          await measureOne(size, work, round, options.seconds);
        }
      }
    }
  } finally {
    for (const { running } of sizes) await running.stop();
  }
  return tell(sizes);
};

async function measureOne(size: Size, work: WorkName, round: number, seconds: number) {
  const measured = await size.running.measure(work, seconds);
  const rates = size.rates.get(work) ?? new Map<number, number>();
  size.rates.set(work, rates.set(round, measured.requestsPerSecond));
  size.memoryMb = Math.max(size.memoryMb, measured.memoryMb);
  const count = size.pets.toLocaleString("en");
  say(`round ${round}: ${workTitles[work]} of ${count}: ${figure(measured.requestsPerSecond)}/s`);
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
    method: `Ours with each number of pets at the same time, loaded in turns: requests per second, and the time of a request with the most pets against the fewest, within each round. Deep pages are ${depths} for each, spread over all ids; memory is the most that was resident.`,
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
