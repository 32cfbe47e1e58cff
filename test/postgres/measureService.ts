/**
 * How many requests a second the service answers over HTTP on PostgreSQL, with the server, the
 * service and 64 clients on one machine.
 *
 *   bun test/postgres/measureService.ts [processes] [seconds per measurement] [rounds]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../../testkit/postgresServer.ts";
import { petstore, startProcess } from "../../testkit/serviceProcess.ts";

const [, , processesText = "1", secondsText = "3", roundsText = "3"] = process.argv;
const clientCount = 64;
const petCount = 100_000;

const server = await startPostgres({ shared_buffers: "256MB" });
const folder = mkdtempSync(join(tmpdir(), "petstore-measure-"));
const variables = {
  DATABASE_URL: await server.database("bench"),
  PETSTORE_DATA: folder,
  PETSTORE_LOG: "error",
  PETSTORE_SECRET: "one secret for all processes of this service",
};
const { key } = JSON.parse((await petstore(["keys", "create", "--json"], variables)).stdout);
await petstore(["pets", "seed", "--count", String(petCount)], variables);
await server.query("VACUUM ANALYZE", variables.DATABASE_URL);
const processes = await Promise.all(
  Array.from({ length: Number(processesText) }, () => startProcess(variables)),
);

const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const body = JSON.stringify({ name: "Bella", categoryId: 3 });
const someId = () => 1 + Math.floor(Math.random() * petCount);
const requests: Readonly<Record<string, () => [path: string, init: RequestInit, status: number]>> =
  {
    "one pet by its id": () => [`/pets?id=${someId()}`, {}, 200],
    "a page of 20": () => ["/pets?status=available", {}, 200],
    "a new pet": () => ["/pets", { method: "POST", body }, 201],
  };

async function perSecond(request: (typeof requests)[string]): Promise<number> {
  const startedMs = performance.now();
  const endMs = startedMs + Number(secondsText) * 1_000;
  let count = 0;
  await Promise.all(
    Array.from({ length: clientCount }, async (_, client) => {
      const base = processes[client % processes.length]?.base;
      for (; performance.now() < endMs; count++) {
        const [path, init, status] = request();
        const response = await fetch(`${base}${path}`, { ...init, headers });
        await response.arrayBuffer();
        if (response.status !== status) throw new Error(`${path} was answered ${response.status}.`);
      }
    }),
  );
  return (count / (performance.now() - startedMs)) * 1_000;
}

const seen = new Map(Object.keys(requests).map((name) => [name, [] as number[]]));
for (let round = 0; round < Number(roundsText); round++) {
  for (const [name, request] of Object.entries(requests)) {
    seen.get(name)?.push(Math.round(await perSecond(request)));
  }
}
for (const [name, rates] of seen) {
  const sorted = rates.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  console.log(`${name.padEnd(24)} ${String(median).padStart(7)} /s   (${sorted.join(", ")})`);
}
for (const { end } of processes) await end("SIGTERM");
await server.remove();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
