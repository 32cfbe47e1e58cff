/** Writing to stdout and stderr. */

export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** False when the reader is slower: wait for `drained` before writing much more. */
  write(text: string): boolean;
  /** Resolves when all of it is taken. Rejects with the code EPIPE when the reader went away. */
  drained(): Promise<void>;
}

/**
 * A stream of the process as an Output. A reader that went away (`| head`) makes `write` false and
 * `drained` reject with EPIPE; left alone, that error would end the process with a stack.
 */
export function outputTo(stream: NodeJS.WriteStream): Output {
  let failure: Error | undefined;
  let underWay = 0;
  let waiting: (() => void)[] = [];
  const ended = (cause?: Error | null) => {
    failure ??= cause ?? undefined;
    underWay--;
    if (underWay > 0) return;
    for (const resume of waiting) resume();
    waiting = [];
  };
  stream.on("error", (cause) => {
    failure ??= cause;
  });
  return {
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns;
    },
    write(text) {
      if (failure !== undefined) return false;
      underWay++;
      return stream.write(text, ended);
    },
    // Every write is waited for by its own word: Bun reports an empty one before those ahead of it.
    async drained() {
      if (underWay > 0) await new Promise<void>((resume) => waiting.push(resume));
      if (failure !== undefined) throw failure;
    },
  };
}

/** Whether the reader of our output has closed the pipe, which is not a failure. */
export function isReaderGone(cause: unknown): boolean {
  return (cause as { code?: unknown } | undefined)?.code === "EPIPE";
}

import type { Clock } from "../core/clock.ts";
import { spanText } from "./durations.ts";
import { digits } from "./table.ts";

const redrawEveryMs = 100;
const barCellsMax = 24;
const barCellsMin = 4;
const columnsDefault = 80;

/** A progress bar on a terminal. Writes nothing elsewhere. */
export class Progress {
  readonly #what: string;
  readonly #output: Output;
  readonly #clock: Clock;
  readonly #unit: string;
  readonly #startedAtMs: number;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #shown = false;

  /** `what` is a verb: `Importing`. `unit` is what is counted. */
  constructor(what: string, output: Output, clock: Clock, unit = "pets") {
    this.#what = what;
    this.#output = output;
    this.#clock = clock;
    this.#unit = unit;
    this.#startedAtMs = clock.elapsed();
  }

  /** `share` is the part that is done, from 0 to 1, where that is known. */
  update(count: number, share?: number): void {
    if (this.#output.isTTY !== true) return;
    const nowMs = this.#clock.elapsed();
    if (nowMs - this.#drawnAtMs < redrawEveryMs) return;
    this.#drawnAtMs = nowMs;
    this.#shown = true;
    // A line that wraps cannot be redrawn in place. Some terminals say that they have 0 columns.
    const cells = (this.#output.columns || columnsDefault) - 1;
    const line = this.#line(count, share, nowMs - this.#startedAtMs, cells);
    this.#output.write(`\r${line.slice(0, cells)}\x1b[K`);
  }

  #line(count: number, share: number | undefined, spentMs: number, cells: number): string {
    const rate = spentMs > 0 ? Math.round((count * 1_000) / spentMs) : 0;
    const counts = `${digits(count)} ${this.#unit}  ${digits(rate)}/s`;
    if (share === undefined) return `${this.#what}  ${counts}`;
    const done = Math.min(1, share);
    const percent = `${Math.floor(done * 100)} %`.padStart(5);
    const left = done > 0 ? `  ${spanText((spentMs / done) * (1 - done))} left` : "";
    const words = `${percent}  ${counts}${left}`;
    const room = cells - this.#what.length - words.length - "  [] ".length;
    return `${this.#what}  ${bar(done, Math.min(room, barCellsMax))}${words}`;
  }

  /** Clears the line. */
  clear(): void {
    if (this.#shown) this.#output.write("\r\x1b[K");
    this.#shown = false;
  }
}

/** Left out where there is no room for it beside the numbers. */
function bar(done: number, cells: number): string {
  if (cells < barCellsMin) return "";
  const filled = Math.round(done * cells);
  return `[${"#".repeat(filled)}${".".repeat(cells - filled)}] `;
}
