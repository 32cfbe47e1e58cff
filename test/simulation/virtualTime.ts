/** Time that jumps from one event to the next, once everything that an event began has come to rest. */
import type { Clock } from "../../src/core/clock.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";

/** `idle` where nothing was begun, so that there is nothing to wait for. */
type Action = () => unknown;
export const idle = Symbol("idle");

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly action: Action;
  cancelled: boolean;
}

export class VirtualTime {
  readonly startMs: number;
  #nowMs: number;
  #order = 0;
  /** A heap: the earliest first, and of the same instant the one that was set first. */
  readonly #events: Event[] = [];
  /** Answers that come from outside of virtual time, such as from a thread that writes to disk. */
  readonly #awaited = new Set<Promise<unknown>>();
  events = 0;

  constructor(startMs: number) {
    this.startMs = startMs;
    this.#nowMs = startMs;
  }

  now = (): number => this.#nowMs;

  at(atMs: number, action: Action): () => void {
    const event = { atMs: Math.max(atMs, this.#nowMs), order: this.#order++, action };
    const entry: Event = { ...event, cancelled: false };
    this.#push(entry);
    return () => {
      entry.cancelled = true;
    };
  }

  after(delayMs: number, action: () => void): () => void {
    return this.at(this.#nowMs + delayMs, action);
  }

  /** Resolves after some virtual time, at once where there is none. */
  pass(delayMs: number): Promise<void> {
    if (delayMs <= 0) return Promise.resolve();
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Virtual time stands still until this has come. */
  standStillFor<T>(answer: Promise<T>): Promise<T> {
    this.#awaited.add(answer);
    const forget = () => void this.#awaited.delete(answer);
    answer.then(forget, forget);
    return answer;
  }

  async runUntil(endMs: number, isOver: () => boolean = () => false): Promise<void> {
    await this.#rest();
    for (let next = this.#events[0]; next !== undefined && next.atMs <= endMs && !isOver(); ) {
      this.#pop();
      if (!next.cancelled) {
        this.#nowMs = next.atMs;
        this.events += 1;
        if (next.action() !== idle) await this.#rest();
      }
      next = this.#events[0];
    }
    this.#nowMs = endMs;
  }

  async #rest(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#awaited.size === 0) return;
      await Promise.allSettled(this.#awaited);
    }
  }

  #push(event: Event): void {
    const heap = this.#events;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent] as Event)) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): void {
    const heap = this.#events;
    const last = heap.pop() as Event;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) {
        child += 1;
      }
      if (!isBefore(heap[child] as Event, last)) break;
      heap[at] = heap[child] as Event;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** A clock of this time. `every` repeats in full: whoever polls often is given another one. */
export function clockOf(time: VirtualTime, random: SeededRandom): Clock {
  return {
    now: time.now,
    elapsed: () => time.now() - time.startMs,
    after: (delayMs, action) => time.after(delayMs, action),
    next: (action) => void time.after(0, action),
    every(intervalMs, action) {
      let cancel = () => {};
      const again = () => {
        cancel = time.after(intervalMs, () => {
          again();
          action();
        });
      };
      again();
      return () => cancel();
    },
    random: (count) => random.bytes(count),
  };
}
