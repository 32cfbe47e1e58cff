/** Responses as bytes of HTTP/1.1. */
import { STATUS_CODES } from "node:http";
import type { HttpResponse } from "./message.ts";

let dateSecond = -1;
let dateText = "";

/** The date of RFC 9110, section 5.6.7, made once a second. */
export function httpDate(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}

/** Header names in their usual case, by lower-case name. Filled as they occur. */
const usualNames = new Map([
  ["etag", "ETag"],
  ["www-authenticate", "WWW-Authenticate"],
  ["ratelimit", "RateLimit"],
  ["ratelimit-policy", "RateLimit-Policy"],
]);

function usualName(name: string): string {
  const known = usualNames.get(name);
  if (known !== undefined) return known;
  const usual = name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
  usualNames.set(name, usual);
  return usual;
}

// A value with a line break would start a header, or a response, of its own.
const unsafe = /[^\t\x20-\x7e]/;

export interface Framing {
  readonly nowMs: number;
  /** Undefined where the response has no content, or its length is not known. */
  readonly contentLength: number | undefined;
  readonly chunked: boolean;
  readonly connection: "close" | "keep-alive" | undefined;
}

/** The status line and all headers, with the empty line after them. */
export function responseHead({ status, headers }: HttpResponse, framing: Framing): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nDate: ${httpDate(framing.nowMs)}\r\n`;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    if (typeof value === "string") head += headerLine(name, value);
    else for (const one of value) head += headerLine(name, one);
  }
  if (framing.contentLength !== undefined) head += `Content-Length: ${framing.contentLength}\r\n`;
  else if (framing.chunked) head += "Transfer-Encoding: chunked\r\n";
  if (framing.connection !== undefined) head += `Connection: ${framing.connection}\r\n`;
  return `${head}\r\n`;
}

function headerLine(name: string, value: string): string {
  if (unsafe.test(value)) throw new Error(`The response header ${name} is not printable ASCII.`);
  return `${usualName(name)}: ${value}\r\n`;
}

/** RFC 9110, section 6.4.1: these never have content. */
export function allowsContent(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}
