/** Letting go in the middle of a wait, when the program is told to stop. */

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

/** The same chunks. Throws the reason to stop even while the next chunk lets itself be waited for. */
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
    // One who waits for the keyboard hears of the end only when somebody types.
    const closed = iterator.return?.();
    if (!waiting) await closed;
  }
}
