// Run as: bun bench/bareLoop.ts <database> <seconds>
// Every caller has one row waiting at all times, and all of them are answered by one commit. Same
// tables, indexes and statements as ours, the same promise: on disk before it is acknowledged.
import { petText } from "../src/petstore/catalogue/pet.ts";
import { connectOrCreate } from "../src/storage/sqlite/connection.ts";
import type { Measured } from "./contestants/contestant.ts";
import { median } from "./figures.ts";

const callers = 64;
const [path = "", seconds = ""] = process.argv.slice(2);

const db = connectOrCreate(path);
const begin = db.prepare("BEGIN IMMEDIATE");
const commit = db.prepare("COMMIT");
const readLast = db.prepare("SELECT value FROM counters WHERE name = 'last_pet_id'");
const saveLast = db.prepare("UPDATE counters SET value = ? WHERE name = 'last_pet_id'");
const insert = db.prepare(
  "INSERT INTO pets (id, name, category_id, status, json) VALUES (?, ?, ?, ?, ?)",
);

const commitMs: number[] = [];
const began = performance.now();
const untilMs = began + Number(seconds) * 1_000;
const cpuBefore = process.cpuUsage();
for (let startedMs = began; startedMs < untilMs; ) {
  begin.run();
  let id = BigInt(readLast.get()?.["value"] as number);
  for (let caller = 0; caller < callers; caller++) {
    id++;
    const pet = { id, name: `Bench ${id}`, categoryId: 7n, status: "available" } as const;
    insert.run(id, pet.name, pet.categoryId, pet.status, petText(pet));
  }
  saveLast.run(id);
  commit.run();
  const now = performance.now();
  commitMs.push(now - startedMs);
  startedMs = now;
}
const elapsedMs = performance.now() - began;
const cpu = process.cpuUsage(cpuBefore);
const memoryMb = process.memoryUsage.rss() / 1024 ** 2;
db.close();

const rows = commitMs.length * callers;
const sorted = commitMs.toSorted((a, b) => a - b);
const measured: Measured = {
  requests: rows,
  requestsPerSecond: rows / (elapsedMs / 1_000),
  p50Ms: median(commitMs),
  p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
  faults: 0,
  cpuUsPerRequest: (cpu.user + cpu.system) / Math.max(1, rows),
  memoryMb,
};
console.log(JSON.stringify(measured));
