/** How the reference reads JSON and refuses: its own code, as another team would write it. */

export type Plain = {
  status: number;
  body: string;
  headers?: Record<string, string>;
  /** Of a list: how many match. */
  total?: number;
  /** Of a stream: sends what happens until the returned function is called. */
  follow?: (send: (text: string) => void) => () => void;
};

export class Refusal extends Error {
  readonly code: string;
  readonly headers: Record<string, string>;
  constructor(code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

/** A number as it stood in the text. */
class Digits {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

export type Members = Record<string, unknown>;

export function parse(text: string): unknown {
  const keep = (_: string, value: unknown, context: { source: string }) =>
    typeof value === "number" ? new Digits(context.source) : value;
  return JSON.parse(text, keep as (this: unknown, key: string, value: unknown) => unknown);
}

/** The integer that a number of JSON is, whatever way it is written. */
export function integerOf(value: unknown): bigint | undefined {
  if (!(value instanceof Digits)) return undefined;
  const [mantissa = "", power = "0"] = value.source.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const shift = Number(power) - fraction.length;
  if (Math.abs(shift) > 100) return undefined;
  const digits = BigInt(whole + fraction);
  const scale = 10n ** BigInt(Math.abs(shift));
  if (shift >= 0) return withinInt64(digits * scale);
  return digits % scale === 0n ? withinInt64(digits / scale) : undefined;
}

export function withinInt64(value: bigint): bigint | undefined {
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** The one way to write an id in an address. */
export function idOf(text: string): bigint | undefined {
  return /^(?:0|-?[1-9]\d*)$/.test(text) ? withinInt64(BigInt(text)) : undefined;
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is wrong with a name, if anything. Characters are code points unless said otherwise. */
export function isName(value: unknown, countUnits: boolean): value is string {
  if (typeof value !== "string" || !value.isWellFormed()) return false;
  const length = countUnits ? value.length : [...value].length;
  return length <= 255 && /\S/.test(value) && !value.includes("\0");
}
