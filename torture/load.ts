/** Clients that read and write concurrently, and check every response. */

import { parseJson } from "../src/contract/json.ts";
import type { PetStatus } from "../src/petstore/catalogue/pet.ts";
import type { SeededRandom } from "../testkit/seededRandom.ts";
import { edit, isEdited } from "./edits.ts";
import { type Answer, exchange } from "./exchange.ts";
import {
  firstStep,
  type Ledger,
  type MoveEntry,
  type OrderEntry,
  type PetEntry,
  petFault,
  petStepMax,
  petStepMin,
  petStepOf,
  petStepsMin,
} from "./ledger.ts";
import type { Tally } from "./tally.ts";
import type { Row } from "./walk.ts";
import { write } from "./writing.ts";

export interface LoadOptions {
  /** The bases that can be reached now; none while the service is away. */
  readonly addresses: () => readonly string[];
  readonly token: string;
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  readonly tally: Tally;
  readonly clients?: number;
  /** How long a client waits between two requests. By default it does not. */
  readonly thinkMs?: number;
  /** How many of the clients open a connection for each request. By default none does. */
  readonly freshClients?: number;
  /** Whether a connection to this base may end without an answer now. By default it may. */
  readonly mayBreak?: (base: string) => boolean;
  /** Whether 503 is a right answer to a read now. By default it is. */
  readonly readsMayFail?: () => boolean;
  /** Whether 503 is a right answer to a write now. By default it is. */
  readonly writesMayFail?: () => boolean;
  /** Whether a write that was answered 503 may be done all the same. By default it may not. */
  readonly failedMayBeDone?: boolean;
  /** How far the journal of the disk is, noted with each acknowledgement. */
  readonly position?: () => number;
  /** Whether the service has a quota that 429 may speak of. */
  readonly limited?: boolean;
  /** Called for each answer to an edit. */
  readonly onAnswer?: (method: string, path: string, answer: Answer) => void;
}

export interface Load {
  /** What was seen so far. */
  readonly seen: Seen;
  /** Lets every client have its last answer. */
  ended(): Promise<void>;
  /** After the end: repeats what was left without an answer until it has one, or the time is up. */
  settled(withinMs: number): Promise<void>;
}

export interface Seen {
  reads: number;
  /** Reads that took longer than `slowMs`. */
  slowReads: number;
  acknowledged: number;
  /** Writes that were answered 503. */
  failed: number;
  limited: number;
  lost: number;
}

const clientsDefault = 16;
const slowMs = 100;
const idleMs = 20;
const waitSecondsMax = 60;
const pageSizeMax = 100;

/** What a client has at hand for each of its requests. */
export interface Client extends LoadOptions {
  readonly seen: Seen;
  readonly base: string;
  /** Whether it opens a connection for each request. */
  readonly fresh: boolean;
}

export function startLoad(options: LoadOptions): Load {
  const seen: Seen = { reads: 0, slowReads: 0, acknowledged: 0, failed: 0, limited: 0, lost: 0 };
  let stopping = false;
  const running = Array.from({ length: options.clients ?? clientsDefault }, async (_, index) => {
    const random = options.random.fork(`client ${index}`);
    const own = { ...options, random, seen, fresh: index < (options.freshClients ?? 0) };
    while (!stopping) {
      const bases = options.addresses();
      const troubled = bases.length === 0 || !(await act({ ...own, base: random.oneOf(bases) }));
      const waitMs = troubled ? idleMs : 0;
      if (troubled || options.thinkMs) await pause(Math.max(waitMs, options.thinkMs ?? 0));
    }
  });
  const all = Promise.all(running);
  // A failure is reported where the load is ended.
  all.catch(() => {});
  return {
    seen,
    async ended() {
      stopping = true;
      await all;
    },
    async settled(withinMs) {
      const { addresses, ledger } = options;
      const random = options.random.fork("settling");
      const lateMs = performance.now() + withinMs;
      while (ledger.unsettled.length > 0 && performance.now() < lateMs) {
        const client = { ...options, random, seen, fresh: true, base: random.oneOf(addresses()) };
        if (!(await write(client, takeAny(ledger.unsettled, random)))) await pause(idleMs);
      }
    },
  };
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** One request. False where it is better not to ask again at once. */
function act(client: Client): Promise<boolean> {
  const { random, ledger } = client;
  const again = ledger.unsettled.length > 0 && random.happens(0.3);
  if (again) return write(client, takeAny(ledger.unsettled, random));
  if (random.happens(0.1)) return edit(client);
  const choice = random.fraction();
  if (choice < 0.4) return write(client, ledger.newPet(random));
  if (choice < 0.52) return sell(client, ledger.newOrder(random));
  if (choice < 0.64) return sell(client, ledger.newMove(random));
  if (choice < 0.68) return write(client, anyOf(ledger.repeatable, random));
  if (choice < 0.8) return readOne(client);
  if (choice < 0.9) return readSome(client);
  return readPage(client);
}

function anyOf<T>(all: readonly T[], random: SeededRandom): T | undefined {
  return all.length === 0 ? undefined : random.oneOf(all);
}

function takeAny<T>(all: T[], random: SeededRandom): T | undefined {
  return all.splice(random.between(0, all.length), 1)[0];
}

/** Often looks just before and just after, where an answer from before may have been kept. */
async function sell(client: Client, entry: OrderEntry | MoveEntry | undefined): Promise<boolean> {
  const { random, addresses } = client;
  const bases = addresses();
  if (entry === undefined || bases.length === 0 || random.happens(0.5)) return write(client, entry);
  const elsewhere = { ...client, base: random.oneOf(bases) };
  const { pet } = entry.kind === "order" ? entry : entry.order;
  const look = random.oneOf([
    () => lookAt(elsewhere, pet),
    () => lookAtSome(elsewhere, [pet]),
    () => lookAtPage(elsewhere, undefined, pageSizeMax),
  ]);
  await look();
  const went = await write(client, entry);
  return (await look()) && went;
}

async function readOne(client: Client): Promise<boolean> {
  const pet = client.ledger.anyPet(client.random);
  return pet === undefined || lookAt(client, pet);
}

function lookAt(client: Client, pet: PetEntry): Promise<boolean> {
  const before = petStepMin(pet);
  return read(client, `/pets/${pet.id}`, (seen) => {
    judgePet(client, pet, seen as Record<string, unknown>, before);
  });
}

async function readSome(client: Client): Promise<boolean> {
  const { random, ledger } = client;
  const pets = Array.from({ length: random.between(1, 20) }, () => ledger.anyPet(random));
  const there = pets.filter((pet) => pet !== undefined);
  return there.length === 0 || lookAtSome(client, there);
}

function lookAtSome(client: Client, pets: readonly PetEntry[]): Promise<boolean> {
  const { tally } = client;
  const wanted = new Map<string, [PetEntry, number]>();
  for (const pet of pets) wanted.set(pet.id ?? "", [pet, petStepMin(pet)]);
  const query = [...wanted.keys()].map((id) => `id=${id}`).join("&");
  return read(client, `/pets?limit=100&${query}`, (seen) => {
    const found = new Map(
      (seen as Record<string, unknown>[]).map((pet) => [String(pet["id"]), pet]),
    );
    for (const [id, [pet, before]] of wanted) judgePet(client, pet, found.get(id), before);
    tally.judge(found.size === wanted.size, () => `${query} gave ${found.size} pets`);
  });
}

async function readPage(client: Client): Promise<boolean> {
  const { random } = client;
  const status = random.oneOf([undefined, "available", "pending", "sold"] as const);
  return lookAtPage(client, status, random.between(1, pageSizeMax + 1));
}

function lookAtPage(client: Client, status: PetStatus | undefined, limit: number) {
  const { ledger, tally } = client;
  const filter = status === undefined ? "" : `&status=${status}`;
  const before = petStepsMin(ledger);
  return read(client, `/pets?limit=${limit}${filter}`, (seen) => {
    for (const pet of (seen as Row[]).filter((row) => !isEdited(row))) {
      const entry = ledger.petNamed(pet["name"]);
      tally.judge(entry !== undefined && (status ?? pet["status"]) === pet["status"], () => {
        return `A page${filter} holds ${JSON.stringify(pet, exactText)}`;
      });
      if (entry === undefined) continue;
      judgePet(client, entry, pet, before.get(entry) ?? firstStep(entry));
    }
  });
}

export const exactText = (_name: string, value: unknown) =>
  typeof value === "bigint" ? String(value) : value;

async function read(client: Client, path: string, check: (body: unknown) => void) {
  const { base, token, tally, seen, fresh, readsMayFail } = client;
  const url = `${base}${path}`;
  const answer = await exchange({ method: "GET", url, token, fresh }, tally);
  if (answer === undefined) return lost(client, url);
  seen.reads++;
  if (answer.tookMs > slowMs) seen.slowReads++;
  if (answer.status === 200) {
    check(parseJson(answer.text));
    return true;
  }
  if (isLimited(client, answer)) return false;
  const expected = answer.status === 503 && (readsMayFail?.() ?? true);
  tally.judge(expected, () => `GET ${url} answered ${answer.status} ${answer.text.slice(0, 200)}`);
  return false;
}

export function lost({ base, seen, tally, mayBreak }: Client, url: string): false {
  seen.lost++;
  tally.judge(mayBreak?.(base) ?? true, () => `${url} got no answer, and nothing was done to it`);
  return false;
}

/** A rate-limited response has a `Retry-After` of reasonable length. */
export function isLimited({ limited, seen, tally }: Client, { status, headers }: Answer): boolean {
  if (status !== 429 || !limited) return false;
  seen.limited++;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  tally.judge(seconds >= 1 && seconds <= waitSecondsMax, () => `429 asks to wait ${seconds} s`);
  return true;
}

/** `before` is how far the pet was, for certain, when it was asked for. */
function judgePet(
  { tally }: Client,
  pet: PetEntry,
  seen: Record<string, unknown> | undefined,
  before: number,
): void {
  const step = petStepOf(seen?.["status"]);
  const fault = seen === undefined ? "it is missing" : petFault(pet, seen);
  const apt = step >= before && step <= petStepMax(pet);
  tally.judge(fault === undefined && apt && pet.outcome !== "refused", () => {
    const status = `it is ${seen?.["status"]}, and was to be from step ${before} to ${petStepMax(pet)}`;
    return `A read of pet ${pet.number} (${pet.outcome}): ${fault ?? status}`;
  });
}
