/** The response to a request for a file: content coding, conditional requests and ranges. */
import { type MaybePromise, then } from "../core/maybePromise.ts";
import type { HttpRequest, HttpResponse } from "./message.ts";

/** Preferred first. */
const codings = ["br", "gzip", "identity"] as const;
export type Coding = (typeof codings)[number];

export interface ServedFile {
  /** Identifies the content: different contents have different ones. */
  readonly hash: string;
  readonly bytes: number;
  readonly mediaType: string;
  readonly cacheControl: string;
  /** The compressed forms that are stored. */
  readonly smaller: readonly Coding[];
  content(coding: Coding): MaybePromise<Uint8Array>;
}

type FileRequest = Pick<HttpRequest, "method" | "header">;
type Headers = Readonly<Record<string, string>>;

/** `always` are the headers that every response has. */
export function fileResponse(
  request: FileRequest,
  file: ServedFile,
  always: Headers,
): MaybePromise<HttpResponse> {
  const coding = chooseCoding(request.header("accept-encoding"), file.smaller);
  // Each coding has its own ETag (RFC 9110, section 8.8.3.3).
  const etag = coding === "identity" ? `"${file.hash}"` : `"${file.hash}-${coding}"`;
  const headers: Record<string, string> = {
    ...always,
    etag,
    "cache-control": file.cacheControl,
    ...(file.smaller.length > 0 ? { vary: "Accept-Encoding" } : {}),
  };
  if (isHeld(request.header("if-none-match"), etag)) return { status: 304, headers };
  const range = wantedRange(request, file, coding, etag);
  if (range.kind === "unsatisfiable") return unsatisfiable(file, always);
  if (coding === "identity") headers["accept-ranges"] = "bytes";
  return then(file.content(coding), (content) => {
    Object.assign(headers, contentHeaders(file, coding));
    if (range.kind === "whole") return { status: 200, headers, body: content };
    const { first, last } = range;
    headers["content-range"] = `bytes ${first}-${last}/${file.bytes}`;
    return { status: 206, headers, body: content.subarray(first, last + 1) };
  });
}

/** The page for a path that is not found. */
export function notFoundResponse(
  request: FileRequest,
  file: ServedFile,
  always: Headers,
): MaybePromise<HttpResponse> {
  const coding = chooseCoding(request.header("accept-encoding"), file.smaller);
  return then(file.content(coding), (body) => ({
    status: 404,
    headers: {
      ...always,
      "cache-control": "no-cache",
      vary: "Accept-Encoding",
      ...contentHeaders(file, coding),
    },
    body,
  }));
}

function contentHeaders({ mediaType }: ServedFile, coding: Coding): Headers {
  return coding === "identity"
    ? { "content-type": mediaType }
    : { "content-type": mediaType, "content-encoding": coding };
}

function unsatisfiable({ bytes }: ServedFile, always: Headers): HttpResponse {
  const headers = {
    ...always,
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-cache",
    "content-range": `bytes */${bytes}`,
  };
  return { status: 416, headers, body: "The file is shorter than that.\n" };
}

/** If-None-Match compares weakly: `W/"x"` stands for `"x"` (RFC 9110, section 13.1.2). */
export function isHeld(held: string | undefined, etag: string): boolean {
  if (held === undefined) return false;
  return held.trim() === "*" || (held.match(/"[^"]*"/g)?.includes(etag) ?? false);
}

/** The weight of `identity` if the client does not list it: it may always be sent as a last resort. */
const unlistedWeight = 0.0001;

/** RFC 9110, section 12.5.3. */
function chooseCoding(accepted: string | undefined, smaller: readonly Coding[]): Coding {
  if (accepted === undefined || smaller.length === 0) return "identity";
  const weights = weightsOf(accepted);
  const weightOf = (coding: Coding) =>
    weights.get(coding) ?? weights.get("*") ?? (coding === "identity" ? unlistedWeight : 0);
  let best: Coding = "identity";
  let bestWeight = 0;
  for (const coding of codings) {
    if (coding !== "identity" && !smaller.includes(coding)) continue;
    const weight = weightOf(coding);
    if (weight <= bestWeight) continue;
    best = coding;
    bestWeight = weight;
  }
  return best;
}

/** A value that cannot be parsed is ignored. */
function weightsOf(accepted: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of accepted.toLowerCase().split(",")) {
    const [, name, weight = "1"] =
      /^\s*([\w*-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(item) ?? [];
    if (name !== undefined) weights.set(name === "x-gzip" ? "gzip" : name, Number(weight));
  }
  return weights;
}

/** The requested range of a file (RFC 9110, section 14). */
type RangeVerdict =
  | { readonly kind: "whole" }
  /** Both inclusive. */
  | { readonly kind: "part"; readonly first: number; readonly last: number }
  | { readonly kind: "unsatisfiable" };

const whole: RangeVerdict = { kind: "whole" };

/** One range of bytes. For several, or a malformed header, the response is the whole file. */
function wantedRange(
  request: FileRequest,
  { bytes }: ServedFile,
  coding: Coding,
  etag: string,
): RangeVerdict {
  // Only of the identity encoding: a range of a compressed body cannot be decoded alone.
  if (request.method !== "GET" || coding !== "identity") return whole;
  const range = request.header("range");
  if (range === undefined) return whole;
  // Strong comparison: the client combines the part with others that it has. A date never matches,
  // because no Last-Modified is sent.
  const ifRange = request.header("if-range");
  if (ifRange !== undefined && ifRange.trim() !== etag) return whole;
  const [matched, from = "", to = ""] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(range) ?? [];
  if (matched === undefined || (from === "" && to === "")) return whole;
  if (from === "") return lastBytes(Number(to), bytes);
  const first = Number(from);
  const last = to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  if (to !== "" && Number(to) < first) return whole;
  return first < bytes ? { kind: "part", first, last } : { kind: "unsatisfiable" };
}

function lastBytes(count: number, bytes: number): RangeVerdict {
  if (count === 0 || bytes === 0) return { kind: "unsatisfiable" };
  return { kind: "part", first: Math.max(0, bytes - count), last: bytes - 1 };
}
