import { urlOf } from "./address.ts";

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
