import type { Clock } from "../clock.ts";

/**
 * Asks once for all requests that had arrived when the first of them was taken up. The listener
 * learns of them in one go and works them off in one go; what arrives meanwhile comes with the next.
 * So an answer is never older than its request, and 64 busy clients cost one look at the store.
 */
export function oncePerTurn<T>(ask: () => T, clock: Clock): () => T {
  let answer: { readonly value: T } | undefined;
  return () => {
    if (answer === undefined) {
      answer = { value: ask() };
      clock.next(() => {
        answer = undefined;
      });
    }
    return answer.value;
  };
}
