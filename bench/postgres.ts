/**
 * How many requests a second the service answers on PostgreSQL, beside what pgbench gets out of the
 * same server with statements of the same effect. In turns, so that whatever else the machine does
 * strikes all alike; server, service and clients share the machine.
 *
 *   bun bench/postgres.ts [seconds per round] [rounds]
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PostgresServer, startPostgres } from "../testkit/postgresServer.ts";
import { petstore, startProcess } from "../testkit/serviceProcess.ts";

const petCount = 100_000;
/** As many as are asked for where we are compared with files. */
const sampleCount = 10_000;
const connections = 64;
const pageSize = 20;
/** So many different pages are asked for. */
const pageCount = 500;

export interface PostgresPlan {
  /** Of each round of each measurement. */
  readonly seconds: number;
  readonly rounds: number;
  /** Of each measurement that reads, before the first round. */
  readonly warmUpSeconds?: number;
  /** Settings of the service beside those that it needs, such as PETSTORE_LOG. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly say?: (line: string) => void;
}

/** Requests or transactions a second, one for each round. */
export type Rates = readonly number[];

export interface PostgresFigures {
  readonly rates: Readonly<Record<MeasurementName, Rates>>;
  /** What the service did over what pgbench did in the same round; the median of the rounds. */
  readonly ratios: {
    /**
     * Any of all pets, over `pgbench -S -M prepared` with whichever number of clients got more out
     * of the server.
     */
    readonly getPet: number;
    /** The same by two processes, since pgbench and the server use every core too. */
    readonly getPetByTwo: number;
    /** The same by one, for pets out of `sampleCount`, whose answers are kept. */
    readonly getPetOften: number;
    /** The same for `GET /pets?id=`. */
    readonly petById: number;
    /** Over the same page read by pgbench. */
    readonly listOf20: number;
    /** Over the same row inserted by pgbench, each in a transaction of its own. */
    readonly createPet: number;
  };
}

/** In the order in which they are taken: what is compared stands side by side. */
const measurementNames = [
  ...(["select8", "getPet", "getPetByTwo", "getPetOften", "select64", "petById"] as const),
  ...(["page64", "listOf20", "insert64", "createPet"] as const),
] as const;
const writing: readonly MeasurementName[] = ["insert64", "createPet"];
type MeasurementName = (typeof measurementNames)[number];

/** What the machine lacks for it, or undefined where it can be measured. */
export function lacksForPostgres(): string | undefined {
  const missing = ["pgbench", "wrk"].filter((name) => spawnSync(name, ["-v"]).error !== undefined);
  if (missing.length === 0) return undefined;
  return `${missing.join(" and ")} not found (Debian: postgresql-contrib, wrk)`;
}

export async function measurePostgres(plan: PostgresPlan): Promise<PostgresFigures> {
  const lacking = lacksForPostgres();
  if (lacking !== undefined) throw new Error(`PostgreSQL cannot be measured: ${lacking}.`);
  const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
  const server = await startPostgres({ shared_buffers: "256MB" });
  try {
    const address = await server.database("bench");
    const variables = {
      DATABASE_URL: address,
      PETSTORE_DATA: folder,
      PETSTORE_LOG: "off",
      // As pgbench does with -M prepared.
      PETSTORE_DATABASE_PREPARE: "on",
      ...plan.variables,
    };
    const { key } = JSON.parse((await petstore(["keys", "create", "--json"], variables)).stdout);
    plan.say?.(`Storing ${petCount} pets.`);
    await petstore(["pets", "seed", "--count", String(petCount)], variables);
    await prepareForPgbench(server, address);
    const [service, other] = [await startProcess(variables), await startProcess(variables)];
    try {
      const pages = await pagesOf(service.base, key);
      const ours = wrkOn(service.base, key, folder, pages, connections);
      const halves = [service, other].map(({ base }) =>
        wrkOn(base, key, folder, pages, connections / 2),
      );
      const measurements = {
        ...pgbenchOn(server, folder),
        ...ours,
        async getPetByTwo(seconds: number) {
          const rates = await Promise.all(halves.map(({ getPet }) => getPet(seconds)));
          return rates.reduce((sum, rate) => sum + rate, 0);
        },
      };
      return figuresFrom(await inTurns(measurements, plan));
    } finally {
      await Promise.all([service.end("SIGTERM"), other.end("SIGTERM")]);
    }
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Measure = (seconds: number) => Promise<number>;

async function inTurns(
  measurements: Readonly<Record<MeasurementName, Measure>>,
  { seconds, rounds, warmUpSeconds = 0, say = () => {} }: PostgresPlan,
): Promise<Record<MeasurementName, number[]>> {
  const rates = Object.fromEntries(measurementNames.map((name) => [name, [] as number[]]));
  for (const name of measurementNames) {
    if (warmUpSeconds > 0 && !writing.includes(name)) await measurements[name](warmUpSeconds);
  }
  for (let round = 1; round <= rounds; round++) {
    for (const name of measurementNames) {
      const rate = await measurements[name](seconds);
      rates[name]?.push(rate);
      say(`round ${round}: ${name.padEnd(10)} ${Math.round(rate)} /s`);
    }
  }
  return rates as Record<MeasurementName, number[]>;
}

/** By rounds, whose measurements were taken next to each other: the machine changes with time. */
function figuresFrom(rates: Record<MeasurementName, number[]>): PostgresFigures {
  const over = (ours: Rates, theirs: (round: number) => number) =>
    median(ours.map((rate, round) => rate / theirs(round)));
  const rateOf = (name: MeasurementName) => (round: number) => rates[name][round] ?? Number.NaN;
  const select = (round: number) => Math.max(rateOf("select8")(round), rateOf("select64")(round));
  return {
    rates,
    ratios: {
      getPet: over(rates.getPet, select),
      getPetByTwo: over(rates.getPetByTwo, select),
      getPetOften: over(rates.getPetOften, select),
      petById: over(rates.petById, select),
      listOf20: over(rates.listOf20, rateOf("page64")),
      createPet: over(rates.createPet, rateOf("insert64")),
    },
  };
}

function median(rates: Rates): number {
  return rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? Number.NaN;
}

async function prepareForPgbench(server: PostgresServer, address: string): Promise<void> {
  await runToEnd("pgbench", ["-q", "-i", "-s", "1", ...placeOf(server)]);
  // Like the pets in every respect, but with ids that the server gives out.
  await server.query(
    `CREATE TABLE bench_pets (LIKE pets INCLUDING ALL);
     ALTER TABLE bench_pets ALTER id ADD GENERATED ALWAYS AS IDENTITY`,
    address,
  );
  await server.query("VACUUM ANALYZE", address);
}

function pgbenchOn(server: PostgresServer, folder: string) {
  const script = (name: string, lines: readonly string[]) => {
    const path = join(folder, `${name}.sql`);
    writeFileSync(path, `${lines.join("\n")}\n`);
    return ["-f", path];
  };
  const page = script("page", [
    `\\set id random(1, ${petCount - pageSize - 1})`,
    `SELECT id, json FROM pets WHERE id > :id ORDER BY id LIMIT ${pageSize + 1};`,
  ]);
  const insert = script("insert", [
    "INSERT INTO bench_pets (name, category_id, status, json) VALUES ('Bella', 3, 'available',",
    `  '{"id":1,"name":"Bella","categoryId":3,"status":"available"}');`,
  ]);
  const by =
    (clients: number, what: readonly string[]): Measure =>
    async (seconds) => {
      const how = ["-M", "prepared", "-n", "-j", "2", "-T", String(seconds), "-c", String(clients)];
      const said = await runToEnd("pgbench", [...what, ...how, ...placeOf(server)]);
      return numberIn(said, /tps = ([\d.]+)/);
    };
  return {
    select8: by(8, ["-S"]),
    select64: by(64, ["-S"]),
    page64: by(64, page),
    insert64: by(64, insert),
  };
}

/** Addresses of pages that follow one another. */
async function pagesOf(base: string, key: string): Promise<string[]> {
  const pages: string[] = [];
  let next: string | undefined = `${base}/pets?limit=${pageSize}`;
  while (next !== undefined && pages.length < pageCount) {
    const { pathname, search }: URL = new URL(next);
    pages.push(`${pathname}${search}`);
    const response: Response = await fetch(next, { headers: { authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return pages;
}

function wrkOn(
  base: string,
  key: string,
  folder: string,
  pages: readonly string[],
  connections: number,
) {
  const by = (name: string, request: string, before: readonly string[] = []): Measure => {
    const path = join(folder, `${name}.lua`);
    const lines = [
      `wrk.headers["Authorization"] = "Bearer ${key}"`,
      `wrk.headers["Content-Type"] = "application/json"`,
      "math.randomseed(os.time())",
      ...before,
      `function request() return ${request} end`,
    ];
    writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
    return async (seconds) => {
      const how = ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", path, base];
      const said = await runToEnd("wrk", how);
      const refused = /(?:Non-2xx|Socket errors).*/.exec(said)?.[0];
      if (refused !== undefined) throw new Error(`${name}: ${refused}`);
      return numberIn(said, /Requests\/sec:\s+([\d.]+)/);
    };
  };
  const { pathname } = new URL(base);
  const get = (search: string) => `wrk.format("GET", "${pathname}/pets${search}")`;
  const body = JSON.stringify({ name: "Bella", categoryId: 3, status: "available" });
  return {
    getPet: by("getPet", get(`/" .. math.random(${petCount}) .. "`)),
    getPetOften: by("getPetOften", get(`/" .. math.random(${sampleCount}) .. "`)),
    petById: by("petById", get(`?id=" .. math.random(${petCount}) .. "`)),
    listOf20: by("listOf20", `wrk.format("GET", pages[math.random(#pages)])`, [
      `pages = {${pages.map((page) => JSON.stringify(page)).join(",")}}`,
    ]),
    createPet: by(
      "createPet",
      `wrk.format("POST", "${pathname}/pets", nil, ${JSON.stringify(body)})`,
    ),
  };
}

function placeOf({ port }: PostgresServer): string[] {
  return ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", "bench"];
}

/** Not in one go with this process: the service must be able to speak to it meanwhile. */
async function runToEnd(program: string, parameters: readonly string[]): Promise<string> {
  const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      said += text;
    });
  }
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} failed: ${said}`);
  return said;
}

function numberIn(text: string, pattern: RegExp): number {
  const found = Number(pattern.exec(text)?.[1]);
  if (Number.isNaN(found)) throw new Error(`There is no figure in: ${text}`);
  return found;
}

if (import.meta.main) {
  const [, , seconds = "3", rounds = "3"] = process.argv;
  const { rates, ratios } = await measurePostgres({
    seconds: Number(seconds),
    rounds: Number(rounds),
    say: (line) => console.error(line),
  });
  for (const name of measurementNames) {
    const shown = rates[name].map(Math.round).join(", ");
    console.log(
      `${name.padEnd(10)} ${String(Math.round(median(rates[name]))).padStart(8)} /s   (${shown})`,
    );
  }
  for (const [name, ratio] of Object.entries(ratios)) {
    console.log(`${name.padEnd(10)} ${ratio.toFixed(2)} × pgbench`);
  }
  process.exit(0);
}
