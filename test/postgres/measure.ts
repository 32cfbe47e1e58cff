/**
 * How fast the store is on PostgreSQL, beside what the server gives to pgbench and to a bare loop of
 * the driver. In turns, so that whatever else the machine does strikes all alike.
 *
 *   bun test/postgres/measure.ts [seconds per measurement] [rounds]
 */
import { spawnSync } from "node:child_process";
import pg from "pg";
import { systemClock } from "../../src/core/clock.ts";
import { openPostgres } from "../../src/storage/postgres/store.ts";
import { startPostgres } from "../../testkit/postgresServer.ts";

const [, , secondsText = "3", roundsText = "3"] = process.argv;
const seconds = Number(secondsText);
const pets = 100_000;
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

const server = await startPostgres({ shared_buffers: "256MB" });
const address = await server.database("bench");
const settings = { address, connectionsMax: 10, namedStatements: false };
const plain = await openPostgres(settings, { environment: "production", clock: systemClock });
const named = await openPostgres(
  { ...settings, namedStatements: true },
  { environment: "production", clock: systemClock },
);
for (let first = 1; first <= pets; first += 10_000) {
  const ids = Array.from({ length: 10_000 }, (_, index) => BigInt(first + index));
  await plain.catalogue.import(ids.map((id) => ({ ...bella, id })));
}
await server.query("VACUUM ANALYZE", address);
const pool = new pg.Pool({ connectionString: address, max: 10 });
const hasPgbench = spawnSync("pgbench", ["--version"]).status === 0;
if (hasPgbench) pgbench("-q", "-i", "-s", "1");

function pgbench(...options: string[]): number {
  const at = ["-h", "127.0.0.1", "-p", String(server.port), "-U", "postgres", "bench"];
  const { stdout } = spawnSync("pgbench", [...options, ...at], { encoding: "utf8" });
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}

async function perSecond(concurrency: number, work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  let count = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (; performance.now() < endMs; count++) await work();
    }),
  );
  return (count / (performance.now() - startedMs)) * 1_000;
}

const someId = () => BigInt(1 + Math.floor(Math.random() * pets));

async function bareLoop(): Promise<void> {
  const client = await pool.connect();
  const text = "SELECT json FROM pets WHERE id = $1";
  await client.query({ name: "get", text, values: [String(someId())], rowMode: "array" });
  client.release();
}

const select = (clients: number) => async () =>
  pgbench("-S", "-M", "prepared", "-n", "-j", "2", "-T", secondsText, "-c", String(clients));
const get = (stores: typeof plain, concurrency: number) => () =>
  perSecond(concurrency, async () => stores.catalogue.get(someId()));
const list = (stores: typeof plain) => () =>
  perSecond(64, async () => stores.catalogue.list({ after: someId(), limit: 20 }));
const add = (concurrency: number) => () => perSecond(concurrency, () => plain.catalogue.add(bella));
let keys = 0;
const addIdempotently = () =>
  perSecond(64, () => {
    const idempotency = {
      keyId: "k",
      idempotencyKey: String(++keys),
      fingerprint: "f",
      nowMs: Date.now(),
    };
    return plain.catalogue.add(bella, { idempotency });
  });

const measurements: Readonly<Record<string, () => Promise<number>>> = {
  ...(hasPgbench
    ? { "pgbench -S -M prepared, 8 clients": select(8), "the same, 64 clients": select(64) }
    : {}),
  "bare loop of pg, named, 64 at once": () => perSecond(64, bareLoop),
  "getPet, 64 at once": get(plain, 64),
  "getPet, 64 at once, named": get(named, 64),
  "getPet, one at a time": get(plain, 1),
  "list of 20, 64 at once": list(plain),
  "list of 20, 64 at once, named": list(named),
  "createPet, one at a time": add(1),
  "createPet, 64 at once": add(64),
  "createPet with an idempotency key, 64 at once": addIdempotently,
};

const seen = new Map(Object.keys(measurements).map((name) => [name, [] as number[]]));
for (let round = 0; round < Number(roundsText); round++) {
  for (const [name, measure] of Object.entries(measurements)) {
    seen.get(name)?.push(await measure());
  }
}
for (const [name, rates] of seen) {
  const sorted = rates.toSorted((a, b) => a - b).map(Math.round);
  const median = sorted[Math.floor(sorted.length / 2)];
  console.log(`${name.padEnd(40)} ${String(median).padStart(8)} /s   (${sorted.join(", ")})`);
}
await pool.end();
await plain.close();
await named.close();
await server.remove();
process.exit(0);
