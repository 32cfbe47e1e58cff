/** When a call is tried again, and how long it waits before that. */
import { refusalIn } from "./answer.ts";

// 429 and 503 say so themselves; 502 and 504 are a proxy's words for a service that was not there.
const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export const backoffBaseMs = 250;
export const backoffMaxMs = 8_000;

/** Whether an answer stands for a state that passes by itself. */
export function isPassing(status: number, text: string): boolean {
  if (passingStatuses.has(status)) return true;
  // The first call with this Idempotency-Key is still at work; its answer will be ours.
  return status === 409 && refusalIn(text)?.code === "idempotency_in_flight";
}

/**
 * Doubles with every attempt, and takes a random part of it ("full jitter"), so that clients which
 * failed together do not come back together. Never less than what the service asked for.
 */
export function pauseMs(
  failedAttempts: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  const ceilingMs = Math.min(backoffMaxMs, backoffBaseMs * 2 ** (failedAttempts - 1));
  return Math.max(retryAfterMs ?? 0, Math.round(random * ceilingMs));
}

// Date.parse alone finds a date in almost anything.
const httpDate = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;

/** `Retry-After` in either of its forms (RFC 9110, section 10.2.3). Undefined for anything else. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^[0-9]{1,9}$/.test(value)) return Number(value) * 1000;
  if (!httpDate.test(value)) return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
