/** Events with fields, one JSON object per line. Never prose, never a secret. */
import { withoutTokens } from "../petstore/keys/token.ts";
import type { Clock } from "./clock.ts";

export const logLevels = ["info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Every line already has these, so they cannot be fields. */
type Reserved = { readonly [Name in "time" | "level" | "event"]?: never };
type Fields = Readonly<Record<string, unknown>> & Reserved;

export interface Log {
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
  /** Whether events of a level are written at all: events below it need not be built. */
  writes(level: LogLevel): boolean;
  /** Writes what is still buffered. */
  flush(): void;
}

/** A log that also writes lines of other processes. */
export interface PassingLog extends Log {
  passOn(lines: string): void;
}

const heldCharactersMax = 64 * 1024;
const flushEveryMs = 100;

/**
 * Lines are buffered briefly and written together: under load, hundreds of requests share one write.
 * Warnings and errors are written at once.
 */
export function createLog(
  least: LogLevel | "off",
  clock: Clock,
  write: (lines: string) => void,
): PassingLog {
  let held = "";
  let lostLines = 0;
  // A log that cannot be written must not stop the service: the disk may be full. `write` is called
  // even without new lines, so that it can retry what a slow reader did not take.
  const flush = () => {
    const lines = held;
    held = "";
    try {
      if (lostLines > 0) write(line(clock, "warn", "log.lost", { lines: lostLines }));
      lostLines = 0;
      write(lines);
    } catch {
      lostLines += lines.split("\n").length - 1;
    }
  };
  clock.every(flushEveryMs, flush);

  const writes = (level: LogLevel) =>
    least !== "off" && logLevels.indexOf(level) >= logLevels.indexOf(least);
  const at = (level: LogLevel) => {
    if (!writes(level)) return () => {};
    return (event: string, fields: Fields = {}) => {
      held += line(clock, level, event, fields);
      if (level === "warn" || level === "error" || held.length > heldCharactersMax) flush();
    };
  };
  const passOn = (lines: string) => {
    held += lines;
    if (held.length > heldCharactersMax) flush();
  };
  return { info: at("info"), warn: at("warn"), error: at("error"), writes, flush, passOn };
}

function line(clock: Clock, level: LogLevel, event: string, fields: Fields): string {
  const start = `{"time":"${timeText(clock.now())}","level":"${level}","event":"${event}"`;
  // Nearly every line is of a request and needs no replacer, which takes three times as long.
  const json = withoutTokens(JSON.stringify(fields, isPlain(fields) ? undefined : plain));
  return json === "{}" ? `${start}}\n` : `${start},${json.slice(1)}\n`;
}

let last = { ms: Number.NaN, text: "" };

/** Under load, many lines are of the same millisecond. */
function timeText(ms: number): string {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

function isPlain(fields: Fields): boolean {
  for (const name in fields) {
    const value = fields[name];
    if (typeof value === "object" || typeof value === "bigint") return false;
  }
  return true;
}

const causesShownMax = 5;

function plain(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Error) return causes(value);
  return value;
}

/** An error and its causes, outermost first. */
function causes(error: Error): unknown[] {
  const found: unknown[] = [];
  let at: unknown = error;
  while (at instanceof Error && found.length < causesShownMax) {
    found.push({ name: at.name, message: at.message, stack: at.stack });
    at = at.cause;
  }
  if (at !== undefined && !(at instanceof Error)) found.push(String(at));
  return found;
}

/** How much a slow reader may leave unread; beyond this, whole lines are lost. */
const unreadBytesMax = 16 * 1024 * 1024;

/**
 * Writes whole lines to a pipe that may be full at times: what it does not take (EAGAIN) is written
 * first the next time, so that no line is ever truncated.
 */
export function patientWriter(write: (bytes: Uint8Array) => number): (lines: string) => void {
  let unread: Uint8Array = Buffer.alloc(0);
  const drain = () => {
    try {
      while (unread.byteLength > 0) unread = unread.subarray(write(unread));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EAGAIN") return;
      unread = Buffer.alloc(0);
      throw cause;
    }
  };
  return (lines) => {
    drain();
    if (unread.byteLength > unreadBytesMax) throw new Error("The log is not being read.");
    unread = Buffer.concat([unread, Buffer.from(lines)]);
    drain();
  };
}
