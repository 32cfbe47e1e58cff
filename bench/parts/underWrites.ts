/** What readers feel of writers that keep the store as busy as it gets. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { faultyDisk, lacksFaultyDisk, setFaults } from "../../testkit/faultyDisk.ts";
import type { Arena } from "../arena.ts";
import type { Running } from "../contestants/contestant.ts";
import { fastify } from "../contestants/fastify.ts";
import { quiet, serveOurs, startOurs } from "../contestants/ours.ts";
import { median, medianRatio } from "../figures.ts";
import type { Options } from "../options.ts";
import { say } from "../say.ts";
import { newDataFolder, newKey } from "../seeded.ts";
import { figure } from "../table.ts";
import { type WorkName, workTitles } from "../works.ts";
import { applyLoad } from "../wrk.ts";
import type { Part } from "./part.ts";

const readers = 4;
/** Few and paced: a flood of reads would wait for itself, and its p99 would say nothing of writes. */
const readerPauseMs = 2;
/** Writers begin before and end after the readers, so that no read is measured in peace. */
const marginSeconds = 1;
const syncDelayMs = 2;
const reads = ["getPet", "listDeep"] as const;

interface Reading {
  readonly idleP99Ms: ReadonlyMap<number, number>;
  readonly busyP99Ms: ReadonlyMap<number, number>;
  readonly writesPerSecond: readonly number[];
}

export const measureUnderWrites: Part = async (arena, contestants, options) => {
  const facts: Record<string, number> = {};
  const rows: string[][] = [];
  const measure = async (title: string, running: Running, suffix?: string) => {
    for (const work of reads) {
      const reading = await readInTurns(running, work, options);
      const ratio = medianRatio(reading.busyP99Ms, reading.idleP99Ms);
      if (suffix !== undefined) facts[`${work}${suffix}`] = ratio;
      rows.push([title, workTitles[work], ...told(reading), figure(ratio)]);
      say(`${title}, ${workTitles[work]}: p99 is ${figure(ratio)} × the idle one under writes`);
    }
    await running.stop();
  };
  const { sample } = arena;
  await measure("ours", await startOurs({ folder: arena.newFolder(), sample }), "");
  const lacking = lacksFaultyDisk();
  if (lacking === undefined) {
    await measure("ours, disk at 2 ms", await startOnSlowDisk(arena), "SlowDisk");
  }
  if (contestants.includes(fastify)) {
    await arena.during([fastify], async ([entry]) => {
      if (entry !== undefined) await measure(fastify.title, entry.running);
    });
  }
  const left = lacking === undefined ? "" : ` The slow disk is left out: ${lacking}.`;
  return {
    name: "underWrites",
    title: "Reads while creates saturate the store",
    method: `${readers} connections read, each resting ${readerPauseMs} ms after an answer, first alone and then beside 64 that create pets without rest; "disk at 2 ms" makes every sync take ${syncDelayMs} ms longer. Creates change no stored pet, so that ours goes on giving answers that it keeps. Ratios within each round.${left}`,
    columns: ["service", "read", "idle p99 ms", "busy p99 ms", "creates/s", "× idle"],
    rows,
    facts,
  };
};

function told({ idleP99Ms, busyP99Ms, writesPerSecond }: Reading): string[] {
  return [[...idleP99Ms.values()], [...busyP99Ms.values()], writesPerSecond].map((values) =>
    figure(median(values)),
  );
}

async function readInTurns(
  running: Running,
  work: WorkName,
  { rounds, seconds, warmUpSeconds }: Options,
): Promise<Reading> {
  const read = (forSeconds: number) =>
    applyLoad({
      port: running.port,
      calls: running.callsFor(work),
      seconds: forSeconds,
      connections: readers,
      pauseMs: readerPauseMs,
    });
  await running.measure(work, warmUpSeconds);
  const idleP99Ms = new Map<number, number>();
  const busyP99Ms = new Map<number, number>();
  const writesPerSecond: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    idleP99Ms.set(round, (await read(seconds)).p99Ms);
    const writing = running.measure("createPet", seconds + 2 * marginSeconds);
    await new Promise((resolve) => setTimeout(resolve, marginSeconds * 1_000));
    busyP99Ms.set(round, (await read(seconds)).p99Ms);
    writesPerSecond.push((await writing).requestsPerSecond);
  }
  return { idleP99Ms, busyP99Ms, writesPerSecond };
}

async function startOnSlowDisk(arena: Arena): Promise<Running> {
  const { sample } = arena;
  const folder = arena.newFolder();
  const dataFolder = join(folder, "data");
  mkdirSync(dataFolder, { mode: 0o700 });
  await newDataFolder(dataFolder, sample.pets);
  const key = await newKey(dataFolder);
  const control = join(folder, "control");
  const disk = faultyDisk({ folder: dataFolder, control });
  const running = await serveOurs({
    folder,
    sample,
    dataFolder,
    key,
    variables: { ...quiet, ...disk },
  });
  setFaults(control, { syncDelayMs });
  return running;
}
