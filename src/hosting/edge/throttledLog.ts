import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";

/**
 * A log for events that strangers cause: each is written once in a while, with how often it
 * happened since, so that nobody can fill a disk from outside.
 */
export class ThrottledLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #quietMs: number;
  readonly #heard = new Map<string, { atMs: number; suppressed: number }>();

  constructor(log: Log, clock: Clock, quietMs: number) {
    this.#log = log;
    this.#clock = clock;
    this.#quietMs = quietMs;
  }

  /** Events are few and named in the code; what differs goes into the fields. */
  warn(event: string, fields: Readonly<Record<string, unknown>>): void {
    const nowMs = this.#clock.elapsed();
    const heard = this.#heard.get(event);
    if (heard !== undefined && nowMs - heard.atMs < this.#quietMs) {
      heard.suppressed += 1;
      return;
    }
    this.#log.warn(event, { ...fields, suppressed: heard?.suppressed ?? 0 });
    this.#heard.set(event, { atMs: nowMs, suppressed: 0 });
  }
}
