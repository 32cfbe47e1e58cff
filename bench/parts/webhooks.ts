/** What webhooks cost: creates beside deliveries, deliveries alone, and lists beside many events. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../../testkit/freePorts.ts";
import type { Arena } from "../arena.ts";
import { ask, firstAnswer, startChild } from "../children.ts";
import type { Running } from "../contestants/contestant.ts";
import { quiet, serveOurs, serviceSecret } from "../contestants/ours.ts";
import { median, medianRatio, rotated } from "../figures.ts";
import type { Options } from "../options.ts";
import { say } from "../say.ts";
import { newDataFolder, newKey, petstore, replaceEvents } from "../seeded.ts";
import { figure } from "../table.ts";
import { usageOf } from "../usage.ts";
import { readStore } from "./growth.ts";
import type { Part } from "./part.ts";

const program = fileURLToPath(new URL("../receiver.ts", import.meta.url));
const variables = {
  ...quiet,
  PETSTORE_SECRET: serviceSecret,
  PETSTORE_WEBHOOK_NETWORKS: "127.0.0.0/8",
};
const manyEvents = 1_000_000;
/** The attempts that are held meanwhile must not take so long that they fail. */
const heldSecondsMax = 10;
/** After so long without a delivery, the service has probably sent all that it has to send. */
const quietMs = 1_000;
const looksMax = 60;

/** What the receiver says of itself. */
export interface Received {
  /** Each counted once. */
  readonly events: number;
  readonly lastAtMs: number;
  readonly nowMs: number;
}

interface Backlog {
  readonly perSecond: number;
  readonly cpuUs: number;
}

interface Place {
  readonly running: Running;
  readonly folder: string;
  readonly dataFolder: string;
  readonly rates: Map<number, number>;
  /** Empty if it has none. */
  readonly endpointId: string;
}

export const measureWebhooks: Part = async (arena, _contestants, options) => {
  const places: Place[] = [];
  const start = async (events: number, receiver?: Receiver) => {
    const place = await startService(arena, events, receiver);
    places.push(place);
    return place;
  };
  const receiver = await startReceiver(arena);
  try {
    const without = await start(0);
    const delivering = await start(0, receiver);
    const [noEvents, withEvents] = [await start(0), await start(manyEvents)];
    const backlogs = await playRounds(
      [without, delivering],
      [noEvents, withEvents],
      receiver,
      options,
    );
    return tell({ without, delivering, noEvents, withEvents, backlogs });
  } finally {
    for (const { running } of places) await running.stop();
    await receiver.stop();
  }
};

type Pair = readonly [without: Place, beside: Place];

async function playRounds(
  creating: Pair,
  listing: Pair,
  receiver: Receiver,
  { rounds, seconds, warmUpSeconds }: Options,
): Promise<Backlog[]> {
  for (const { running } of creating) await running.measure("createPet", 1);
  for (const place of listing) await readStore(place, "listDeep", warmUpSeconds);
  const backlogs: Backlog[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const { running, rates } of rotated(creating, round)) {
      const { requestsPerSecond } = await running.measure("createPet", seconds);
      rates.set(round, requestsPerSecond);
      await caughtUp(creating[1], receiver);
    }
    const backlog = await deliverBacklog(creating[1], receiver, Math.min(seconds, heldSecondsMax));
    backlogs.push(backlog);
    for (const place of rotated(listing, round)) {
      place.rates.set(round, (await readStore(place, "listDeep", seconds)).requestsPerSecond);
    }
    const [alone, beside] = creating.map(({ rates }) => figure(rates.get(round)));
    say(`round ${round}: ${beside} creates/s beside deliveries, ${alone} without;`);
    say(`  ${figure(backlog.perSecond)} deliveries/s, ${figure(backlog.cpuUs)} µs of CPU each`);
  }
  return backlogs;
}

/** Collects events while the receiver answers nothing, and then measures their delivery. */
async function deliverBacklog(place: Place, receiver: Receiver, seconds: number): Promise<Backlog> {
  const { pid } = place.running;
  const before = await receiver.ask("hold");
  await place.running.measure("createPet", seconds);
  const { cpuSeconds } = usageOf(pid);
  const began = await receiver.ask("release");
  const after = await caughtUp(place, receiver);
  const cpuUs = (usageOf(pid).cpuSeconds - cpuSeconds) * 1e6;
  const events = after.events - before.events;
  return {
    perSecond: events / ((after.lastAtMs - began.nowMs) / 1_000),
    cpuUs: cpuUs / events,
  };
}

/** Resolves when every event was delivered. */
async function caughtUp({ dataFolder, endpointId }: Place, receiver: Receiver): Promise<Received> {
  for (let look = 0; look < looksMax; look++) {
    const received = await receiver.quiet();
    const shown = await petstore(dataFolder, ["webhooks", "show", endpointId, "--json"]);
    const { pending, behind } = JSON.parse(shown) as { pending: number; behind: number };
    if (pending + behind === 0) return received;
  }
  throw new Error("Some events are not delivered.");
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver(arena: Arena) {
  const port = await freePort();
  const output = join(arena.newFolder(), "output.log");
  const child = startChild({ command: process.execPath, args: [program, String(port)], output });
  await firstAnswer(child, { port, path: "/received" });
  const askFor = async (what: "hold" | "release" | "received") =>
    JSON.parse((await ask({ port, path: `/${what}` })).body) as Received;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    ask: askFor,
    /** Resolves when nothing has come for a while. */
    async quiet(): Promise<Received> {
      for (;;) {
        const received = await askFor("received");
        if (received.nowMs - received.lastAtMs > quietMs) return received;
        await pause(quietMs / 4);
      }
    },
    stop: () => child.stop(),
  };
}

async function startService(arena: Arena, events: number, receiver?: Receiver): Promise<Place> {
  const { sample } = arena;
  const folder = arena.newFolder();
  const dataFolder = join(folder, "data");
  await newDataFolder(dataFolder, sample.pets);
  replaceEvents(dataFolder, events);
  const key = await newKey(dataFolder);
  const endpointId = receiver === undefined ? "" : await createEndpoint(dataFolder, receiver);
  const running = await serveOurs({ folder, sample, dataFolder, key, variables });
  return { running, folder, dataFolder, endpointId, rates: new Map() };
}

async function createEndpoint(dataFolder: string, { url }: Receiver): Promise<string> {
  const created = await petstore(dataFolder, ["webhooks", "create", url, "--json"], variables);
  return (JSON.parse(created) as { id: string }).id;
}

interface Measurements {
  readonly without: Place;
  readonly delivering: Place;
  readonly noEvents: Place;
  readonly withEvents: Place;
  readonly backlogs: readonly Backlog[];
}

function tell({ without, delivering, noEvents, withEvents, backlogs }: Measurements) {
  const createRatio = medianRatio(delivering.rates, without.rates);
  const listRatio = medianRatio(withEvents.rates, noEvents.rates);
  const deliveriesPerSecond = median(backlogs.map(({ perSecond }) => perSecond));
  const rate = ({ rates }: Place) => figure(median([...rates.values()]));
  const cpuUs = figure(median(backlogs.map((backlog) => backlog.cpuUs)));
  return {
    name: "webhooks",
    title: "Webhooks",
    method: `Services with the same pets, loaded in turns. One has an endpoint for all events, on loopback, a program that answers 204; its deliveries are made beside the creates. Then the receiver answers nothing while more pets are created, and the deliveries per second are those from when it answers again until it has every event. Lists are read from the store, of a service with ${manyEvents.toLocaleString("en")} events beside one with none.`,
    columns: ["work", "per second", "÷ without", "CPU µs each"],
    rows: [
      ["createPet, no endpoint", rate(without), figure(1), figure(undefined)],
      ["createPet, one endpoint", rate(delivering), figure(createRatio), figure(undefined)],
      ["deliveries", figure(deliveriesPerSecond), figure(undefined), cpuUs],
      ["listPets of 20, no events", rate(noEvents), figure(1), figure(undefined)],
      ["listPets of 20, a million events", rate(withEvents), figure(listRatio), figure(undefined)],
    ],
    facts: { createRatio, deliveriesPerSecond, listRatio },
  };
}
