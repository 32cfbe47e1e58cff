/** Spans of time and instants, as people type and read them. */
import { UsageError } from "./errors.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const unitsMs: Readonly<Record<string, number>> = {
  s: secondMs,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
  w: 7 * dayMs,
};

/** For the help: `m` could be taken for a month. */
export const unitsText = "s, m (minutes), h, d or w";
/** A century: anything longer is a typing error. */
const spanDaysMax = 36_500;

/** Reads `90d`, `24h`, `15m`, `30s` or `2w`; undefined for what has another form. */
export function readSpan(option: string, text: string): number | undefined {
  const [, count, unit = ""] = /^([0-9]+)([smhdw])$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const ms = Number(count) * (unitsMs[unit] ?? Number.NaN);
  if (ms <= spanDaysMax * dayMs) return ms;
  throw new UsageError(`${option} ${text} is too far: a century (${spanDaysMax}d) is the most.`);
}

/** `examples` are for the error message: `24h, 7d or 0s`. */
export function requireSpan(option: string, text: string, examples: string): number {
  const ms = readSpan(option, text);
  if (ms !== undefined) return ms;
  throw new UsageError(
    `${option} must be a time such as ${examples}: a whole number and one of ${unitsText}.`,
  );
}

const instantForm =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,3})?)?(?:Z|[+-][0-9]{2}:[0-9]{2}))?$/;

/** Reads an ISO date (its first instant in UTC) or date and time with a zone; else undefined. */
export function readInstant(option: string, text: string): number | undefined {
  const [, date] = instantForm.exec(text) ?? [];
  if (date === undefined) return undefined;
  const atMs = Date.parse(text);
  // Engines differ on 30 February: some refuse it and some mean 2 March.
  const midnight = new Date(date);
  const real = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
  if (real && !Number.isNaN(atMs)) return atMs;
  throw new UsageError(`${option} ${text}: there is no such date or time of day.`);
}

/** Reads an instant, or how long ago it was. */
export function readTime(
  option: string,
  text: string | undefined,
  nowMs: number,
): number | undefined {
  if (text === undefined) return undefined;
  const agoMs = readSpan(option, text);
  const atMs = agoMs === undefined ? readInstant(option, text) : nowMs - agoMs;
  if (atMs !== undefined) return atMs;
  throw new UsageError(
    `${option} must be a date such as 2030-01-31, a time such as 2030-01-31T12:00Z, or how long ago such as 7d: a whole number and one of ${unitsText}.`,
  );
}

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, spanMs: number])[] = [
  ["year", 365 * dayMs],
  ["month", 30 * dayMs],
  ["day", dayMs],
  ["hour", hourMs],
  ["minute", minuteMs],
  ["second", secondMs],
];

/** "3 days ago", "in 2 hours", in the largest unit that fits twice, so that little is rounded off. */
export function fromNow(instantMs: number, nowMs: number): string {
  const span = instantMs - nowMs;
  const [unit, spanMs] = steps.find(([, step]) => Math.abs(span) >= 2 * step) ?? [
    "second",
    secondMs,
  ];
  const count = Math.round(span / spanMs);
  return count === 0 ? "just now" : new Intl.RelativeTimeFormat("en").format(count, unit);
}

/** 2030-12-05 00:00 UTC */
export function instantText(instantMs: number): string {
  return `${iso(instantMs).slice(0, 16).replace("T", " ")} UTC`;
}

/** 2030-12-05 00:00 UTC (in 2 hours) */
export function whenText(instantMs: number, nowMs: number): string {
  return `${instantText(instantMs)} (${fromNow(instantMs, nowMs)})`;
}

/** 2030-12-05 */
export function dateText(instantMs: number): string {
  return iso(instantMs).slice(0, 10);
}

export function iso(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** "40 s", "3 min 5 s", "2 h 10 min": what is left of some work. */
export function spanText(spanMs: number): string {
  const seconds = Math.max(0, Math.round(spanMs / secondMs));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
