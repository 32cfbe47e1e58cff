/** Which part of a file a reader asks for (RFC 9110, section 14). */

export type RangeVerdict =
  | { readonly kind: "whole" }
  /** Both inclusive. */
  | { readonly kind: "part"; readonly first: number; readonly last: number }
  | { readonly kind: "unsatisfiable" };

const whole: RangeVerdict = { kind: "whole" };

/** One range of bytes. Several at once, or what cannot be read, is answered with all of it. */
export function rangeOf(
  range: string | undefined,
  ifRange: string | undefined,
  bytes: number,
  etag: string,
): RangeVerdict {
  if (range === undefined) return whole;
  // Strongly: the reader puts the part to others that it has. We tell no dates, so none matches.
  if (ifRange !== undefined && ifRange.trim() !== etag) return whole;
  const [matched, from = "", to = ""] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(range) ?? [];
  if (matched === undefined || (from === "" && to === "")) return whole;
  if (from === "") return lastBytes(Number(to), bytes);
  const first = Number(from);
  const last = to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== "" && Number(to) < first) return whole;
  return first < bytes ? { kind: "part", first, last } : { kind: "unsatisfiable" };
}

function lastBytes(count: number, bytes: number): RangeVerdict {
  if (count === 0 || bytes === 0) return { kind: "unsatisfiable" };
  return { kind: "part", first: Math.max(0, bytes - count), last: bytes - 1 };
}
