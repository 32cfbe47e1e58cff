/** Ending in the middle of the work, on SIGINT or SIGTERM. */
import { CommandFailure } from "./errors.ts";

/** By the convention of shells, 128 and the signal's number. */
const stopExitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
export type StopSignalName = keyof typeof stopExitCodes;

/** A signal ended the program in the middle of its work. */
export class Stopped extends CommandFailure {
  readonly by: StopSignalName;

  constructor(by: StopSignalName, outcome?: string) {
    super(outcome === undefined ? "Stopped." : `Stopped. ${outcome}`, {
      exitCode: stopExitCodes[by],
    });
    this.name = "Stopped";
    this.by = by;
  }
}

/** What to throw after a stop signal has ended the work. */
export function stopped(signal: AbortSignal, outcome: string): Stopped {
  return new Stopped((signal.reason as Stopped).by, outcome);
}

/** Adds to a Stopped what became of the work. Any other cause passes as it is. */
export function saying(outcome: string) {
  return (cause: unknown): never => {
    throw cause instanceof Stopped ? new Stopped(cause.by, outcome) : cause;
  };
}

/** The outcome of the work or, as soon as that is asked for, the reason to stop. */
export function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    const done = () => signal.removeEventListener("abort", stop);
    work.then(resolve, reject).finally(done);
  });
}

/** The same chunks. Throws the reason to stop even while waiting for a chunk. */
export async function* untilStopped(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let waiting = false;
  try {
    for (;;) {
      waiting = true;
      const step = await orStopped(iterator.next(), signal);
      waiting = false;
      if (step.done) return;
      yield step.value;
    }
  } finally {
    // A read from a terminal ends only at the next key press, so it is not awaited.
    const closed = iterator.return?.();
    if (!waiting) await closed;
  }
}
