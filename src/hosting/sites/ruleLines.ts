/** The lines and the patterns of paths that the rules of a site consist of. */
import { normalizePath } from "./siteFile.ts";

class RuleError extends Error {}

export function refuse(message: string): never {
  throw new RuleError(message);
}

/** Hands over each line that is not empty or a comment. A line that is refused becomes an error. */
export function forEachLine(
  file: string,
  text: string,
  lengthMax: number,
  errors: string[],
  parse: (line: string, number: number) => void,
): void {
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    try {
      if (raw.length > lengthMax) {
        refuse(`The line has more than ${lengthMax} characters. Shorten it.`);
      }
      if (/[^\P{Cc}\t]|\ufffd/u.test(line)) {
        refuse("The line has control characters, or is not UTF-8. Remove them.");
      }
      parse(line, index + 1);
    } catch (cause) {
      if (!(cause instanceof RuleError)) throw cause;
      errors.push(`${file}, line ${index + 1}: ${cause.message}`);
    }
  }
}

/** Of a path without slashes at its ends, so that both spellings of an address match. */
export interface Pattern {
  /** One path, or an expression where it has a splat or placeholders. */
  readonly path: string | RegExp;
  readonly names: readonly string[];
  /** Ends with a splat. */
  readonly open: boolean;
}

export const placeholderForm = /:([A-Za-z]\w*)/;
export const placeholders = new RegExp(placeholderForm, "g");
const wholeSegment = /(?<=\/):[A-Za-z]\w*(?=\/|$)/g;

export function parsePattern(from: string): Pattern {
  if (!from.startsWith("/")) {
    refuse(`"${from}" is not a path of this site. Begin it with "/".`);
  }
  if (/[?#\\]|\/\//.test(from)) {
    refuse(`"${from}" is not a path: remove its query, fragment, backslashes and empty segments.`);
  }
  const [before = "", after, ...more] = from.replace(/\/$/, "").split("*");
  if (more.length > 0 || (after !== undefined && placeholderForm.test(after))) {
    refuse(`"${from}" may have one *, and no :placeholder after it.`);
  }
  const names = [...from.matchAll(placeholders)].map(([, name = ""]) => name);
  if (names.length !== (from.match(wholeSegment)?.length ?? 0)) {
    refuse(`A :placeholder is a whole segment, as in /blog/:year/:name. For a colon, write %3A.`);
  }
  if (after !== undefined) names.push("splat");
  if (new Set(names).size !== names.length) refuse(`"${from}" has two placeholders of one name.`);
  const path = before.slice(1);
  const expression = () => new RegExp(`^${sourceOf(path, after)}$`, "s");
  return { path: names.length === 0 ? literal(path) : expression(), names, open: after === "" };
}

export function matchesPath(pattern: Pattern, path: string): boolean {
  return typeof pattern.path === "string" ? pattern.path === path : pattern.path.test(path);
}

/** `/blog/*` is also `/blog` itself. */
function sourceOf(before: string, after: string | undefined): string {
  const start = before.endsWith("/") && after === "" ? before.slice(0, -1) : before;
  const source = start
    .split("/")
    .map((segment) => (placeholderForm.test(segment) ? "([^/]+)" : escaped(literal(segment))))
    .join("/");
  if (after === undefined) return source;
  if (start !== before) return `${source}(?:/(.*))?`;
  return `${source}(.*)${escaped(literal(after))}`;
}

/** As the paths of requests are compared: decoded, and in one spelling. */
export function literal(text: string): string {
  try {
    return normalizePath(decodeURIComponent(text));
  } catch {
    return refuse(`"${text}" has a % that is not an escape. For a percent sign, write %25.`);
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
