/** The open connections of a listener: how many, what they hold, and which of them are overdue. */
import type { Clock } from "../core/clock.ts";
import { connectionsPossible, type WireLimits } from "./limits.ts";
import { loopbackNetworks, TrustedProxies } from "./trustedProxies.ts";

/** Of all listeners of this process, and how many there can be. */
const inProcess = { open: 0, max: connectionsPossible() };

/** A connection of any protocol. */
export interface ManagedConnection {
  /** Waits for a request, or for the rest of its head: it can be closed to make room. */
  readonly waiting: boolean;
  /** Since when it does what it does. */
  readonly sinceMs: number;
  /** Has had a response before. */
  readonly served: boolean;
  /** Tells the other end, where the protocol can, that it is to open no further request here. */
  announceEnd?(): void;
  /** Closes now if nothing is under way, otherwise after the responses under way. */
  finish(): void;
  destroy(): void;
  /** Ends what takes too long. */
  checkDeadlines(): void;
}

export class Connections {
  readonly limits: WireLimits;
  readonly proxies: TrustedProxies;
  readonly #clock: Clock;
  readonly #all = new Set<ManagedConnection>();
  readonly #stopSweeps: () => void;
  #emptied: (() => void) | undefined;
  /** Of a clock that never goes back; exact to one sweep, which is enough for deadlines. */
  elapsedMs: number;
  /** Set once every response is the last one of its connection. */
  stopping = false;
  /** Set once a connection with nothing under way is closed. */
  closing = false;
  heldBodyBytes = 0;
  heldResponseBytes = 0;

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

  /** Milliseconds of the calendar. */
  nowMs(): number {
    return this.#clock.now();
  }

  /** False where there is no room; the connection must then be destroyed. */
  add(connection: ManagedConnection): boolean {
    if (this.closing) return false;
    const isFull = this.#all.size >= this.limits.connectionsMax || inProcess.open >= inProcess.max;
    if (isFull && !this.#makeRoom()) return false;
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
   * Lets the responses under way finish within the time, then closes every connection. Resolves with
   * the number of those that had to be broken off.
   *
   * A client may send a request at the moment at which its idle connection is closed, and then
   * never gets a response. So an idle connection may be left open for a while: most clients send one
   * more request, and the response to that makes them reconnect.
   */
  async drain(graceMs: number, idleMs = 0): Promise<number> {
    this.stopping = true;
    for (const connection of this.#all) connection.announceEnd?.();
    let brokenOff = 0;
    let cancel: (() => void)[] = [];
    if (this.#all.size > 0) {
      await new Promise<void>((resolve) => {
        this.#emptied = resolve;
        const giveUp = this.#clock.after(graceMs, () => {
          brokenOff = [...this.#all].filter(({ waiting }) => !waiting).length;
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
    return brokenOff;
  }

  #closeIdle(): void {
    this.closing = true;
    for (const connection of [...this.#all]) connection.finish();
  }

  /** A few at once, since all are looked at: first those that never sent a request, the oldest first. */
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
