/** Several processes of ours on one database. */
import { cpus } from "node:os";
import { join } from "node:path";
import type { Arena } from "../arena.ts";
import type { Running } from "../contestants/contestant.ts";
import { serveOurs } from "../contestants/ours.ts";
import { median, medianRatio } from "../figures.ts";
import { say } from "../say.ts";
import { newDataFolder, newKey } from "../seeded.ts";
import { figure } from "../table.ts";
import { type WorkName, workTitles } from "../works.ts";
import type { Part } from "./part.ts";

const works = ["getPet", "listDeep", "createPet"] as const;
/** The load needs cores too. */
const processCount = Math.max(2, Math.floor(cpus().length / 2));

interface Tally {
  readonly rates: Map<number, number>;
  readonly cpuUs: number[];
}

export const measureProcesses: Part = async (arena, _contestants, options) => {
  const { rounds, seconds, warmUpSeconds } = options;
  const processes = await startSeveral(arena);
  const counts = [1, processCount];
  const tallies = new Map<string, Tally>();
  const tallyOf = (work: WorkName, count: number) => {
    const name = `${work} ${count}`;
    const tally: Tally = tallies.get(name) ?? { rates: new Map(), cpuUs: [] };
    tallies.set(name, tally);
    return tally;
  };
  try {
    for (const work of works) {
      await loadAll(processes, work, work === "createPet" ? 1 : warmUpSeconds);
    }
    for (let round = 1; round <= rounds; round++) {
      for (const work of works) {
        for (const count of counts) {
          const { rate, cpuUsPerRequest } = await loadAll(processes.slice(0, count), work, seconds);
          const tally = tallyOf(work, count);
          tally.rates.set(round, rate);
          tally.cpuUs.push(cpuUsPerRequest);
          say(`round ${round}: ${workTitles[work]}, processes: ${count}: ${figure(rate)}/s`);
        }
      }
    }
  } finally {
    for (const running of processes) await running.stop();
  }
  const ratioOf = (work: WorkName, count: number) =>
    medianRatio(tallyOf(work, count).rates, tallyOf(work, 1).rates);
  return {
    name: "processes",
    title: "Several processes, one SQLite database",
    method: `On SQLite alone. Each process listens on a port of its own and has a wrk of its own with 64 connections, all at the same time, on ${cpus().length} cores that servers and load share: with few cores the rate cannot grow, and the processor time per request says what one more process costs. Reads are given from the answers that each process keeps.`,
    columns: ["work", "processes", "requests/s", "× one process", "CPU µs/request"],
    rows: works.flatMap((work) =>
      counts.map((count) => [
        workTitles[work],
        String(count),
        figure(median([...tallyOf(work, count).rates.values()])),
        figure(ratioOf(work, count)),
        figure(median(tallyOf(work, count).cpuUs)),
      ]),
    ),
    facts: Object.fromEntries(works.map((work) => [work, ratioOf(work, processCount)])),
  };
};

async function startSeveral(arena: Arena): Promise<Running[]> {
  const { sample } = arena;
  const dataFolder = join(arena.newFolder(), "data");
  await newDataFolder(dataFolder, sample.pets);
  const key = await newKey(dataFolder);
  const processes: Running[] = [];
  for (let count = 0; count < processCount; count++) {
    processes.push(await serveOurs({ folder: arena.newFolder(), sample, dataFolder, key }));
  }
  return processes;
}

async function loadAll(processes: readonly Running[], work: WorkName, seconds: number) {
  const loads = await Promise.all(processes.map((running) => running.measure(work, seconds)));
  const requests = loads.reduce((sum, load) => sum + load.requests, 0);
  const cpuUs = loads.reduce((sum, load) => sum + load.cpuUsPerRequest * load.requests, 0);
  return {
    rate: loads.reduce((sum, load) => sum + load.requestsPerSecond, 0),
    cpuUsPerRequest: cpuUs / Math.max(1, requests),
  };
}
