/** Times and amounts as people read them, with the exact time on hover. */
import { useEffect, useState } from "preact/hooks";
import { every, now } from "../../../docs/browser/platform.ts";

const units: readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit, short: string][] = [
  [31_536_000, "year", "y"],
  [2_592_000, "month", "mo"],
  [86_400, "day", "d"],
  [3_600, "hour", "h"],
  [60, "minute", "min"],
  [1, "second", "s"],
];

const last = [1, "second", "s"] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** `20 seconds ago`, `in 3 days`. */
function fromNow(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1000);
  if (Math.abs(seconds) < 5) return "just now";
  // 59 minutes and a half are an hour; 59 minutes are not.
  const [size, unit] = units.find(([size]) => Math.abs(seconds) >= size * 0.99) ?? last;
  return relative.format(Math.round(seconds / size), unit);
}

/** `41 min`, `12 s`. */
function left(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [size, , short] = units.find(([size]) => seconds >= size * (size === 1 ? 1 : 1.5)) ?? last;
  return `${Math.round(seconds / size)} ${short}`;
}

/** `12 Feb`, with the year if it is not the current one. */
function dayText(atMs: number, nowMs: number): string {
  const sameYear = new Date(atMs).getFullYear() === new Date(nowMs).getFullYear();
  return (sameYear ? day : dayOfYear).format(atMs);
}

function useNow(intervalMs = 1_000): number {
  const [at, setAt] = useState(now);
  useEffect(() => every(intervalMs, () => setAt(now())), [intervalMs]);
  return at;
}

/** As text (RFC 3339), or in milliseconds since 1970. */
type Instant = string | number;

const msOf = (at: Instant): number => (typeof at === "number" ? at : Date.parse(at));

/** The exact time on hover. */
function Time({ atMs, children }: { atMs: number; children: string }) {
  return (
    <time dateTime={new Date(atMs).toISOString()} title={exact.format(atMs)}>
      {children}
    </time>
  );
}

interface AgoProps {
  readonly at: Instant;
  /** It has happened, even if this machine's clock is behind. */
  readonly past?: boolean;
}

/** `3 minutes ago`. */
export function Ago({ at, past = false }: AgoProps) {
  const atMs = msOf(at);
  const seenMs = useNow(Math.abs(now() - atMs) < 60_000 ? 1_000 : 15_000);
  return <Time atMs={atMs}>{fromNow(atMs, past ? Math.max(seenMs, atMs) : seenMs)}</Time>;
}

/** `12 Feb 2030, 14:03:21 UTC`, in the zone of the reader. */
export function Exactly({ at }: { at: Instant }) {
  return <Time atMs={msOf(at)}>{exact.format(msOf(at))}</Time>;
}

/** `12 Feb`. */
export function Day({ at }: { at: Instant }) {
  return <Time atMs={msOf(at)}>{dayText(msOf(at), now())}</Time>;
}

/** `41 min`, and `a moment` when the time is over. */
export function Left({ until }: { until: Instant }) {
  const rest = msOf(until) - useNow();
  return <Time atMs={msOf(until)}>{rest <= 0 ? "a moment" : left(rest)}</Time>;
}

const number = new Intl.NumberFormat("en-GB");

export const amount = (value: number | bigint): string => number.format(value);

/** `1 file`, `12 files`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${amount(value)} ${value === 1 ? one : many}`;

/** `812 B`, `1.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${rounded(bytes / 1_000)} kB`;
  return `${rounded(bytes / 1_000_000)} MB`;
}

const rounded = (value: number) =>
  number.format(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
