/** Whether requests stay as cheap, and memory as small, with many more of whatever there is. */
import { join } from "node:path";
import { type Measured, metered, type Running } from "../contestants/contestant.ts";
import { drawGrowth } from "../growth/chart.ts";
import { type Growth, measureSubject } from "../growth/subject.ts";
import { subjects } from "../growth/subjects.ts";
import { figure } from "../table.ts";
import { callsOf, type WorkName } from "../works.ts";
import { applyLoad, writeCalls } from "../wrk.ts";
import type { Part } from "./part.ts";

export const measureGrowth: Part = async (arena, _contestants, options) => {
  const growths: Growth[] = [];
  for (const subject of subjects.filter(({ name }) => options.growth.includes(name))) {
    growths.push(await measureSubject(subject, arena, options));
  }
  return {
    name: "growth",
    title: "Growth",
    method:
      "Ours with each number of them at the same time, one process each, loaded in turns: the processor time of the service for each request, which other load on the machine changes least, and the most against the fewest within each round. Pets are read with `Prefer: handling=strict` and files with `If-None-Match`, to which ours never gives a cached response.",
    columns: ["of which there are", "figure", "fewest", "more", "most", "most ÷ fewest"],
    rows: growths.flatMap(rowsOf),
    facts: factsOf(growths),
    chart: drawGrowth(growths),
  };
};

function rowsOf({ name, sizes, figures }: Growth): string[][] {
  const counts = sizes.map((size) => size.toLocaleString("en")).join(" · ");
  return figures.map(({ title, values, ratios }, at) => {
    const [fewest, more, most] = values.length > 2 ? values : [values[0], undefined, values[1]];
    const cells = [fewest, more, most, ratios.at(-1)].map(figure);
    return [at === 0 ? `${counts} ${name}` : "", title, ...cells];
  });
}

/** What goals are about: pages of pets, and the memory with most of them. */
export function factsOf(growths: readonly Growth[]): Record<string, number> {
  const figures = growths.find(({ name }) => name === "pets")?.figures;
  if (figures === undefined) return {};
  const pages = figures.filter(({ name }) => ["firstPage", "deepPage", "status"].includes(name));
  return {
    timeRatio: Math.max(...pages.map(({ ratios }) => ratios.at(-1) ?? Number.NaN)),
    memoryMb: figures.find(({ name }) => name === "memory")?.values.at(-1) ?? Number.NaN,
  };
}

/** A request with a wish of its own is never given a kept answer. */
const theLongWay = { Prefer: "handling=strict" };

/** Loads a service with reads that it answers from its store, never with a kept answer. */
export async function readStore(
  { folder, running }: { readonly folder: string; readonly running: Running },
  work: WorkName,
  seconds: number,
): Promise<Measured> {
  const { dialect, pid, port, sample } = running;
  const calls = join(folder, `${work}.strict.calls`);
  const headers = { ...dialect.headers, ...theLongWay };
  writeCalls(calls, { headers, calls: callsOf(work, dialect, sample), ids: sample.pets });
  const measured = await metered(pid, () => applyLoad({ port, calls, seconds }));
  // A refusal is quick, and would pass for a fast answer.
  if (measured.faults === 0) return measured;
  throw new Error(`${measured.faults} requests were refused or broken off.`);
}
