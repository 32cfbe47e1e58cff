/** The open connections of a listener: their number, memory and deadlines. */
import type { Clock } from "../core/clock.ts";
import { connectionsPossible, type WireLimits } from "./limits.ts";
import { loopbackNetworks, TrustedProxies } from "./trustedProxies.ts";

/** Of all listeners of this process, and how many there can be. */
const inProcess = { open: 0, max: connectionsPossible() };

/** A connection of any protocol. */
export interface ManagedConnection {
  /** Waits for a request, or for the rest of its head: can be closed to make room. */
  readonly waiting: boolean;
  /** When it entered its current state. */
  readonly sinceMs: number;
  /** Has had a response before. */
  readonly served: boolean;
  /** Tells the peer, if the protocol can, to send no further request on this connection. */
  announceEnd?(): void;
  /** Closes now if it is idle, otherwise after the responses in progress. */
  finish(): void;
  destroy(): void;
  /** Ends what has exceeded its deadline. */
  checkDeadlines(): void;
}

/** What passes over connections, and how many there are. */
export interface Traffic {
  readonly open: number;
  /** Connections that there was no room for. */
  readonly refused: number;
  /** Without TLS; of HTTP/2, bodies only. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

export class Connections implements Traffic {
  readonly limits: WireLimits;
  readonly proxies: TrustedProxies;
  readonly #clock: Clock;
  readonly #all = new Set<ManagedConnection>();
  readonly #stopSweeps: () => void;
  #emptied: (() => void) | undefined;
  /** Monotonic; exact to one sweep, which is enough for deadlines. */
  elapsedMs: number;
  /** Set once every response is the last one of its connection. */
  stopping = false;
  /** Set once idle connections are closed. */
  closing = false;
  heldBodyBytes = 0;
  heldResponseBytes = 0;
  receivedBytes = 0;
  sentBytes = 0;
  refused = 0;

  constructor(
    clock: Clock,
    limits: WireLimits,
    proxies: TrustedProxies = new TrustedProxies(loopbackNetworks),
  ) {
    this.limits = limits;
    this.proxies = proxies;
    this.#clock = clock;
    this.elapsedMs = clock.elapsed();
    this.#stopSweeps = clock.every(limits.sweepEveryMs, () => this.#sweep());
  }

  /** Unix time in milliseconds. */
  nowMs(): number {
    return this.#clock.now();
  }

  get open(): number {
    return this.#all.size;
  }

  /** False if there is no room; the connection must then be destroyed. */
  add(connection: ManagedConnection): boolean {
    if (this.closing) return false;
    const isFull = this.#all.size >= this.limits.connectionsMax || inProcess.open >= inProcess.max;
    if (isFull && !this.#makeRoom()) {
      this.refused++;
      return false;
    }
    this.#all.add(connection);
    inProcess.open++;
    return true;
  }

  delete(connection: ManagedConnection): void {
    if (!this.#all.delete(connection)) return;
    inProcess.open--;
    if (this.#all.size === 0) this.#emptied?.();
  }

  /**
   * Lets the responses in progress finish within the time, then closes every connection. Resolves
   * with the number of those that were aborted.
   *
   * A client may send a request just when its idle connection is closed, and then never gets a
   * response. So an idle connection may be left open for a while: most clients send one more request,
   * and the response to that makes them reconnect.
   */
  async drain(graceMs: number, idleMs = 0): Promise<number> {
    this.stopping = true;
    for (const connection of this.#all) connection.announceEnd?.();
    let aborted = 0;
    let cancel: (() => void)[] = [];
    if (this.#all.size > 0) {
      await new Promise<void>((resolve) => {
        this.#emptied = resolve;
        const giveUp = this.#clock.after(graceMs, () => {
          aborted = [...this.#all].filter(({ waiting }) => !waiting).length;
          for (const connection of [...this.#all]) connection.destroy();
          resolve();
        });
        cancel = [giveUp];
        if (idleMs <= 0) this.#closeIdle();
        else cancel.push(this.#clock.after(idleMs, () => this.#closeIdle()));
      });
    }
    this.closing = true;
    for (const each of cancel) each();
    this.#stopSweeps();
    return aborted;
  }

  #closeIdle(): void {
    this.closing = true;
    for (const connection of [...this.#all]) connection.finish();
  }

  /** Several at once, since finding them scans all: first those that never sent a request, oldest first. */
  #makeRoom(): boolean {
    const waiting = [...this.#all].filter((connection) => connection.waiting);
    waiting.sort((a, b) => Number(a.served) - Number(b.served) || a.sinceMs - b.sinceMs);
    const count = Math.ceil(this.#all.size / 100);
    for (const connection of waiting.slice(0, count)) connection.destroy();
    return waiting.length > 0;
  }

  #sweep(): void {
    this.elapsedMs = this.#clock.elapsed();
    for (const connection of this.#all) connection.checkDeadlines();
  }
}
