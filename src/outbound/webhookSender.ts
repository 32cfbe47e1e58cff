/** Sends webhooks: only to addresses that may be dialled, and never after a redirect. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Clock } from "../core/clock.ts";
import { getOrInsert } from "../core/recentMap.ts";
import { type AllowedNetworks, bareHost, mayDial } from "../petstore/webhooks/address.ts";
import type { AttemptResult } from "../petstore/webhooks/schedule.ts";
import type { Header, SignedMessage } from "../petstore/webhooks/webhooks.ts";
import { type Connection, dial, type Response } from "./connection.ts";

export interface SenderOptions {
  readonly clock: Clock;
  readonly isAllowed: AllowedNetworks;
  readonly trustPem?: string | undefined;
  /** Of one attempt, from looking up the name to the end of the response. */
  readonly attemptMsMax?: number;
  /** The addresses of a name: those of the system unless given. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const attemptMsDefault = 15_000;
/** Shorter than servers usually keep a connection, so that few are found closed. */
const idleMsMax = 4_000;

/** A failure that says itself what is wrong. */
class Refused extends Error {}

/** Ends early when its time is over. An AbortSignal for each would be a tenth of its cost. */
class Attempt {
  #isOver = false;
  #cancel = () => {};

  get isOver(): boolean {
    return this.#isOver;
  }

  /** How to end what it does from now on. */
  whileUnderWay(cancel: () => void): void {
    this.#cancel = cancel;
    if (this.#isOver) cancel();
  }

  end(): void {
    this.#isOver = true;
    this.#cancel();
  }
}

export class WebhookSender {
  readonly #options: SenderOptions;
  readonly #idle = new Map<string, { connection: Connection; sinceMs: number }[]>();
  readonly #stopSweeping: () => void;
  readonly #underWay = new Set<Attempt>();
  #closed = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#stopSweeping = options.clock.every(idleMsMax, () => this.#sweep());
  }

  /** Never rejects: whatever goes wrong is the result of the attempt. */
  async send(message: SignedMessage): Promise<AttemptResult> {
    const { clock, attemptMsMax = attemptMsDefault } = this.#options;
    const atMs = clock.now();
    const startedMs = clock.elapsed();
    const attempt = new Attempt();
    const cancel = clock.after(attemptMsMax, () => attempt.end());
    if (this.#closed) attempt.end();
    this.#underWay.add(attempt);
    const url = new URL(message.url);
    const headers = requestHeaders(url, message);
    const request = requestText(url, headers, message.body);
    const result = await this.#attempt(url, request, attempt).then(outcomeOf, (cause) => ({
      error: attempt.isOver
        ? `There was no complete response within ${attemptMsMax / 1000} seconds.`
        : errorText(cause),
    }));
    cancel();
    this.#underWay.delete(attempt);
    const durationMs = Math.round(clock.elapsed() - startedMs);
    return { atMs, durationMs, request: { url: message.url, headers }, ...result };
  }

  /** What is under way ends with an error. */
  close(): void {
    this.#closed = true;
    this.#stopSweeping();
    for (const { connection } of [...this.#idle.values()].flat()) connection.close();
    this.#idle.clear();
    for (const attempt of this.#underWay) attempt.end();
  }

  async #attempt(url: URL, request: string, attempt: Attempt): Promise<Response> {
    const idle = this.#takeIdle(url.origin);
    if (idle !== undefined) {
      try {
        return await this.#exchange(idle, url, request, attempt);
      } catch (cause) {
        // It may have been closed while it was idle. What was sent may come twice, as ever.
        if (attempt.isOver || idle.hasAnswered) throw cause;
      }
    }
    const connection = await this.#connect(url, attempt);
    return this.#exchange(connection, url, request, attempt);
  }

  async #connect(url: URL, attempt: Attempt): Promise<Connection> {
    const late = new AbortController();
    const ended = Promise.withResolvers<never>();
    late.signal.addEventListener("abort", () => ended.reject(new Refused()), { once: true });
    attempt.whileUnderWay(() => late.abort());
    // A lookup cannot be cancelled.
    const address = await Promise.race([this.#addressFor(url), ended.promise]);
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
    const { trustPem } = this.#options;
    return dial({ url, address, port, trustPem }, late.signal);
  }

  async #exchange(connection: Connection, url: URL, request: string, attempt: Attempt) {
    attempt.whileUnderWay(() => connection.close());
    const response = await connection.exchange(request);
    if (connection.isOpen && !this.#closed) {
      const sinceMs = this.#options.clock.elapsed();
      getOrInsert(this.#idle, url.origin, () => []).push({ connection, sinceMs });
    } else connection.close();
    return response;
  }

  /** The newest, so that the others become old. */
  #takeIdle(origin: string): Connection | undefined {
    const idle = this.#idle.get(origin);
    for (;;) {
      const found = idle?.pop();
      if (found === undefined || found.connection.isOpen) return found?.connection;
    }
  }

  #sweep(): void {
    const beforeMs = this.#options.clock.elapsed() - idleMsMax;
    for (const [origin, all] of this.#idle) {
      const kept = all.filter(({ sinceMs }) => sinceMs > beforeMs);
      for (const { connection, sinceMs } of all) if (sinceMs <= beforeMs) connection.close();
      if (kept.length > 0) this.#idle.set(origin, kept);
      else this.#idle.delete(origin);
    }
  }

  /** Looked up and checked for every connection, and dialled as it is. */
  async #addressFor(url: URL): Promise<string> {
    const { isAllowed, resolve = addressesOf } = this.#options;
    const host = bareHost(url);
    const found = isIP(host) === 0 ? await resolve(host) : [host];
    const address = found.find((each) => mayDial(each, url.protocol, isAllowed));
    if (address !== undefined) return address;
    if (found.length === 0) throw new Refused(`${host} has no address.`);
    throw new Refused(
      url.protocol === "http:"
        ? `${found[0]} is not in a network of PETSTORE_WEBHOOK_NETWORKS, which http needs.`
        : `${found[0]} is not a public address, nor in a network of PETSTORE_WEBHOOK_NETWORKS.`,
    );
  }
}

async function addressesOf(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function requestHeaders(url: URL, { headers, body }: SignedMessage): readonly Header[] {
  return [
    ["host", url.host],
    ["content-type", "application/json"],
    ["content-length", String(Buffer.byteLength(body))],
    ["user-agent", "petstore"],
    ...Object.entries(headers),
  ];
}

function requestText(url: URL, headers: readonly Header[], body: string): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

function outcomeOf({ tooLong, ...response }: Response) {
  const { status } = response;
  return {
    ...response,
    ...(tooLong ? { error: "The response is longer than 64 KiB." } : {}),
    ...(status >= 300 && status < 400 ? { error: "Redirects are not followed." } : {}),
  };
}

/** With the code alone where there is one: messages may contain details of the runtime. */
function errorText(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (cause instanceof Refused || code === undefined) return message;
  return `The connection failed (${code}).`;
}
