/** Responses as bytes of HTTP/1.1. */
import { reasonPhrase } from "../core/reasonPhrases.ts";
import type { HttpResponse } from "./message.ts";

let dateSecond = -1;
let dateText = "";

/** The date of RFC 9110, section 5.6.7, made once a second. */
function httpDate(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}

/** Names in which not just the first letter of each word is a capital. */
const usualNames = new Map([
  ["etag", "ETag"],
  ["www-authenticate", "WWW-Authenticate"],
  ["ratelimit", "RateLimit"],
  ["ratelimit-policy", "RateLimit-Policy"],
]);

function usualName(name: string): string {
  return usualNames.get(name) ?? name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** The last line of each header, by its lower-case name: most never change. */
const lastLines = new Map<string, { readonly start: string; value: string; line: string }>();

/** A value with a line break would start another header or response. Bun does not check HTTP/2. */
export function requirePrintable(name: string, value: string): void {
  if (/[^\t\x20-\x7e]/.test(value)) {
    throw new Error(`The response header ${name} is not printable ASCII.`);
  }
}

interface Framing {
  readonly nowMs: number;
  /** Undefined if the response has no content, or its length is unknown. */
  readonly contentLength: number | undefined;
  readonly chunked: boolean;
  readonly connection: "close" | "keep-alive" | undefined;
}

/** The status line and all headers, with the empty line after them. */
export function responseHead({ status, headers }: HttpResponse, framing: Framing): string {
  let head = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\nDate: ${httpDate(framing.nowMs)}\r\n`;
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) head += headerLine(name, value);
  }
  if (framing.contentLength !== undefined) head += `Content-Length: ${framing.contentLength}\r\n`;
  else if (framing.chunked) head += "Transfer-Encoding: chunked\r\n";
  if (framing.connection !== undefined) head += `Connection: ${framing.connection}\r\n`;
  return `${head}\r\n`;
}

function headerLine(name: string, value: string): string {
  let last = lastLines.get(name);
  if (last === undefined) {
    last = { start: `${usualName(name)}: `, value: "", line: "" };
    lastLines.set(name, last);
  }
  if (last.line !== "" && last.value === value) return last.line;
  requirePrintable(name, value);
  last.value = value;
  last.line = `${last.start}${value}\r\n`;
  return last.line;
}

/** RFC 9110, section 6.4.1: these never have content. */
export function allowsContent(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

/** A whole response as bytes, to be sent repeatedly; only its date changes. */
export class PreparedResponse {
  readonly #bytes: Buffer;
  readonly #dateAt: number;
  #second: number;

  constructor(response: HttpResponse & { readonly body: string | Uint8Array }, nowMs: number) {
    const { body } = response;
    const contentLength = Buffer.byteLength(body);
    const framing = { nowMs, contentLength, chunked: false, connection: undefined };
    const head = responseHead(response, framing);
    this.#bytes =
      typeof body === "string"
        ? Buffer.from(head + body)
        : Buffer.concat([Buffer.from(head, "latin1"), body]);
    // The head is ASCII, so characters are bytes.
    this.#dateAt = head.indexOf("Date: ") + "Date: ".length;
    this.#second = Math.floor(nowMs / 1000);
  }

  /** Must be written, or copied, before the next call. */
  at(nowMs: number): Buffer {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#bytes.write(httpDate(nowMs), this.#dateAt, "latin1");
    }
    return this.#bytes;
  }

  /** The response that it was made from. */
  parsed(): HttpResponse & { readonly body: string } {
    const text = this.#bytes.toString();
    const end = text.indexOf("\r\n\r\n");
    const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
    const fields = lines.map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
    });
    const { date, "content-length": length, ...headers } = Object.fromEntries(fields);
    return { status: Number(statusLine.split(" ")[1]), headers, body: text.slice(end + 4) };
  }
}
