import { hangMs } from "./timeouts.ts";

/** Soon at first, and then less and less often: what takes long needs the processor for itself. */
const firstPauseMs = 4;
const pauseMsMax = 50;

/** Asks again and again until the answer is neither undefined nor false. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  /** What to say of it should it never come about. */
  otherwise: () => string = () => "It never came about.",
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + hangMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, pauseMsMax)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>;
    if (performance.now() > deadline) throw new Error(otherwise());
    await Bun.sleep(pauseMs);
  }
}

/** Asks again as long as the store is away. */
export function onceBack<T>(work: () => Promise<T>): Promise<T> {
  return eventually(async () => {
    try {
      return { result: await work() };
    } catch (cause) {
      if ((cause as { code?: string }).code !== "store_unavailable") throw cause;
      return undefined;
    }
  }).then(({ result }) => result);
}
