/** Names and numbers as people type them, or why they cannot be taken. */
import { int64FromText, int64Max, int64Min } from "../contract/int64.ts";
import { nameError } from "../petstore/keys/lifecycle.ts";
import { UsageError } from "./errors.ts";

/**
 * The text, unless there is something wrong with it. `what` is how the person gave it: `--name`,
 * `<name>`.
 */
export function readText(what: string, text: string, error: string | undefined): string {
  if (error === undefined) return text;
  throw new UsageError(`${what} ${error}.`);
}

export function readName(what: string, name: string, lengthMax: number): string {
  return readText(what, name, nameError(name, lengthMax));
}

/** One of a fixed set of words. */
export function readChoice<T extends string>(what: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const known = choices.length > 2 ? `one of ${choices.join(", ")}` : choices.join(" or ");
  throw new UsageError(
    `${what} must be ${known}, not ${JSON.stringify(text)}.${didYouMean(nearest(text, choices))}`,
  );
}

/** An address of the API, without a slash at its end. */
export function readBaseUrl(what: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const bare = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (!bare || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `${what} must be an http or https address such as http://127.0.0.1:8080/v1, not ${JSON.stringify(text)}.`,
    );
  }
  const base = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  if (base.endsWith("/v1")) return base;
  const meant = `${base.replace(/\/v\d+$/i, "")}/v1`;
  throw new UsageError(`${what} must end in its version, /v1.${didYouMean(meant)}`);
}

export function readInt64(what: string, text: string): bigint {
  const value = int64FromText(text);
  if (value !== undefined) return value;
  throw new UsageError(
    `${what} must be a whole number from ${int64Min} to ${int64Max}, not ${JSON.stringify(text)}.`,
  );
}

export function readWhole(
  option: string,
  text: string | undefined,
  min: number,
  max: number,
): number {
  const number = text !== undefined && /^[0-9]{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  const missing = text === undefined ? "is missing; it " : "";
  throw new UsageError(`--${option} ${missing}must be a whole number from ${min} to ${max}.`);
}

/** Proposes what was probably meant. A guess that is too far off is worse than none. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

export function didYouMean(suggestion: string | undefined): string {
  return suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
}

/** Insertions, removals and replacements that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const added = (current[column - 1] ?? 0) + 1;
      const removed = (above[column] ?? 0) + 1;
      current.push(Math.min(replaced, added, removed));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}
