/** Badges. Each has a word and a mark, so that none speaks by colour alone. */
import type { Operation } from "./contract.ts";
import { dateInWords } from "./fields.ts";
import { type Html, html } from "./html.ts";

const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  304: "Not Modified",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

export function reasonOf(code: number): string {
  return reasons[code] ?? "";
}

type Meaning = "fine" | "waiting" | "trouble" | "neutral";

function badge(meaning: Meaning, mark: string, words: string): Html {
  return html`<span class="badge ${meaning}"><span aria-hidden="true">${mark}</span> ${words}</span>`;
}

export function status(code: number): Html {
  const words = `${code} ${reasonOf(code)}`.trim();
  if (code < 300) return badge("fine", "●", words);
  if (code < 400) return badge("neutral", "○", words);
  return badge("trouble", "▲", words);
}

const stabilities: Readonly<Record<string, Html>> = {
  stable: badge("fine", "●", "Stable"),
  beta: badge("waiting", "◐", "Beta"),
  experimental: badge("waiting", "◌", "Experimental"),
};

export function stability(operation: Operation): Html {
  return stabilities[operation.stability] ?? badge("neutral", "○", operation.stability);
}

export function deprecated({ deprecation }: Operation): Html | undefined {
  if (deprecation === undefined) return undefined;
  const { sunset } = deprecation;
  const date = sunset === undefined ? "" : `, removed on ${dateInWords(sunset)}`;
  return badge("trouble", "▲", `Deprecated${date}`);
}

export function method(name: string): Html {
  return html`<span class="method ${name === "GET" ? "reads" : "writes"}">${name}</span>`;
}
