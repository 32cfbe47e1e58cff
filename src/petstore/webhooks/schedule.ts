/** When a delivery is attempted again, and when an endpoint is given up. */
import { retryAtMs } from "../../core/retryAfter.ts";
import type { Attempt, Delivery, Disabled, Endpoint, Settled } from "./webhooks.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/**
 * The delays after each failure, about three days in all: the schedule that the specification
 * proposes. A restart is bridged in seconds, an outage in hours, a long weekend at all.
 */
export const retryDelaysMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];
/** A tenth more at most, so that what failed together is not repeated together. */
const jitterShare = 0.1;
/** A receiver may ask for no longer than this. */
const retryAfterMsMax = 24 * hourMs;
/** No attempt is ever due later than this. */
export const retryMsMax = Math.ceil(retryAfterMsMax * (1 + jitterShare));
const attemptsKeptMax = 20;

export interface AttemptResult extends Attempt {
  /** The header of the response. */
  readonly retryAfter?: string | undefined;
}

export const isSuccess = ({ status = 0, error }: Attempt) =>
  error === undefined && status >= 200 && status < 300;

interface Decision {
  readonly settled: Settled;
  readonly failingSinceMs: number | undefined;
  readonly disabled: Disabled | undefined;
}

/** What an attempt means for the delivery and for its endpoint. `random` is from 0 up to 1. */
export function afterAttempt(
  delivery: Delivery,
  { failingSinceMs }: Pick<Endpoint, "failingSinceMs">,
  result: AttemptResult,
  nowMs: number,
  random: number,
): Decision {
  const { retryAfter, ...attempt } = result;
  const tries = delivery.tries + 1;
  const attempts = [...delivery.attempts, attempt].slice(-attemptsKeptMax);
  const settled = { eventId: delivery.eventId, tries, attempts };
  if (isSuccess(result)) {
    const ended = { ...settled, state: "delivered", dueAtMs: undefined } as const;
    return { settled: ended, failingSinceMs: undefined, disabled: undefined };
  }
  const since = failingSinceMs ?? result.atMs;
  const failed = { ...settled, state: "failed", dueAtMs: undefined } as const;
  if (result.status === 410) {
    return { settled: failed, failingSinceMs: since, disabled: { atMs: nowMs, reason: "gone" } };
  }
  const delayMs = retryDelaysMs[delivery.tries];
  if (delayMs !== undefined) {
    const usualMs = nowMs + delayMs * (1 + jitterShare * random);
    const askedMs = Math.min(retryAtMs(retryAfter, nowMs) ?? 0, nowMs + retryAfterMsMax);
    const dueAtMs = Math.ceil(Math.max(usualMs, askedMs));
    return {
      settled: { ...settled, state: "pending", dueAtMs },
      failingSinceMs: since,
      disabled: undefined,
    };
  }
  // Nothing was delivered from the first attempt of this one to its last. Not by the clock, which may
  // jump: what counts is that all attempts were made.
  const firstAtMs = attempts.at(-tries)?.atMs ?? result.atMs;
  const disabled = since <= firstAtMs ? ({ atMs: nowMs, reason: "failing" } as const) : undefined;
  return { settled: failed, failingSinceMs: since, disabled };
}
