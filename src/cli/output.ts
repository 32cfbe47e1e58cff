import type { Output } from "./world.ts";

/**
 * A stream of the process as an Output. A reader that went away (`| head`) makes `write` false and
 * `drained` reject with EPIPE; left alone, that error would end the process with a stack.
 */
export function outputTo(stream: NodeJS.WriteStream): Output {
  let failure: Error | undefined;
  stream.on("error", (cause) => {
    failure ??= cause;
  });
  return {
    isTTY: stream.isTTY,
    get columns() {
      return stream.columns;
    },
    write: (text) => failure === undefined && stream.write(text),
    drained: () =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        // Writes are taken in order: when this one is, so are all before it.
        stream.write("", (cause) => (cause ? reject(cause) : resolve()));
      }),
  };
}

/** Whether the one who was reading our output has stopped, which is no fault. */
export function isReaderGone(cause: unknown): boolean {
  return (cause as { code?: unknown } | undefined)?.code === "EPIPE";
}
