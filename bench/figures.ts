/** Arithmetic over measurements. */

export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * What `mine` is to `theirs`: compared round by round and only then summed up, since both halves of
 * one round met the same weather on the machine. Rounds that one of them missed are left out.
 */
export function medianRatio(
  mine: ReadonlyMap<number, number>,
  theirs: ReadonlyMap<number, number>,
): number {
  const ratios: number[] = [];
  for (const [round, value] of mine) {
    const other = theirs.get(round);
    if (other !== undefined && other > 0) ratios.push(value / other);
  }
  return median(ratios);
}

/** The same order, begun elsewhere: nobody is always first. */
export function rotated<T>(items: readonly T[], by: number): T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
