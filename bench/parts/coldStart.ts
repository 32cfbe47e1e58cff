/** From starting the program to its first answer, on data that is there; and the memory it then has. */
import { setTimeout as pause } from "node:timers/promises";
import { median } from "../figures.ts";
import { say } from "../say.ts";
import { figure } from "../table.ts";
import { usageOf } from "../usage.ts";
import type { Part } from "./part.ts";

const starts = 7;
const idleMs = 2_000;

export const measureColdStart: Part = async (arena, contestants) => {
  const facts: Record<string, number> = {};
  const rows: string[][] = [];
  for (const contestant of contestants.filter(({ name }) => name !== "bareSqlite")) {
    await arena.during([contestant], async ([entry]) => {
      if (entry === undefined) return;
      const times: number[] = [];
      for (let count = 0; count < starts; count++) times.push(await entry.running.restart());
      await pause(idleMs);
      const { memoryMb } = usageOf(entry.running.pid);
      facts[contestant.name] = median(times);
      facts[`${contestant.name}MemoryMb`] = memoryMb;
      rows.push([
        contestant.title,
        figure(median(times)),
        figure(Math.min(...times)),
        figure(memoryMb),
      ]);
      say(`${contestant.name} answers after ${figure(median(times))} ms`);
    });
  }
  return {
    name: "coldStart",
    title: "Start to first answer, and idle memory",
    method: `From spawning the process to the first 200 for one pet, on the data of the comparison: the median and the least of ${starts} starts, asked every 2 ms. Memory is what is resident after one answer and ${idleMs / 1_000} s of rest.`,
    columns: ["contestant", "start ms", "least ms", "idle memory MB"],
    rows,
    facts,
  };
};
