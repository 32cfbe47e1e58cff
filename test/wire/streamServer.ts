/** The API on connections without sockets, with what was handled and sent on each. */
import { systemClock } from "../../src/core/clock.ts";
import { createLog } from "../../src/core/log.ts";
import { createApp } from "../../src/http/app.ts";
import { createHandlers } from "../../src/http/handlers.ts";
import { createWireHandler } from "../../src/http/listeners.ts";
import { Authenticator } from "../../src/petstore/keys/authenticator.ts";
import { mintKey } from "../../src/petstore/keys/lifecycle.ts";
import { UseRecorder } from "../../src/petstore/keys/useRecorder.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { Connections } from "../../src/wire/connections.ts";
import { Http1Connection } from "../../src/wire/http1.ts";
import { wireLimits } from "../../src/wire/limits.ts";
import { BodyError, type HttpHandler, type HttpRequest } from "../../src/wire/message.ts";
import type { Transport } from "../../src/wire/transport.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";

/** A request that the handler was given, or had a cached response to. */
export interface Handled {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly header: (name: string) => string | undefined;
  /** Its body broke off, and with it the framing. */
  unframed: boolean;
}

/** What was seen of one connection. */
export interface Seen {
  readonly handled: readonly Handled[];
  readonly refused: readonly string[];
  readonly failures: readonly unknown[];
  readonly sent: Buffer;
  readonly closed: boolean;
  /** Handled requests that wait for the rest of their body. */
  readonly waiting: number;
}

/** Later than every deadline of a connection, whatever it does. */
const sweepEveryMs = 100_000;

export class StreamServer {
  readonly token: string;
  readonly #connections: Connections;
  readonly #handler: HttpHandler;
  readonly #clock = fakeClock(Date.UTC(2026, 10, 15));

  private constructor(handler: HttpHandler, token: string) {
    this.#handler = handler;
    this.token = token;
    this.#connections = new Connections(this.#clock, { ...wireLimits, sweepEveryMs });
  }

  static async create(stores: Stores): Promise<StreamServer> {
    const clock = systemClock;
    const { catalogue, categories, events, keys, orders } = stores;
    const usual = { environment: "production", scopes: "all", expiresAtMs: undefined } as const;
    const { key, token } = mintKey({ name: "mutator", ...usual }, clock);
    await keys.add(key);
    const log = createLog("error", clock, () => {});
    const secret = "a secret that only tests ever use, of good length";
    const app = createApp({
      handlers: createHandlers({
        ...{ catalogue, categories, orders, events, clock, log, secret },
        leaving: () => false,
        knownCategoriesOnly: false,
      }),
      authenticator: new Authenticator(keys, "production", clock),
      revisions: () => stores.revisions(),
      catalogue,
      uses: new UseRecorder(keys, clock, () => {}),
      limiter: undefined,
      clock,
      log,
      metrics: { observe() {} },
      baseUrl: undefined,
      contract: () => "{}",
      publicRoutes: () => ({ status: 404, headers: {}, body: "nothing" }),
    });
    return new StreamServer(createWireHandler(app, { clock, log }), token);
  }

  /** Bytes that nobody has given back yet, and connections that are still open. */
  get held(): number {
    const { heldBodyBytes, heldResponseBytes } = this.#connections;
    return heldBodyBytes + heldResponseBytes;
  }

  /**
   * Puts the pieces to a connection. The first look is when nothing more happens by itself, the
   * second when the client has left, or every deadline has passed.
   */
  async converse(
    pieces: readonly Buffer[],
    random: SeededRandom,
  ): Promise<[first: Seen, last: Seen]> {
    const conversation = new Conversation(this.#handler, this.#connections, random);
    await conversation.receive(pieces);
    const first = conversation.seen();
    await conversation.leave();
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      this.#clock.advance(sweepEveryMs);
      await conversation.settled();
    }
    return [first, conversation.seen()];
  }
}

class Conversation implements Transport {
  readonly peer = "192.0.2.1";
  readonly scheme = "http";
  readonly #connection: Http1Connection;
  readonly #random: SeededRandom;
  readonly #handled: Handled[] = [];
  readonly #refused: string[] = [];
  readonly #failures: unknown[] = [];
  readonly #sent: Buffer[] = [];
  #underWay = 0;
  #waiting = 0;
  #draining = false;
  #paused = false;
  #ended = false;
  #destroyed = false;

  constructor(handler: HttpHandler, connections: Connections, random: SeededRandom) {
    this.#random = random;
    this.#connection = new Http1Connection(this, connections, this.#watched(handler));
    if (!connections.add(this.#connection)) throw new Error("There is no room.");
  }

  async receive(pieces: readonly Buffer[]): Promise<void> {
    for (const piece of pieces) {
      while (this.#paused && !this.#destroyed) await this.settled();
      if (this.#destroyed) return;
      this.#connection.receive(piece);
      // What comes next may come while a response is under way, or after it.
      if (this.#random.happens(Math.min(0.5, 4 / pieces.length))) await this.settled();
    }
    await this.settled();
  }

  /** The client stays, ends its side, or is gone. */
  async leave(): Promise<void> {
    const departure = this.#random.between(0, 3);
    if (departure === 0 || this.#destroyed) return;
    if (departure === 1) this.#connection.ended();
    else this.destroy();
    await this.settled();
  }

  /** Nothing is under way but what waits for more bytes. */
  async settled(): Promise<void> {
    do {
      if (this.#draining) {
        this.#draining = false;
        this.#connection.drained();
      }
      await new Promise(setImmediate);
    } while (this.#draining || (this.#underWay > this.#waiting && !this.#destroyed));
  }

  seen(): Seen {
    return {
      handled: [...this.#handled],
      refused: [...this.#refused],
      failures: [...this.#failures],
      sent: Buffer.concat(this.#sent),
      closed: this.#ended || this.#destroyed,
      waiting: this.#waiting,
    };
  }

  #watched(handler: HttpHandler): HttpHandler {
    return {
      cached: (text, client) => {
        const prepared = handler.cached?.(text, client);
        const [method = "", target = ""] = text.split(" ", 2);
        if (prepared !== undefined) this.#note(method, target, "", () => undefined);
        return prepared;
      },
      handle: async (request) => {
        const { method, path, query } = request;
        const noted = this.#note(method, path, query, (name) => request.header(name));
        this.#underWay++;
        try {
          return await handler.handle(this.#withWatchedBody(request, noted));
        } finally {
          this.#underWay--;
        }
      },
      failed: (cause) => {
        this.#failures.push(cause);
        return handler.failed(cause);
      },
      refuse: (error, peer) => {
        this.#refused.push(error);
        return handler.refuse(error, peer);
      },
    };
  }

  #note(method: string, path: string, query: string, header: Handled["header"]): Handled {
    const noted = { method, path, query, header, unframed: false };
    this.#handled.push(noted);
    return noted;
  }

  #withWatchedBody(request: HttpRequest, noted: Handled): HttpRequest {
    const body = (bytesMax: number) => {
      const reading = request.body(bytesMax);
      if (!(reading instanceof Promise)) return reading;
      this.#waiting++;
      const over = reading.finally(() => this.#waiting--);
      over.catch((cause) => {
        noted.unframed = cause instanceof BodyError && cause.failure !== "too_large";
      });
      return over;
    };
    return new Proxy(request, {
      get(target, name) {
        if (name === "body") return body;
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  // The transport.

  writeText(text: string): boolean {
    return this.write(Buffer.from(text));
  }

  write(bytes: Uint8Array): boolean {
    if (this.#ended || this.#destroyed) throw new Error("Written after the end.");
    this.#sent.push(Buffer.from(bytes));
    this.#draining = this.#random.happens(0.1);
    return !this.#draining;
  }

  end(): void {
    this.#ended = true;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#connection.closed();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }
}
