/** The response as elements. */
import { tokensOf } from "../highlight.ts";
import type { Tone } from "../icons.ts";
import { indentJson } from "../indentJson.ts";
import { make, makeIcon } from "./elements.ts";

export interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly elapsedMs: number;
}

export interface ErrorPages {
  readonly codes: readonly string[];
  /** The URL of the list, ending with a slash. */
  readonly at: string;
}

export function inWords({ status, statusText, elapsedMs }: Received): string {
  return `${status} ${statusText}`.trim().concat(` in ${duration(elapsedMs)}`);
}

const duration = (ms: number) => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

export function shown(received: Received, pages: ErrorPages): Node[] {
  const { status, statusText, headers, body, elapsedMs } = received;
  const tone = status < 300 ? "fine" : status < 400 ? "neutral" : "trouble";
  const size = new TextEncoder().encode(body).byteLength;
  return [
    make(
      "p",
      { class: "facts" },
      badge(tone, `${status} ${statusText}`.trim()),
      make("span", { class: "quiet" }, `${duration(elapsedMs)} · ${size} bytes`),
      errorLink(body, pages),
    ),
    body === ""
      ? make("p", { class: "quiet" }, "No body.")
      : make(
          "pre",
          { tabindex: "0", "aria-label": "Body" },
          make("code", {}, ...coloured(indentJson(body), "json")),
        ),
    headerTable(headers),
  ];
}

function badge(tone: Tone, words: string): HTMLElement {
  return make("span", { class: `badge ${tone}` }, makeIcon(tone), words);
}

export function failed(message: string): Node[] {
  return [make("p", { class: "facts" }, badge("trouble", "No response")), make("p", {}, message)];
}

function headerTable(headers: Received["headers"]): HTMLElement {
  const rows = headers.map(([name, value]) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value)),
  );
  return make(
    "details",
    { class: "headers", open: "" },
    make("summary", {}, `${headers.length} headers visible to this page`),
    make(
      "div",
      { class: "scroll", role: "group", "aria-label": "Response headers", tabindex: "0" },
      make("table", {}, make("tbody", {}, ...rows)),
    ),
  );
}

export function coloured(text: string, language: string): (Node | string)[] {
  return tokensOf(text, language).map(({ kind, text }) =>
    kind === "text" ? text : make("span", { class: `t-${kind}` }, text),
  );
}

function errorLink(body: string, { codes, at }: ErrorPages): HTMLElement | undefined {
  const code = /"code"\s*:\s*"(\w+)"/.exec(body)?.[1];
  if (code === undefined || !codes.includes(code)) return undefined;
  return make("a", { href: `${at}${code}/` }, `What ${code} means`);
}
