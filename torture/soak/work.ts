/** What clients of the service do all day, at a steady rate, each answer judged and timed. */
import { request } from "node:https";
import type { TLSSocket } from "node:tls";
import { parseJson } from "../../src/contract/json.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { edit } from "../edits.ts";
import { exchange } from "../exchange.ts";
import type { Ledger } from "../ledger.ts";
import { type Client, pause } from "../load.ts";
import type { Tally } from "../tally.ts";
import type { Row } from "../walk.ts";
import { write } from "../writing.ts";
import { bearer, type Place, pageTitle } from "./place.ts";

/** So many pets are there and stay; the edited ones come and go beside them. */
export const stockSize = 500;
export const editedAtOnceMax = 300;
const pagesDeep = 5;
const streamMs = 8_000;
const inFlightMax = 200;

export interface Worker {
  readonly place: Place;
  readonly client: Client;
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  readonly tally: Tally;
  readonly took: (operation: string, ms: number) => void;
  /** Whether the service was reloaded so recently that processes from before may still be ending. */
  readonly isReloading: () => boolean;
  /** The serial numbers of the certificates that were seen. */
  readonly serials: Set<string>;
}

type Work = (worker: Worker) => Promise<unknown>;

/** Each with how many of a thousand operations it is. */
const works: readonly (readonly [weight: number, Work])[] = [
  [150, (worker) => readList(worker, "list pets", "?limit=20")],
  [100, (worker) => readList(worker, "list by status", "?limit=20&status=available")],
  [60, readDeep],
  [100, (worker) => readList(worker, "search pets", "?limit=20&name=edited")],
  [130, readOne],
  [350, ({ client }) => edit(client)],
  [90, visit],
  [10, useKey],
  [5, signIn],
  [5, followStream],
];

/** Begins `rate` operations per second until the time is over, and resolves when the last has ended. */
export async function workAtRate(worker: Worker, rate: number, endMs: number): Promise<void> {
  const { random, tally } = worker;
  const drawn = works.flatMap(([weight, work]) => Array<Work>(weight).fill(work));
  const running = new Set<Promise<unknown>>();
  for (let dueMs = performance.now(); dueMs < endMs; dueMs += 1_000 / rate) {
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await pause(waitMs);
    // A service that does not keep up is measured by its latency, and not by an endless queue.
    while (running.size >= inFlightMax) await Promise.race(running);
    const ended: Promise<unknown> = random
      .oneOf(drawn)(worker)
      .catch((cause) => {
        tally.judge(false, () => (cause instanceof Error ? `${cause.stack}` : String(cause)));
      })
      .finally(() => running.delete(ended));
    running.add(ended);
  }
  await Promise.all(running);
}

export async function fillStock({ client, ledger, random }: Worker): Promise<void> {
  for (let count = 0; count < stockSize; count++) await write(client, ledger.newPet(random));
}

async function get({ place, tally, took }: Worker, operation: string, url: string) {
  const answer = await exchange({ method: "GET", url, token: place.victim.token }, tally);
  tally.judge(answer?.status === 200, () => `GET ${url} got ${answer?.status} ${answer?.text}`);
  if (answer !== undefined) took(operation, answer.tookMs);
  return answer;
}

async function readList(worker: Worker, operation: string, query: string): Promise<void> {
  const answer = await get(worker, operation, `${worker.place.victim.base}/pets${query}`);
  const status = /status=(\w+)/.exec(query)?.[1];
  const word = /name=(\w+)/.exec(query)?.[1];
  for (const pet of parseJson(answer?.text ?? "[]") as Row[]) {
    const apt =
      (status === undefined || pet["status"] === status) &&
      (word === undefined || String(pet["name"]).toLowerCase().includes(word));
    worker.tally.judge(apt, () => `${query} found the pet ${pet["id"]}`);
  }
}

async function readDeep(worker: Worker): Promise<void> {
  const { tally, place } = worker;
  let url: string | undefined = `${place.victim.base}/pets?limit=50`;
  let last = 0n;
  for (let page = 0; page < pagesDeep && url !== undefined; page++) {
    const answer = await get(worker, page === 0 ? "list pets" : "next page", url);
    for (const { id } of parseJson(answer?.text ?? "[]") as { id: bigint }[]) {
      tally.judge(BigInt(id) > last, () => `A page has ${id} after ${last}`);
      last = BigInt(id);
    }
    url = /<([^>]+)>; rel="next"/.exec(answer?.headers.get("link") ?? "")?.[1];
  }
}

async function readOne(worker: Worker): Promise<void> {
  const { ledger, random, place, tally } = worker;
  const pet = ledger.anyPet(random);
  if (pet === undefined) return;
  const answer = await get(worker, "get pet", `${place.victim.base}/pets/${pet.id}`);
  const found = parseJson(answer?.text ?? "{}") as Row;
  tally.judge(found["name"] === pet.name, () => `Pet ${pet.id} is ${answer?.text}`);
}

/** The site of an attached host name, over TLS, on a connection of its own. */
async function visit({ place, random, tally, took, serials }: Worker): Promise<void> {
  const host = random.oneOf(place.hosts);
  const startedMs = performance.now();
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const asking = request(
    {
      ...{ host: "127.0.0.1", port: place.httpsPort, servername: host, ca: place.roots },
      ...{ headers: { host }, agent: false },
    },
    (response) => {
      const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
      if (serialNumber) serials.add(serialNumber);
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => {
        const right = response.statusCode === 200 && body.includes(pageTitle);
        resolve(right ? undefined : `${response.statusCode} ${body.slice(0, 200)}`);
      });
      response.on("error", (cause) => resolve(String(cause)));
    },
  );
  asking.on("error", (cause) => resolve(String(cause)));
  asking.end();
  const fault = await promise;
  took("visit over HTTPS", performance.now() - startedMs);
  tally.judge(fault === undefined, () => `https://${host}/ got ${fault}`);
}

/** A key is created, rotated and revoked, and works exactly as long as it should. */
async function useKey({ place, took, tally }: Worker): Promise<void> {
  const { victim } = place;
  const ask = async (operation: string, path: string, body: object | undefined, status: number) => {
    const startedMs = performance.now();
    const response = await place.platform("POST", path, body);
    const text = await response.text();
    took(operation, performance.now() - startedMs);
    tally.judge(response.status === status, () => `POST ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const judge = async (token: string, status: number) => {
    const response = await fetch(`${victim.base}/pets?limit=1`, bearer({ token }));
    await response.text();
    tally.judge(response.status === status, () => `A key got ${response.status}, not ${status}`);
  };
  const wanted = { name: "soak", scopes: ["pets:read"] };
  const made = await ask("create key", "/keys", wanted, 201);
  await judge(made.token, 200);
  const next = await ask("rotate key", `/keys/${made.key.id}/rotate`, { graceSeconds: 60 }, 201);
  await judge(made.token, 200);
  await judge(next.token, 200);
  for (const { key, token } of [made, next]) {
    await ask("revoke key", `/keys/${key.id}/revoke`, undefined, 204);
    await judge(token, 401);
  }
}

/** As the dashboard does it. */
async function signIn({ place, took, tally }: Worker): Promise<void> {
  const { origin } = place.victim;
  const ask = async (method: string, path: string, cookie: string, body?: object) => {
    const response = await fetch(`${origin}/internal/v1${path}`, {
      method,
      headers: { origin, cookie, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const right = response.status === (method === "DELETE" ? 204 : 200);
    tally.judge(right, () => `${method} ${path}: ${response.status} ${text}`);
    return response;
  };
  const startedMs = performance.now();
  const begun = await ask("POST", "/session", "", place.account);
  took("sign in", performance.now() - startedMs);
  const [cookie = ""] = (begun.headers.get("set-cookie") ?? "").split(";");
  await ask("GET", "/projects", cookie);
  await ask("DELETE", "/session", cookie);
}

/** Follows the events for a while, as they happen. A reload ends a stream, and nothing else does. */
async function followStream({ place, took, tally, isReloading }: Worker): Promise<void> {
  const { victim } = place;
  const ending = new AbortController();
  const startedMs = performance.now();
  const headers = { ...bearer(victim).headers, accept: "text/event-stream" };
  const response = await fetch(`${victim.base}/events`, { headers, signal: ending.signal });
  took("open stream", performance.now() - startedMs);
  tally.judge(response.status === 200, () => `A stream got ${response.status}`);
  const late = setTimeout(() => ending.abort(), streamMs);
  let text = "";
  let isOver = false;
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk);
    isOver = true;
  } catch {
    isOver = !ending.signal.aborted;
  } finally {
    clearTimeout(late);
  }
  tally.judge(
    !isOver || isReloading(),
    () => `A stream ended by itself after ${text.length} characters`,
  );
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  const inOrder = ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? 0));
  tally.judge(inOrder && (isOver || ids.length > 0), () => `A stream told of ${ids.join()}`);
}
