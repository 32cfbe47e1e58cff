/** Lets requests go first: while they keep the process busy, deliveries are slow. */
import type { Clock } from "../../core/clock.ts";

/** What a process has done since it started. */
export interface ProcessLoad {
  readonly requests: number;
  /** The sum of their durations: its growth per time is how many are under way. */
  readonly requestMs: number;
  readonly cpuMs: number;
}

/** With as many requests under way, each waits longer for whatever else is done. */
const busyUnderWay = 8;
/** Some are answered at once, and never wait: with so many of them, they need the processor. */
const busyRequestsPerSecond = 1_000;
/** Of one processor, beside what deliveries take. */
const busyCpuShare = 0.5;
/** About what a delivery takes, with what is stored of it. */
const deliveryCpuMs = 0.1;
/** While it is busy. A delivery takes about as long as to create a pet. */
const deliveriesPerRequest = 1 / 20;
const deliveriesPerSecondMin = 100;
const deliveriesPerSecondMax = 500;
const atOnceMax = 10;
const lookEveryMs = 100;
/** After that long without a delivery, it is not known whether the process is busy by now. */
const knownMsMax = 5 * lookEveryMs;
const waitMs = 10;

export class Pace {
  readonly #clock: Clock;
  readonly #load: () => ProcessLoad;
  #before: ProcessLoad;
  #lookedMs: number;
  #started = 0;
  /** Undefined for as many as possible. */
  #deliveriesPerSecond: number | undefined;
  #credit = atOnceMax;
  #creditedMs: number;
  readonly #waiting = new Set<() => void>();
  #isWaiting = false;

  constructor(clock: Clock, load: () => ProcessLoad) {
    this.#clock = clock;
    this.#load = load;
    this.#before = load();
    this.#lookedMs = this.#creditedMs = clock.elapsed();
  }

  /** Takes the turn of one delivery. False if it has to wait. */
  take(): boolean {
    const nowMs = this.#clock.elapsed();
    if (nowMs - this.#lookedMs >= lookEveryMs) this.#look(nowMs);
    if (this.#deliveriesPerSecond !== undefined) {
      const earned = ((nowMs - this.#creditedMs) * this.#deliveriesPerSecond) / 1_000;
      this.#credit = Math.min(atOnceMax, this.#credit + earned);
      this.#creditedMs = nowMs;
      if (this.#credit < 1) return false;
      this.#credit--;
    }
    this.#started++;
    return true;
  }

  /** Calls the action, once, when the next turn may have come. */
  later(action: () => void): void {
    this.#waiting.add(action);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#clock.after(waitMs, () => {
      this.#isWaiting = false;
      for (const next of this.#waiting) {
        this.#waiting.delete(next);
        next();
        // It took what there was, and is behind the others now.
        if (this.#waiting.has(next)) break;
      }
      for (const next of this.#waiting) this.later(next);
    });
  }

  #look(nowMs: number): void {
    const load = this.#load();
    const before = this.#before;
    const sinceMs = nowMs - this.#lookedMs;
    const requestsPerSecond = ((load.requests - before.requests) * 1_000) / sinceMs;
    const underWay = (load.requestMs - before.requestMs) / sinceMs;
    const cpuShare = (load.cpuMs - before.cpuMs - this.#started * deliveryCpuMs) / sinceMs;
    const isBusy =
      underWay >= busyUnderWay ||
      (requestsPerSecond >= busyRequestsPerSecond && cpuShare >= busyCpuShare);
    const few = Math.max(deliveriesPerSecondMin, requestsPerSecond * deliveriesPerRequest);
    const isKnown = sinceMs <= knownMsMax;
    if (!isKnown) this.#deliveriesPerSecond = deliveriesPerSecondMax;
    else this.#deliveriesPerSecond = isBusy ? Math.min(few, deliveriesPerSecondMax) : undefined;
    this.#before = load;
    this.#lookedMs = nowMs;
    this.#started = 0;
  }
}
