import type { Operation } from "../contract/document.ts";
import { parseJson } from "../contract/json.ts";
import { type Reader, type Reading, unknownNames } from "../contract/schema.ts";
import { type MaybePromise, then } from "../core/maybePromise.ts";
import { Problem } from "../core/problems.ts";
import type { HttpRequest } from "../wire/message.ts";

/** Reads a query string as the operation's parameters. Reports everything that is wrong. */
export function readQuery(
  operation: Operation,
  search: string,
  strict: boolean,
): Record<string, unknown> {
  const given = search === "" ? noParameters : valuesByName(search);
  const reading: Reading = { complaints: [], strict };
  const query: Record<string, unknown> = {};
  for (const [name, { read, otherwise }] of operation.query) {
    const values = given.get(name);
    const value = values === undefined ? otherwise : read(values, name, reading);
    if (value !== undefined) query[name] = value;
  }
  if (strict) {
    const unknown = [...given.keys()].filter((name) => !operation.query.has(name));
    reading.complaints.push(...unknownNames(unknown, "a parameter of this operation"));
  }
  if (reading.complaints.length > 0) {
    throw new Problem("parameter_invalid", { detail: reading.complaints.join(" ") });
  }
  return query;
}

const noParameters: ReadonlyMap<string, string[]> = new Map();

function valuesByName(search: string): ReadonlyMap<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    const values = byName.get(name);
    if (values === undefined) byName.set(name, [value]);
    else values.push(value);
  }
  return byName;
}

export const bodyBytesMax = 65_536;

/** Reads a request's body as the contract describes it. Reports everything that is wrong. */
export function readBody(
  request: HttpRequest,
  read: Reader,
  mediaTypes: readonly string[],
  strict: boolean,
): MaybePromise<unknown> {
  refuseOtherMedia(request, mediaTypes);
  return then(request.body(bodyBytesMax), (bytes) => readBytes(bytes, read, strict));
}

function readBytes(bytes: Uint8Array, read: Reader, strict: boolean): unknown {
  const reading: Reading = { complaints: [], strict };
  const body = read(parsed(bytes), "The body", reading);
  if (reading.complaints.length > 0) {
    throw new Problem("body_invalid", { detail: reading.complaints.join(" ") });
  }
  return body;
}

// RFC 8259 defines no charset parameter, but many clients send `utf-8`, which is always true.
const jsonMedia = /^([^\s;]+)\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?$/i;

function refuseOtherMedia(request: HttpRequest, mediaTypes: readonly string[]): void {
  const [, given = ""] = jsonMedia.exec(request.header("content-type")?.trim() ?? "") ?? [];
  // RFC 5789, section 2.2.
  const headers = request.method === "PATCH" ? { "accept-patch": mediaTypes.join(", ") } : {};
  if (!mediaTypes.includes(given.toLowerCase())) {
    const detail = `Send the body as ${mediaTypes.join(" or ")}.`;
    throw new Problem("media_type_unsupported", { detail, headers });
  }
  const encoding = request.header("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new Problem("media_type_unsupported", {
      detail: "Send the body without a Content-Encoding.",
      headers,
    });
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parsed(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) {
    throw new Problem("body_unreadable", { detail: "The body is empty; a JSON object is needed." });
  }
  try {
    return parseJson(utf8.decode(bytes));
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new Problem("body_unreadable", { detail: "The body is nested too deeply.", cause });
    }
    const detail =
      cause instanceof SyntaxError ? "The body is not valid JSON." : "The body is not valid UTF-8.";
    throw new Problem("body_unreadable", { detail, cause });
  }
}
