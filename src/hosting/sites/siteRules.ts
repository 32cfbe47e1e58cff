/**
 * The rules that a deployment contains in `_redirects` and `_headers`, in the syntax of Netlify and
 * Cloudflare Pages. Patterns become expressions whose time is linear in the length of a path.
 */
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import {
  forEachLine,
  literal,
  matchesPath,
  type Pattern,
  parsePattern,
  placeholderForm,
  placeholders,
  refuse,
} from "./ruleLines.ts";
import type { SiteContents } from "./sites.ts";

const files = { redirects: "_redirects", headers: "_headers" } as const;

/** They say how a site is served, and are not part of it. */
export function isRulesFile(path: string): boolean {
  return path === files.redirects || path === files.headers;
}

export const redirectsBytesMax = 128 * 1024;
/** All of it may be in one response, and common clients take 64 KiB of headers. */
export const headersBytesMax = 32 * 1024;
export const redirectsMax = 2_000;
/** With a splat or a placeholder: each is tried on its own. */
export const redirectPatternsMax = 100;
export const redirectLengthMax = 1_000;
export const headerRulesMax = 100;
export const headerLengthMax = 2_000;
const errorsMax = 5;
/** What a rule takes beside its text. */
const ruleBytes = 512;

export interface SiteRules {
  readonly redirects: {
    /** Those without a splat or placeholder, by their path. */
    readonly fixed: ReadonlyMap<string, Redirect>;
    readonly patterns: readonly Redirect[];
  };
  readonly headers: readonly HeaderRule[];
}

export interface Redirect {
  readonly line: number;
  readonly pattern: Pattern;
  /** Of another site; empty within this one. */
  readonly origin: string;
  /** Path, query and fragment, with placeholders. */
  readonly target: string;
  readonly status: number;
  /** Applies also where the site has a page. */
  readonly forced: boolean;
}

interface HeaderRule {
  readonly pattern: Pattern;
  readonly fields: { readonly name: string; readonly value: string | undefined }[];
}

export interface ParsedRules {
  readonly rules: SiteRules;
  /** One sentence or more for each line that is not a rule, for the owner. */
  readonly errors: readonly string[];
  /** About as many bytes as the rules take in memory. */
  readonly weight: number;
}

const noRules: SiteRules = { redirects: { fixed: new Map(), patterns: [] }, headers: [] };

/** Those of a deployment, which may still be in progress. */
export function readRules(
  contents: Pick<SiteContents, "file" | "content">,
  deployment: string,
): MaybePromise<ParsedRules> {
  const errors: string[] = [];
  const read = (path: string, bytesMax: number): MaybePromise<string> =>
    then(contents.file(deployment, path), (file) => {
      if (file === undefined) return "";
      if (file.bytes > bytesMax) {
        errors.push(`${path} is larger than ${bytesMax / 1024} KiB. Remove some of its rules.`);
        return "";
      }
      // Bytes that are not UTF-8 become U+FFFD, which no rule may contain.
      return then(contents.content(file.hash, "identity"), (content) =>
        new TextDecoder().decode(content),
      );
    });
  return then(read(files.redirects, redirectsBytesMax), (redirects) =>
    then(read(files.headers, headersBytesMax), (headers) =>
      parseRules({ redirects, headers }, errors),
    ),
  );
}

export function parseRules(
  { redirects = "", headers = "" }: { readonly redirects?: string; readonly headers?: string },
  errors: string[] = [],
): ParsedRules {
  if (redirects === "" && headers === "") return { rules: noRules, errors, weight: ruleBytes };
  const rules = {
    redirects: parseRedirects(redirects, errors),
    headers: parseHeaders(headers, errors),
  };
  const { fixed, patterns } = rules.redirects;
  const count = 1 + fixed.size + patterns.length + rules.headers.length;
  return { rules, errors, weight: redirects.length + headers.length + count * ruleBytes };
}

/** What is wrong, for the owner; undefined where nothing is. */
export function rulesError({ errors }: ParsedRules): string | undefined {
  if (errors.length === 0) return undefined;
  const more = errors.length - errorsMax;
  const rest = more > 0 ? [`There are ${more} more errors.`] : [];
  return [...errors.slice(0, errorsMax), ...rest].join(" ");
}

function parseRedirects(text: string, errors: string[]): SiteRules["redirects"] {
  const lines = new Map<string, number>();
  const fixed = new Map<string, Redirect>();
  const patterns: Redirect[] = [];
  forEachLine(files.redirects, text, redirectLengthMax, errors, (text, line) => {
    const redirect = parseRedirect(text, line);
    const { path } = redirect.pattern;
    const earlier = lines.get(String(path));
    if (earlier !== undefined) {
      refuse(`Line ${earlier} has a rule for this path already. Remove one of the two.`);
    }
    lines.set(String(path), line);
    if (lines.size > redirectsMax) {
      refuse(`There are more than ${redirectsMax} rules. Combine some with * or :placeholders.`);
    }
    if (typeof path === "string") fixed.set(path, redirect);
    else if (patterns.push(redirect) > redirectPatternsMax) {
      refuse(
        `There are more than ${redirectPatternsMax} rules with * or :placeholders. Remove some.`,
      );
    }
  });
  return { fixed, patterns };
}

const redirectForm = `"<from> <to> [status]", such as "/old /new 301"`;
const redirectStatuses = [301, 302, 303, 307, 308];
const rewriteStatuses = [200, 404];
/** Not 301, which browsers and search engines remember: a mistake can be corrected. */
const statusDefault = "302";

function parseRedirect(text: string, line: number): Redirect {
  const [rule = ""] = text.split(/\s+#/);
  const words = rule.split(/\s+/);
  const [from = "", to, code = statusDefault, ...others] = words;
  if (to === undefined) refuse(`The destination is missing. Write ${redirectForm}.`);
  const other = words.find((word) => /^\w+=/.test(word)) ?? others[0];
  if (other !== undefined) {
    refuse(`"${other}" is not supported: a rule has no conditions. Write ${redirectForm}.`);
  }
  const pattern = parsePattern(from);
  const { origin, target } = parseTarget(to, pattern);
  const [, digits, mark] = /^(\d{3})(!?)$/.exec(code) ?? [];
  const status = Number(digits);
  const redirects = redirectStatuses.includes(status);
  if (!redirects && !rewriteStatuses.includes(status)) {
    refuse(`"${code}" is not a status of a rule. Use 301, 302, 303, 307, 308, 200 or 404.`);
  }
  if (!redirects && (origin !== "" || /[?#]/.test(target))) {
    refuse(`With ${status}, the destination is a path of this site. Use 302 for other URLs.`);
  }
  const forced = mark === "!";
  if (redirects && origin === "" && leadsToItself(from, pattern, target, forced)) {
    refuse("The rule leads to itself. Change its destination, or remove it.");
  }
  return { line, pattern, origin, target, status, forced };
}

/** The same path, whatever its last slash; or, where no page ends it, one that the rule matches. */
function leadsToItself(from: string, pattern: Pattern, target: string, forced: boolean): boolean {
  const [path = ""] = target.split(/[?#]/);
  const bare = (address: string) => address.replace(/\/$/, "");
  if (bare(from.replace("*", ":splat")) === bare(path)) return true;
  return (
    forced && !placeholderForm.test(path) && matchesPath(pattern, literal(bare(path).slice(1)))
  );
}

function parseTarget(to: string, { names }: Pattern): { origin: string; target: string } {
  const [, given, rest = ""] = /^(https?:\/\/[^/?#]*)?(.*)$/i.exec(to) ?? [];
  if (given === undefined && !/^\/(?!\/)/.test(to)) {
    refuse(`"${to}" is not a destination. Begin it with "/", "https://" or "http://".`);
  }
  if (to.includes("\\")) refuse(`"${to}" has a backslash. Write / or %5C.`);
  for (const [, name = ""] of rest.matchAll(placeholders)) {
    if (!names.includes(name)) {
      const from = name === "splat" ? "*" : `:${name}`;
      refuse(
        `The destination has :${name}, but the path has no ${from}. Add it, or write %3A for a colon.`,
      );
    }
  }
  const target = rest.replace(/[^\x21-\x7e]/gu, encodeURIComponent);
  return { origin: given === undefined ? "" : originOf(given), target };
}

/** It is fixed: what visitors send never becomes part of a host name. */
function originOf(given: string): string {
  const { origin, host, username, password } = URL.parse(given) ?? {};
  if (origin === undefined || host === "" || username !== "" || password !== "") {
    refuse(`"${given}" is not the address of a site, such as https://www.example.com.`);
  }
  return origin;
}

export interface RedirectMatch {
  readonly redirect: Redirect;
  /** The parts of the path by the names of the placeholders, percent-encoded. */
  readonly values: ReadonlyMap<string, string>;
}

const noValues: ReadonlyMap<string, string> = new Map();

/** The first in the order of the file, `forced` or any. `folder` where the address ends with a slash. */
export function findRedirect(
  { redirects: { fixed, patterns } }: SiteRules,
  { path, folder }: { readonly path: string; readonly folder: boolean },
  which: "forced" | "any",
): RedirectMatch | undefined {
  const applies = (redirect: Redirect) => which === "any" || redirect.forced;
  const found = fixed.get(path);
  const exact = found !== undefined && applies(found) ? found : undefined;
  for (const redirect of patterns) {
    if (exact !== undefined && exact.line < redirect.line) break;
    if (!applies(redirect)) continue;
    const values = valuesOf(redirect.pattern, path, folder);
    if (values !== undefined) return { redirect, values };
  }
  return exact && { redirect: exact, values: noValues };
}

function valuesOf(pattern: Pattern, path: string, folder: boolean) {
  const { path: expression, names, open } = pattern;
  const match = typeof expression === "string" ? null : expression.exec(path);
  if (match === null) return undefined;
  return new Map(
    names.map((name, index) => {
      const value = match[index + 1] ?? "";
      const encoded = value.split("/").map(encodeURIComponent).join("/");
      const slash = folder && open && name === "splat" && value !== "";
      return [name, slash ? `${encoded}/` : encoded];
    }),
  );
}

/** Where a match leads: an address of this site, which begins with one slash, or of another. */
export function destinationOf(
  { redirect: { origin, target, status }, values }: RedirectMatch,
  query: string,
): string {
  const filled = target.replace(placeholders, (_, name) => values.get(name) ?? "");
  const [, path = "", own = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(filled) ?? [];
  // Two slashes, left by an empty splat, would begin the name of a host.
  const address = origin + path.replace(/\/{2,}/g, "/");
  if (rewriteStatuses.includes(status)) return address;
  return address + (own === "" ? query : own) + fragment;
}

function parseHeaders(text: string, errors: string[]): readonly HeaderRule[] {
  const rules: HeaderRule[] = [];
  /** Of the path above, also where that was refused. */
  let fields: HeaderRule["fields"] | undefined;
  forEachLine(files.headers, text, headerLengthMax, errors, (line) => {
    if (!/^(?:\/|https?:)/.test(line)) {
      const field = parseField(line);
      if (fields !== undefined) return void fields.push(field);
      return refuse("There is no path above this header. Write one, such as /*, on its own line.");
    }
    fields = [];
    if (/\s/.test(line)) refuse("A path has a line of its own. For a space, write %20.");
    if (rules.push({ pattern: parsePattern(line), fields }) > headerRulesMax) {
      refuse(`There are more than ${headerRulesMax} paths. Combine some with * or :placeholders.`);
    }
  });
  return rules;
}

/** What the service or the connection decides, and what proxies would act upon. */
const reservedHeaders = new RegExp(
  `^(?:${[
    "accept-ranges|age|allow|alt-svc|clear-site-data|connection|content-encoding|content-length",
    "content-range|date|etag|http2-settings|keep-alive|last-modified|location|proxy-.*|server|set-cookie2?",
    "strict-transport-security|te|trailer|transfer-encoding|upgrade|vary|via|www-authenticate",
    "basic-auth|x-accel-.*|x-sendfile.*|x-lighttpd-send-file|x-litespeed-.*|x-reproxy-.*",
  ].join("|")})$`,
);

const reservedHints: Readonly<Record<string, string>> = {
  location: `Write a rule in ${files.redirects} instead.`,
  "basic-auth": "Pages are public: do not publish what needs a password.",
};

function parseField(line: string) {
  const [, removed, added, value = ""] =
    /^(?:!\s*([A-Za-z][A-Za-z0-9-]*)|([A-Za-z][A-Za-z0-9-]*)\s*:\s*(.*))$/.exec(line) ?? [];
  const name = (removed ?? added)?.toLowerCase();
  if (name === undefined) {
    refuse(
      `"${line.slice(0, 100)}" is not a header. Write "Name: value", or "! Name" to remove one.`,
    );
  }
  if (reservedHeaders.test(name)) {
    refuse(
      `A site cannot change ${removed ?? added}. ${reservedHints[name] ?? "Remove this line."}`,
    );
  }
  if (removed !== undefined) return { name, value: undefined };
  if (!/^[\t\x20-\x7e]+$/.test(value)) {
    refuse(`The value of ${added} must be printable ASCII and not empty.`);
  }
  return { name, value };
}

/** Headers after all rules that match: they replace ours, and join one another. */
export function withRuleHeaders(
  { headers: rules }: SiteRules,
  path: string,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const changed: Record<string, string> = { ...headers };
  const set = new Set<string>();
  for (const { pattern, fields } of rules) {
    if (!matchesPath(pattern, path)) continue;
    for (const { name, value } of fields) {
      if (value === undefined) delete changed[name];
      else changed[name] = set.has(name) ? `${changed[name]}, ${value}` : value;
      if (value === undefined) set.delete(name);
      else set.add(name);
    }
  }
  return changed;
}
