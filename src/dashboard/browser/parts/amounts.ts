/** Amounts as people read them. */

const number = new Intl.NumberFormat("en-GB");

export const amount = (value: number | bigint): string => number.format(value);

/** `1 file`, `12 files`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${amount(value)} ${value === 1 ? one : many}`;

/** `812 B`, `1.2 MB`. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${rounded(bytes / 1_000)} kB`;
  return `${rounded(bytes / 1_000_000)} MB`;
}

const rounded = (value: number) =>
  number.format(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
