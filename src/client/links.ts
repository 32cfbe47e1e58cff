/** What the headers of a response link to: the next page, and the notice of a deprecation. */
import { urlOf } from "./address.ts";
import type { CallOptions, OperationId } from "./operations.ts";

/** The `Link` header (RFC 8288). */
export interface Link {
  /** As it stands in the header: it may be relative. */
  readonly target: string;
  readonly relations: readonly string[];
}

const space = "[ \\t]*";
const targetForm = /[ \t,]*<([^>]*)>/y;
const parameterForm = new RegExp(
  `${space};${space}(?:([^ \\t=;,"<>]+)(?:${space}=${space}(?:"((?:[^"\\\\]|\\\\.)*)"|([^ \\t;,"]*)))?)?`,
  "y",
);

/** Reads as far as the header makes sense. A link about another document (`anchor`) is left out. */
export function linksOf(header: string | null): Link[] {
  const links: Link[] = [];
  if (header === null) return links;
  let at = 0;
  const next = (form: RegExp) => {
    form.lastIndex = at;
    const found = form.exec(header);
    if (found !== null) at = form.lastIndex;
    return found;
  };
  for (let target = next(targetForm); target !== null; target = next(targetForm)) {
    const parameters = new Map<string, string>();
    for (let found = next(parameterForm); found !== null; found = next(parameterForm)) {
      const [, name, quoted, token] = found;
      const value = quoted?.replace(/\\(.)/g, "$1") ?? token ?? "";
      // Section 3.3: only the first rel of a link counts.
      if (name !== undefined && !parameters.has(name.toLowerCase())) {
        parameters.set(name.toLowerCase(), value);
      }
    }
    const relations = (parameters.get("rel") ?? "").toLowerCase().split(/[ \t]+/);
    if (!parameters.has("anchor")) links.push({ target: target[1] ?? "", relations });
  }
  return links;
}

/** The target of the first link of that relation, made absolute. Undefined if there is none. */
export function linkTo(relation: string, header: string | null, base: string): string | undefined {
  const link = linksOf(header).find(({ relations }) => relations.includes(relation));
  return link === undefined ? undefined : urlOf(link.target, base)?.href;
}

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Give it as `cursor`, with the same filters, to go on from here later. Undefined at the end. */
  readonly nextCursor: string | undefined;
  /** The page that follows; undefined at the end. Takes the options of this page unless given some. */
  next(options?: CallOptions): Promise<Page<Item> | undefined>;
}

/** What a response tells of the end of its operation. */
export interface DeprecationNotice {
  readonly operation: OperationId;
  /** `Deprecation` (RFC 9745). */
  readonly deprecatedAt: Date | undefined;
  /** `Sunset` (RFC 8594): the operation does not work from then on. */
  readonly sunsetAt: Date | undefined;
  /** Where the notice is written out. */
  readonly notice: string | undefined;
  /** What to call instead. */
  readonly successor: string | undefined;
}

export function deprecationIn(
  operation: OperationId,
  headers: Headers,
  address: string,
): DeprecationNotice | undefined {
  const deprecation = headers.get("deprecation");
  const sunset = headers.get("sunset");
  if (deprecation === null && sunset === null) return undefined;
  const link = headers.get("link");
  const [, seconds] = /^@(-?[0-9]+)$/.exec(deprecation ?? "") ?? [];
  return {
    operation,
    deprecatedAt: seconds === undefined ? undefined : validDate(Number(seconds) * 1000),
    sunsetAt: sunset === null ? undefined : validDate(Date.parse(sunset)),
    notice: linkTo("deprecation", link, address) ?? linkTo("sunset", link, address),
    successor: linkTo("successor-version", link, address),
  };
}

function validDate(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

export function deprecationMessage(deprecation: DeprecationNotice): string {
  const { operation, sunsetAt, notice, successor } = deprecation;
  const end = sunsetAt === undefined ? "" : ` and ends on ${sunsetAt.toISOString().slice(0, 10)}`;
  const instead = successor === undefined ? "" : ` Use ${successor} instead.`;
  const more = notice === undefined ? "" : ` See ${notice}.`;
  return `Pet Store: ${operation} is deprecated${end}.${instead}${more}`;
}
