/** Writing to stdout and stderr. */
import type { Clock } from "../core/clock.ts";
import { spanText } from "./durations.ts";
import { digits } from "./table.ts";

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

const redrawEveryMs = 100;
const barCellsMax = 24;
const barCellsMin = 4;
const columnsDefault = 80;

export interface Progress {
  /** `share` is the part that is done, from 0 to 1, where that is known. */
  update(count: number, share?: number): void;
  /** Clears the line. */
  clear(): void;
}

/** A progress bar on a terminal. Writes nothing elsewhere. `what` is a verb: `Importing`. */
export function progressBar(what: string, output: Output, clock: Clock, unit = "pets"): Progress {
  const startedAtMs = clock.elapsed();
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let shown = false;
  const line = (count: number, share: number | undefined, spentMs: number, cells: number) => {
    const rate = spentMs > 0 ? Math.round((count * 1_000) / spentMs) : 0;
    const counts = `${digits(count)} ${unit}  ${digits(rate)}/s`;
    if (share === undefined) return `${what}  ${counts}`;
    const done = Math.min(1, share);
    const percent = `${Math.floor(done * 100)} %`.padStart(5);
    // Too little is done before to tell.
    const left = done >= 0.01 ? `  ${spanText((spentMs / done) * (1 - done))} left` : "";
    const words = `${percent}  ${counts}${left}`;
    const room = cells - what.length - words.length - "  [] ".length;
    return `${what}  ${bar(done, Math.min(room, barCellsMax))}${words}`;
  };
  return {
    update(count, share) {
      const nowMs = clock.elapsed();
      if (output.isTTY !== true || nowMs - drawnAtMs < redrawEveryMs) return;
      drawnAtMs = nowMs;
      shown = true;
      // A line that wraps cannot be redrawn in place. Some terminals say that they have 0 columns.
      const cells = (output.columns || columnsDefault) - 1;
      const text = line(count, share, nowMs - startedAtMs, cells);
      output.write(`\r${text.slice(0, cells)}\x1b[K`);
    },
    clear() {
      if (shown) output.write("\r\x1b[K");
      shown = false;
    },
  };
}

/** Left out where there is no room for it beside the numbers. */
function bar(done: number, cells: number): string {
  if (cells < barCellsMin) return "";
  const filled = Math.round(done * cells);
  return `[${"#".repeat(filled)}${".".repeat(cells - filled)}] `;
}
