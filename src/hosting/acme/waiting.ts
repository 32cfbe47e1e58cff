import type { Clock } from "../../core/clock.ts";

/** Resolves after the delay, or rejects with the signal's reason. */
export function delay(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      stop();
      reject(signal.reason);
    };
    const stop = clock.after(delayMs, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** The promise's outcome, or the signal's reason if that comes first. The work itself goes on. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** No authority sends anyone away for longer; what says so is a mistake. */
const retryAfterDaysMax = 31;
const dayMs = 86_400_000;

/** When to come back, from seconds or an HTTP date (RFC 9110, section 10.2.3). */
export function retryAtMs(header: string | undefined, nowMs: number): number | undefined {
  const atMs = readInstant(header?.trim() ?? "", nowMs);
  if (atMs === undefined || !Number.isFinite(atMs)) return undefined;
  return Math.min(Math.max(atMs, nowMs), nowMs + retryAfterDaysMax * dayMs);
}

function readInstant(text: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(text)) return nowMs + Number(text) * 1000;
  // Other forms that Date.parse understands are no HTTP dates.
  if (/^[A-Za-z]{3,9}, .* GMT$/.test(text)) return Date.parse(text);
  return undefined;
}
