import { exactText } from "./json.ts";

type Parameters = Readonly<Record<string, unknown>>;

/** `URL.canParse` and `URL.parse` in one, for engines that lack them. */
export function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** The base address without a slash at its end. Throws TypeError for what is none. */
export function readBase(given: string): string {
  const url = urlOf(given);
  const usable =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (!usable) {
    throw new TypeError(
      "baseUrl must be an absolute http or https address without user name, query or fragment, " +
        "such as https://api.example.com/v1.",
    );
  }
  return url.href.replace(/\/+$/, "");
}

export function addressFor(
  base: string,
  template: string,
  path: Parameters = {},
  query: Parameters = {},
): string {
  const filledIn = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(text(name, path[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value) && value.length === 0) {
      // An empty filter would vanish from the address and match everything.
      throw new TypeError(`${name} is an empty list. Name at least one, or leave ${name} out.`);
    }
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) search.append(name, text(name, one));
    }
  }
  const asked = search.toString();
  return `${base}${filledIn}${asked === "" ? "" : `?${asked}`}`;
}

function text(name: string, value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return exactText(value, name);
  if (typeof value === "string") return value;
  if (value === undefined || value === null) throw new TypeError(`${name} is missing.`);
  const given = Array.isArray(value) ? "a list" : `of type ${typeof value}`;
  throw new TypeError(`${name} must be a number, a bigint or a string, and is ${given}.`);
}
