/** Requests drafted from the contract, right ones and such as go wrong in one place or a few. */
import document from "../../src/contract/generated/document.json" with { type: "json" };
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { type SchemaNode, spoil, spoilText, textOf, valid } from "./wildJson.ts";

export interface Draft {
  readonly method: string;
  /** With the query, from the base address on. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | undefined;
}

/** Values from earlier responses, so that later requests refer to something that exists. */
export interface KnownValues {
  readonly petIds: string[];
  readonly orderIds: string[];
  readonly cursors: string[];
  readonly etags: string[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: SchemaNode & { readonly items?: SchemaNode };
}

interface Drafted {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: SchemaNode | undefined;
}

type Json = Record<string, unknown>;

function at(pointer: string): unknown {
  const steps = pointer.replace(/^#\//, "").split("/");
  return steps.reduce<unknown>((node, step) => (node as Json)[step], document);
}

/** What the document says there, with all that it refers to. */
function settled(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(settled);
  if (typeof node !== "object" || node === null) return node;
  const { $ref, ...beside } = node as Json;
  const own = Object.entries(beside).map(([name, value]) => [name, settled(value)]);
  const target = typeof $ref === "string" ? (settled(at($ref)) as object) : {};
  return { ...target, ...Object.fromEntries(own) };
}

const operations: readonly Drafted[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => {
    const { parameters = [], requestBody } = settled(described) as {
      parameters?: Parameter[];
      requestBody?: { content: { "application/json": { schema: SchemaNode } } };
    };
    const body = requestBody?.content["application/json"].schema;
    return { method: method.toUpperCase(), path, parameters, body };
  }),
);

export const wildSegments = [
  ...[
    "0",
    "-1",
    "01",
    "+1",
    "1.0",
    "1e3",
    "9223372036854775807",
    "9223372036854775808",
    "%31",
    "null",
  ],
  ...[
    "-9223372036854775808",
    "__proto__",
    "constructor",
    "1%2f2",
    "%00",
    "a;b=c",
    "%ff",
    "\xff\xfe",
    "%D9%A3",
  ],
  ...[
    "1".repeat(3_000),
    "*",
    "{petId}",
    "'",
    '"',
    "<x>",
    "%",
    "%zz",
    "~",
    "@",
    "1,2",
    "pets",
    "approve",
  ],
];
const wildValues = [
  ...[
    "",
    "0",
    "-1",
    "1",
    "100",
    "101",
    "1.0",
    "1e1",
    "+1",
    "%2B1",
    "01",
    "0x10",
    "9223372036854775807",
  ],
  ...[
    "9223372036854775808",
    "%00",
    "%",
    "%zz",
    "%ff",
    "\xff",
    "available",
    "AVAILABLE",
    "sold,pending",
    "placed",
  ],
  ...[
    "%20available",
    "a".repeat(3_000),
    "null",
    "[]",
    "%D9%A3",
    "1;2",
    "=",
    "1=2",
    "__proto__",
    "%F0%9F%90%88",
  ],
];
const wildNames = [
  "limit",
  "status",
  "id",
  "cursor",
  "Limit",
  "",
  "limit%00",
  "id[]",
  "__proto__",
  "constructor",
  "x",
];

const wildHeaders: readonly (readonly [string, readonly string[]])[] = [
  [
    "Prefer",
    [
      "handling=strict",
      "handling=lenient",
      "handling",
      "=",
      "handling=strict, handling=lenient",
      ";;;",
      "a".repeat(3_000),
      "respond-async;x=y",
    ],
  ],
  [
    "If-None-Match",
    ["*", '"x"', 'W/"x"', "x", '"', ",,,", '"a", "b", *', '"x'.repeat(500), "\xff"],
  ],
  ["If-Match", ["*", '"x"']],
  ["If-Modified-Since", ["Thu, 01 Jan 1970 00:00:00 GMT", "yesterday"]],
  [
    "Idempotency-Key",
    [
      "a",
      "b",
      "c",
      "d",
      "",
      " ",
      "a b",
      "x".repeat(255),
      "x".repeat(256),
      "\xe9",
      "__proto__",
      "a,b",
    ],
  ],
  [
    "Content-Type",
    [
      "text/plain",
      "application/json; charset=utf-8",
      "application/json; charset=latin1",
      "APPLICATION/JSON",
      "application/json;",
      ";",
      "",
      "application/problem+json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ],
  ],
  ["Content-Encoding", ["gzip", "identity", "", "br, gzip"]],
  [
    "Accept",
    [
      "application/problem+json",
      "text/html",
      "*/*;q=0",
      "",
      ";q=",
      "application/problem+json;q=0",
      "\xff",
    ],
  ],
  ["Accept-Encoding", ["gzip, br", "*;q=0", "identity;q=0", ""]],
  ["X-Request-Id", ["mine", "a b", "x".repeat(200), "\xff", "", '"}', "%0d%0a"]],
  ["Origin", ["null", "http://evil.example", "", "\xff"]],
  ["Range", ["bytes=0-0", "bytes=-1", "bytes=5-1", "pages=1"]],
  ["Cookie", ["session=x", "__proto__=x", ";;;", "=", "a".repeat(3_000)]],
  ["X-HTTP-Method-Override", ["DELETE"]],
  ["X-Forwarded-For", ["127.0.0.1", "::1, \xff", "a".repeat(1_000)]],
  ["X-Forwarded-Host", ["evil.example"]],
  ["Forwarded", ['for="[::1]";host=evil.example']],
  ["Content-Language", ["xx"]],
];

export function wildHeader(random: SeededRandom): readonly [string, string] {
  const [name, values] = random.oneOf(wildHeaders);
  return [name, random.oneOf(values)];
}

function authorization(
  token: string,
  random: SeededRandom,
): readonly (readonly [string, string])[] {
  if (random.happens(0.85)) return [["Authorization", `Bearer ${token}`]];
  const flipped = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  const value = random.oneOf([
    ...[
      "Bearer",
      "Bearer ",
      "bearer x",
      `Basic ${"a".repeat(40)}`,
      `Bearer ${flipped}`,
      "\xff",
      "",
    ],
    ...[`Bearer ${token} `, `Bearer  ${token}`, `bearer ${token}`, `Bearer ${token},${token}`],
    ...["Bearer __proto__", `Bearer ${"a".repeat(5_000)}`, `Bearer ${token.toLowerCase()}`],
  ]);
  return random.happens(0.1) ? [] : [["Authorization", value]];
}

/** What stands for `{petId}` and `{orderId}`. */
function segment(name: string, known: KnownValues, random: SeededRandom): string {
  const ids = name === "petId" ? known.petIds : known.orderIds;
  if (ids.length > 0 && random.happens(0.8)) return random.oneOf(ids);
  return random.oneOf(wildSegments);
}

function queryOf(
  parameters: readonly Parameter[],
  known: KnownValues,
  random: SeededRandom,
): string {
  const given: string[] = [];
  for (const parameter of parameters) {
    if (parameter.in !== "query" || random.happens(0.6)) continue;
    given.push(`${parameter.name}=${queryValue(parameter, known, random)}`);
  }
  while (random.happens(0.15) && given.length < 130) {
    const bare = random.happens(0.2);
    given.push(`${random.oneOf(wildNames)}${bare ? "" : `=${random.oneOf(wildValues)}`}`);
  }
  if (random.happens(0.02)) given.push(...Array.from({ length: 101 }, (_, id) => `id=${id}`));
  return given.length === 0 ? "" : `?${given.join(random.happens(0.02) ? "&&" : "&")}`;
}

function queryValue({ name, schema }: Parameter, known: KnownValues, random: SeededRandom): string {
  if (random.happens(0.15)) return random.oneOf(wildValues);
  if (name === "cursor") return cursor(known, random);
  const node = valid(schema.items ?? schema, random, known.petIds);
  return encodeURIComponent(textOf(node).replaceAll('"', ""));
}

function cursor({ cursors }: KnownValues, random: SeededRandom): string {
  const real = cursors.length > 0 ? random.oneOf(cursors) : "AAAA";
  if (random.happens(0.5)) return real;
  const place = random.between(0, real.length);
  return `${real.slice(0, place)}${random.oneOf(["", "A", "-", "%00", "AAAA"])}${real.slice(place + 1)}`;
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** A request to an operation of the contract: most are right in all but one or two places. */
export function draft(token: string, known: KnownValues, random: SeededRandom): Draft {
  const { method, path, parameters, body } = random.oneOf(operations);
  let place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, known, random));
  if (random.happens(0.04)) place = `${place}${random.oneOf(["/", "//", "/x", "%20", ";x", "."])}`;
  if (random.happens(0.02)) place = place.toUpperCase();
  const headers = [...authorization(token, random)];
  if (body !== undefined && !random.happens(0.02))
    headers.push(["Content-Type", "application/json"]);
  if (known.etags.length > 0 && method === "GET" && random.happens(0.2)) {
    headers.push(["If-None-Match", random.oneOf(known.etags)]);
  }
  while (random.happens(0.25) && headers.length < 20) headers.push(wildHeader(random));
  const asked = method === "GET" && random.happens(0.15) ? "HEAD" : method;
  return {
    method: random.happens(0.04) ? random.oneOf(methods) : asked,
    target: `${place}${queryOf(parameters, known, random)}`,
    headers,
    body: body === undefined ? strayBody(random) : bodyOf(body, known, random),
  };
}

function bodyOf(schema: SchemaNode, known: KnownValues, random: SeededRandom): Buffer {
  let node = valid(schema, random, known.petIds);
  while (random.happens(0.35)) node = spoil(node, random);
  const text = textOf(node);
  return random.happens(0.1) ? spoilText(text, random) : Buffer.from(text);
}

const strayBody = (random: SeededRandom) =>
  random.happens(0.05)
    ? Buffer.from(random.oneOf(["{}", "x", "\0", "[".repeat(70_000)]))
    : undefined;

export function bytesOf({ method, headers, body }: Draft, target: string): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  // Without a body only where a request of the method need not say that it has none.
  const sized = body === undefined && ["GET", "HEAD"].includes(method);
  const length = sized ? "" : `Content-Length: ${body?.length ?? 0}\r\n`;
  const head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines}${length}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body ?? Buffer.alloc(0)]);
}
