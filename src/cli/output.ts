import type { Output } from "./context.ts";

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

/** Whether the one who was reading our output has stopped, which is no fault. */
export function isReaderGone(cause: unknown): boolean {
  return (cause as { code?: unknown } | undefined)?.code === "EPIPE";
}
