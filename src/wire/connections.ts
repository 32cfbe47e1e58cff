/** The open connections of a listener: how many, what they hold, and which of them are overdue. */
import type { Clock } from "../clock.ts";
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
    if (this.stopping) return false;
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
   */
  async drain(graceMs: number): Promise<number> {
    this.stopping = true;
    for (const connection of [...this.#all]) connection.finish();
    let brokenOff = 0;
    if (this.#all.size > 0) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(graceMs, () => {
          brokenOff = [...this.#all].filter(({ waiting }) => !waiting).length;
          for (const connection of [...this.#all]) connection.destroy();
          resolve();
        });
        this.#emptied = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#stopSweeps();
    return brokenOff;
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
