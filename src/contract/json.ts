/**
 * JSON with exact integers. `JSON.parse` turns every number into a double and would round
 * 9007199254740993 silently; here an integer beyond the safe range becomes a bigint.
 */

// Without 16 digits in a row, a point or an exponent after a digit, every number of a text is an
// integer below 10^15, which a double holds exactly. A string that looks like one is only slower.
const mayRound = /[0-9]{16}|[0-9][.eE]/;

/** Throws SyntaxError for invalid JSON, and RangeError for nesting deeper than the stack. */
export function parseJson(text: string): unknown {
  return mayRound.test(text) ? JSON.parse(text, exactly as Reviver) : JSON.parse(text);
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function exactly(_key: string, value: unknown, context: { source: string }): unknown {
  return typeof value === "number" ? exactNumber(context.source, value) : value;
}

const numberForm = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
// An int64 has at most 19 digits: a larger number is refused, so it need not be exact.
const digitsMax = 19;

/** NaN for a number that is not an integer although its double is one: 0.99999999999999999. */
function exactNumber(source: string, rounded: number): number | bigint {
  const [, sign, whole = "", fraction = "", exponent = "0"] = numberForm.exec(source) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  if (digits === "") return 0;
  const shift = Number(exponent) - fraction.length;
  const kept = digits.slice(0, significant(digits));
  const zeros = shift + digits.length - kept.length;
  if (zeros < 0) return Number.isInteger(rounded) ? Number.NaN : rounded;
  if (kept.length + zeros > digitsMax) return rounded;
  const exact = BigInt(`${sign}${kept}${"0".repeat(zeros)}`);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

/** The number of digits before the trailing zeros. A regular expression would take quadratic time. */
function significant(digits: string): number {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return end;
}

/** `addedAtMs: number` becomes `addedAt: string`; undefined becomes null; the rest stays. */
export type Json<T> = T extends undefined
  ? null
  : T extends readonly (infer Item)[]
    ? readonly Json<Item>[]
    : T extends object
      ? {
          readonly [Name in keyof T as NameOf<Name, T[Name]>]: NameOf<Name, T[Name]> extends Name
            ? Json<T[Name]>
            : InstantOf<T[Name]>;
        }
      : T;

/** The name of an instant without its unit. A list of milliseconds is not an instant. */
type NameOf<Name, Value> = Name extends `${infer Bare}Ms`
  ? [Value] extends [number | undefined]
    ? Bare
    : Name
  : Name;

type InstantOf<T> = T extends number ? string : null;

export function toJson<T>(value: T): Json<T> {
  return converted(value) as Json<T>;
}

/** The inverse of `toJson`, of what it made of a T. */
export function fromJson<T>(value: unknown): T {
  return restored(value) as T;
}

const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function restored(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(restored);
  if (typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      typeof member === "string" && instantForm.test(member)
        ? [`${name}Ms`, Date.parse(member)]
        : [name, restored(member)],
    ),
  );
}

function converted(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      name.endsWith("Ms") && (member === undefined || typeof member === "number")
        ? [name.slice(0, -2), member === undefined ? null : new Date(member).toISOString()]
        : [name, converted(member)],
    ),
  );
}
