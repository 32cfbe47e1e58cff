/** Whether a process goes on growing, from what it holds each time that it is left alone again. */

const mebibyte = 1024 ** 2;
export const mebibytes = (bytes: number) => Math.round(bytes / mebibyte);

/** Fewer than these are compared as they are. */
const levelsMin = 6;

/**
 * A runtime takes memory as it warms up and gives it back when it likes, so that one level says
 * little. Of many, the lowest of the last third is compared with the lowest of the third before it:
 * what is never given back is in both, and only what is still being lost makes a difference.
 */
export function growthOf(levels: readonly number[]): number {
  const third = Math.floor(levels.length / 3);
  if (levels.length < levelsMin) return (levels.at(-1) ?? 0) - (levels[0] ?? 0);
  return Math.min(...levels.slice(-third)) - Math.min(...levels.slice(-2 * third, -third));
}
