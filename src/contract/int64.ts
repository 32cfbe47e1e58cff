export const int64Min = -(2n ** 63n);
export const int64Max = 2n ** 63n - 1n;

/** With fewer, every number is in range. */
const digitsMax = 19;
const canonicalForm = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** Reads an int64 in canonical decimal notation; undefined for anything else. */
export function int64FromText(text: string): bigint | undefined {
  if (!canonicalForm.test(text)) return undefined;
  const value = BigInt(text);
  if (text.length < digitsMax) return value;
  return value >= int64Min && value <= int64Max ? value : undefined;
}

/** Converts a number of parsed JSON to an int64; undefined if it is not exactly one. */
export function int64FromJson(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== "bigint") return undefined;
  return value >= int64Min && value <= int64Max ? value : undefined;
}

/** The next number of a sequence that never repeats. */
export function int64After(last: bigint, series: string): bigint {
  if (last === int64Max) throw new Error(`Every number of ${series} is used up.`);
  return last + 1n;
}
