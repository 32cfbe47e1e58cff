/** Reads what the service answers as the shapes of the interface, or says what is wrong with it. */
import { int64FromJson } from "../contract/int64.ts";
import { parseJson } from "../contract/json.ts";
import { readerFor, type Schemas } from "../contract/operations.ts";
import { problems } from "../core/problems.ts";
import { assert, CheckFailure } from "./check.ts";

export type Pet = Omit<Schemas["Pet"], "status"> & {
  /** A lenient implementation may leave it out. */
  readonly status: string | undefined;
};
export type Order = Schemas["Order"];
export type Category = Schemas["Category"];
/** The data is as it came, to be compared with the resource. */
export type Event = Omit<Schemas["Event"], "data"> & { readonly data: Members };

type Members = Readonly<Record<string, unknown>>;

export const petStatuses = ["available", "pending", "sold"] as const;
export const orderStatuses = ["placed", "approved", "delivered", "cancelled"] as const;

/** A request and what came back, with the assertions that checks make about it. */
export class HttpExchange {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor(status: number, headers: Headers, text: string) {
    this.status = status;
    this.headers = headers;
    this.text = text;
  }

  /** For reports. */
  get shown(): string {
    return `${this.status} ${this.text === "" ? "without a body" : shortened(this.text)}`;
  }

  /** A header for reports. */
  header(name: string): string {
    const value = this.headers.get(name);
    return value === null ? `no ${name} header` : shortened(value);
  }

  /** The target of a link (RFC 8288) with this relation. */
  link(relation: string): string | undefined {
    const links = (this.headers.get("link") ?? "").matchAll(/<([^>]*)>([^<]*)/g);
    for (const [, target, parameters = ""] of links) {
      const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
      const relations = (quoted ?? plain ?? "").toLowerCase().split(/\s+/);
      if (relations.includes(relation)) return target;
    }
    return undefined;
  }

  expectStatus(status: number): void {
    assert(this.status === status, `status ${status}`, this.shown);
  }

  expectHeader(name: string, wanted: string): void {
    const value = this.header(name);
    assert(value === wanted, `${name}: ${wanted}`, value);
  }

  expectNoHeader(name: string): void {
    assert(!this.headers.has(name), `no ${name}`, this.header(name));
  }

  /** A 400 whose message names what is wrong. */
  expectNamed(code: string, name: string): void {
    const { message } = this.error(400, code);
    assert(new RegExp(`\\b${name}\\b`).test(message), `a message that names ${name}`, message);
  }

  /** The body as JSON with exact integers. */
  body(): unknown {
    try {
      return parseJson(this.text);
    } catch {
      throw new CheckFailure("a body of JSON", this.shown);
    }
  }

  /** The JSON of a response with this status. */
  json(status: number, type = "application/json"): unknown {
    this.expectStatus(status);
    const mediaType = (this.headers.get("content-type") ?? "").split(";", 1)[0]?.trim();
    const fits = mediaType?.toLowerCase() === type;
    assert(fits, `Content-Type ${type}`, this.header("content-type"));
    return this.body();
  }

  pet(status = 200): Pet {
    return readPet(this.json(status));
  }

  pets(): Pet[] {
    return this.#list(readPet);
  }

  order(status = 200): Order {
    return readOrder(this.json(status));
  }

  orders(): Order[] {
    return this.#list(readOrder);
  }

  category(status = 200): Category {
    return readCategory(this.json(status));
  }

  categories(): Category[] {
    return this.#list(readCategory);
  }

  events(): Event[] {
    return this.#list(readEvent);
  }

  #list<T>(read: (value: unknown) => T): T[] {
    const list = this.json(200);
    assert(Array.isArray(list), "a JSON array and nothing around it", this.shown);
    return list.map(read);
  }

  /** An Error with this status, and with this code where one is promised. */
  error(status: number, code?: string): { readonly code: string; readonly message: string } {
    const body = membersOf(this.json(status), "an Error");
    const fits = isText(body["code"]) && isText(body["message"]) && body["status"] === status;
    assert(fits, `an Error with code, message and status ${status}`, this.shown);
    if (code !== undefined) assert(body["code"] === code, `code ${code}`, this.shown);
    return { code: String(body["code"]), message: String(body["message"]) };
  }

  /** RFC 9457, with our code in it. */
  problem(status: number, code: string): Members {
    const body = membersOf(this.json(status, "application/problem+json"), "a problem");
    const texts = isText(body["type"]) && isText(body["title"]) && isText(body["detail"]);
    const fits = texts && body["status"] === status && body["code"] === code;
    assert(fits, `type, title, detail, status ${status} and code ${code}`, this.shown);
    return body;
  }
}

export function isListedCode(code: string, status: number): boolean {
  return Object.hasOwn(problems, code) && problems[code as keyof typeof problems].status === status;
}

/**
 * By the contract's own schemas: they are the promise that is checked. What the service does with
 * them is not involved.
 */
function shapeReader<T>(schema: "Pet" | "Order" | "Category", tolerated?: string) {
  const read = readerFor(schema);
  return (value: unknown): T => {
    const complaints: string[] = [];
    const shape = read(value, schema, { complaints, strict: false });
    const wrong = complaints.filter((complaint) => complaint !== tolerated).join(" ");
    assert(wrong === "", `a ${schema} as the contract has it`, `${described(value)}. ${wrong}`);
    return shape as T;
  };
}

const readPet = shapeReader<Pet>("Pet", "status is required.");
const readCategory = shapeReader<Category>("Category");
const readOrderShape = shapeReader<Order>("Order");

// RFC 3339 in UTC.
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)$/i;

const isInstant = (text: string) => instant.test(text) && !Number.isNaN(Date.parse(text));

function readOrder(value: unknown): Order {
  const order = readOrderShape(value);
  const dated = isInstant(order.placedAt);
  assert(dated, "an Order with placedAt, a date-time in UTC", described(value));
  return order;
}

export function readEvent(value: unknown): Event {
  const { id: given, type, timestamp, resource, data } = membersOf(value, "an Event");
  const id = int64FromJson(given);
  const texts = isText(type) && isText(resource) && isText(timestamp) && isInstant(timestamp);
  const expected = "an Event with an integer id, type, resource and timestamp, a date-time in UTC";
  assert(id !== undefined && texts, expected, described(value));
  return { id, type, timestamp, resource, data: membersOf(data, "the data of an Event") };
}

function membersOf(value: unknown, what: string): Members {
  const object = typeof value === "object" && value !== null && !Array.isArray(value);
  assert(object, `${what}, a JSON object`, described(value));
  return value as Members;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function described(value: unknown): string {
  return shortened(JSON.stringify(shallow(value)) ?? "nothing");
}

/** Each level takes a character, so what is deeper is not shown; writing it would take time in its square. */
function shallow(value: unknown, levels = shownLengthMax): unknown {
  if (typeof value === "bigint") return `${value} (beyond a double)`;
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.map((member) => shallow(member, levels - 1));
  const members = Object.entries(value).map(([name, one]) => [name, shallow(one, levels - 1)]);
  return Object.fromEntries(members);
}

const shownLengthMax = 160;

/** One line, not too long, without what would move a terminal's cursor. */
export function shortened(text: string): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, "\u{fffd}");
  return line.length > shownLengthMax ? `${line.slice(0, shownLengthMax)}…` : line;
}
