export const int64Min = -(2n ** 63n);
export const int64Max = 2n ** 63n - 1n;

const canonicalForm = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** Reads the one spelling that an int64 has in an address; every other spelling is no int64. */
export function int64FromText(text: string): bigint | undefined {
  if (!canonicalForm.test(text)) return undefined;
  const value = BigInt(text);
  return value >= int64Min && value <= int64Max ? value : undefined;
}

/** Takes a number of parsed JSON as an int64 if that is what it is, digit for digit. */
export function int64FromJson(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== "bigint") return undefined;
  return value >= int64Min && value <= int64Max ? value : undefined;
}

/** The next of a series of numbers that is never used twice. */
export function int64After(last: bigint, series: string): bigint {
  if (last === int64Max) throw new Error(`Every number of ${series} is used up.`);
  return last + 1n;
}
