/** A service of ours on a data folder that was filled directly, and what its requests cost. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { freePorts } from "../../testkit/freePorts.ts";
import type { Arena } from "../arena.ts";
import { ask, firstAnswer, startChild } from "../children.ts";
import { metered } from "../contestants/contestant.ts";
import { edgeSettings, serviceSecret } from "../contestants/ours.ts";
import { databaseIn, main, newDataFolder, newKey, petstore } from "../seeded.ts";
import { usageOf } from "../usage.ts";
import type { Call } from "../works.ts";
import { applyLoad, type CallsFile, type LoadOrder, writeCalls } from "../wrk.ts";

/** Few: what grows is something else. */
export const petsBeside = 1_000;

export interface Place {
  readonly folder: string;
  readonly dataFolder: string;
  /** Of a client, with all scopes. */
  readonly key: string;
  /** Of the operator, for the platform's API. */
  readonly token: string;
}

export async function newPlace(arena: Arena, pets = petsBeside): Promise<Place> {
  const folder = arena.newFolder();
  const dataFolder = join(folder, "data");
  mkdirSync(dataFolder, { mode: 0o700 });
  await newDataFolder(dataFolder, pets);
  const key = await newKey(dataFolder);
  const made = await petstore(dataFolder, ["owners", "token", "--operator", "--json"]);
  return { folder, dataFolder, key, token: (JSON.parse(made) as { token: string }).token };
}

/** Writes as many as there are at once: they share commits. */
export async function fill(
  { dataFolder }: Pick<Place, "dataFolder">,
  write: (stores: Stores) => Promise<unknown>,
): Promise<void> {
  const stores = await openSqlite(databaseIn(dataFolder), {
    environment: "production",
    clock: systemClock,
  });
  await write(stores).finally(() => stores.close());
}

/** So many at a time, which is less than the queue of writes holds. */
const atOnce = 1_000;

export async function each(count: number, act: (at: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, count - from) }, (_, at) => from + at);
    await Promise.all(some.map(act));
  }
}

export type Service = Awaited<ReturnType<typeof serve>>;

/** With an edge, but no worker of domains: it would look for their names in DNS. */
export async function serve(place: Place, variables: Readonly<Record<string, string>> = {}) {
  const [port = 0, edgePort = 0, httpPort = 0, metricsPort = 0] = await freePorts(4);
  const { folder, key } = place;
  const child = startChild({
    command: process.execPath,
    args: [main, "serve"],
    variables: {
      NODE_ENV: "production",
      PORT: String(port),
      PETSTORE_DATA: place.dataFolder,
      PETSTORE_SECRET: serviceSecret,
      PETSTORE_METRICS_PORT: String(metricsPort),
      ...edgeSettings(httpPort, edgePort),
      ...variables,
    },
    output: join(folder, "output.log"),
  });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const startMs = await firstAnswer(child, { port, path: "/v1/pets/1", headers }, 2);
  let files = 0;

  /** Processor time of the service for each request of wrk, in µs. */
  async function cpuUs(load: Omit<LoadOrder, "calls"> & Pick<CallsFile, "calls"> & Loose) {
    const { calls, ids = 1, headers: own = headers, refused = false, ...order } = load;
    const file = join(folder, `${++files}.calls`);
    writeCalls(file, { headers: own, calls, ids });
    const measured = await metered(child.pid, () => applyLoad({ ...order, calls: file }));
    const faults = refused ? measured.requests - measured.faults : measured.faults;
    // A refusal is quick, and would pass for a fast answer.
    if (measured.requests === 0) throw new Error("No request was answered in time.");
    if (faults > 0) throw new Error(`${faults} responses were not those expected.`);
    return measured.cpuUsPerRequest;
  }

  /** Processor time of the service for each piece of work, in µs. */
  async function cpuUsOf(act: () => Promise<number>): Promise<number> {
    const before = usageOf(child.pid).cpuSeconds;
    const pieces = await act();
    return ((usageOf(child.pid).cpuSeconds - before) * 1e6) / pieces;
  }

  return {
    ...{ port, edgePort, metricsPort, headers, startMs, cpuUs },
    pid: child.pid,
    memoryMb: () => usageOf(child.pid).memoryMb,
    /** Of GET requests to the API, by anybody. */
    getUs: (
      paths: readonly string[],
      seconds: number,
      rest: Loose & { connections?: number } = {},
    ) =>
      cpuUs({
        port,
        seconds,
        calls: paths.map((path): Call => ({ method: "GET", path })),
        ...rest,
      }),
    /** Of a request of the operator that may take long, one after the other: none is cut off. */
    operatorUs: (path: string, seconds: number) =>
      cpuUsOf(async () => {
        const operator = { Authorization: `Bearer ${place.token}` };
        const endMs = performance.now() + seconds * 1_000;
        let requests = 0;
        do {
          const { status } = await ask({ port, path, headers: operator });
          if (status !== 200) throw new Error(`${path} was answered ${status}.`);
          requests++;
        } while (performance.now() < endMs);
        return requests;
      }),
    cpuUsOf,
    stop: () => child.stop(),
  };
}

interface Loose {
  readonly ids?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether every request is to be refused, and not none. */
  readonly refused?: boolean;
}
