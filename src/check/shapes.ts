/** Reads what the service answers as the shapes of the interface, or says what is wrong with it. */
import { int64FromJson } from "../contract/int64.ts";
import { problems } from "../core/problems.ts";
import { type HttpExchange, jsonOf, shortened, shown, shownLengthMax } from "./caller.ts";
import { assert, CheckFailure } from "./check.ts";

export interface Pet {
  readonly id: bigint;
  readonly name: string;
  readonly categoryId: bigint;
  /** A lenient implementation may leave it out. */
  readonly status: string | undefined;
}

export interface Order {
  readonly id: bigint;
  readonly petId: bigint;
  readonly quantity: number;
  readonly status: string;
  readonly placedAt: string;
}

export interface Category {
  readonly id: bigint;
  readonly name: string;
}

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

type Members = Readonly<Record<string, unknown>>;

export const petStatuses = ["available", "pending", "sold"] as const;
export const orderStatuses = ["placed", "approved", "delivered"] as const;

export function expectStatus(seen: HttpExchange, status: number): void {
  assert(seen.status === status, `status ${status}`, shown(seen));
}

/** The media type without its parameters. */
export function mediaType(seen: HttpExchange): string {
  return (seen.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** The JSON of an answer with this status. */
export function jsonAnswer(seen: HttpExchange, status: number, type = "application/json"): unknown {
  expectStatus(seen, status);
  assert(mediaType(seen) === type, `Content-Type ${type}`, header(seen, "content-type"));
  return jsonOf(seen);
}

export function header(seen: HttpExchange, name: string): string {
  const value = seen.headers.get(name);
  return value === null ? `no ${name} header` : shortened(value);
}

export function expectHeader(seen: HttpExchange, name: string, wanted: string): void {
  const value = header(seen, name);
  assert(value === wanted, `${name}: ${wanted}`, value);
}

export function expectNoHeader(seen: HttpExchange, name: string): void {
  assert(!seen.headers.has(name), `no ${name}`, header(seen, name));
}

export const petIn = (seen: HttpExchange, status = 200): Pet => readPet(jsonAnswer(seen, status));
export const petsIn = (seen: HttpExchange): Pet[] => listIn(seen, readPet);
export const orderIn = (seen: HttpExchange, status = 200): Order =>
  readOrder(jsonAnswer(seen, status));
export const ordersIn = (seen: HttpExchange): Order[] => listIn(seen, readOrder);
export const categoriesIn = (seen: HttpExchange): Category[] => listIn(seen, readCategory);

function listIn<T>(seen: HttpExchange, read: (value: unknown) => T): T[] {
  const list = jsonAnswer(seen, 200);
  assert(Array.isArray(list), "a JSON array and nothing around it", shown(seen));
  return list.map(read);
}

/** An Error with this status, and with this code where one is promised. */
export function errorIn(seen: HttpExchange, status: number, code?: string): ErrorBody {
  const body = membersOf(jsonAnswer(seen, status), "an Error");
  const fits = isText(body["code"]) && isText(body["message"]) && body["status"] === seen.status;
  assert(fits, `an Error with code, message and status ${status}`, shown(seen));
  if (code !== undefined) assert(body["code"] === code, `code ${code}`, shown(seen));
  return { code: String(body["code"]), message: String(body["message"]) };
}

/** A 400 whose message names what is wrong. */
export function expectNamed(seen: HttpExchange, code: string, name: string): void {
  const { message } = errorIn(seen, 400, code);
  assert(new RegExp(`\\b${name}\\b`).test(message), `a message that names ${name}`, message);
}

/** RFC 9457, with our code in it. */
export function problemIn(seen: HttpExchange, status: number, code: string): Members {
  const body = membersOf(jsonAnswer(seen, status, "application/problem+json"), "a problem");
  const texts = isText(body["type"]) && isText(body["title"]) && isText(body["detail"]);
  const fits = texts && body["status"] === status && body["code"] === code;
  assert(fits, `type, title, detail, status ${status} and code ${code}`, shown(seen));
  return body;
}

export function isListedCode(code: string, status: number): boolean {
  return Object.hasOwn(problems, code) && problems[code as keyof typeof problems].status === status;
}

function readPet(value: unknown): Pet {
  const { id, name, categoryId, status } = membersOf(value, "a Pet");
  assert(isText(name), "a Pet with a name", described(value));
  const known = status === undefined || isOneOf(petStatuses, status);
  assert(known, `a Pet with a status of ${petStatuses.join(", ")}`, described(value));
  const [exactId, category] = [int64(id, "id", value), int64(categoryId, "categoryId", value)];
  return { id: exactId, name, categoryId: category, status: status as string | undefined };
}

// RFC 3339 in UTC.
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)$/i;

function readOrder(value: unknown): Order {
  const { id, petId, quantity, status, placedAt } = membersOf(value, "an Order");
  const count = typeof quantity === "number" && Number.isInteger(quantity) ? quantity : 0;
  assert(count >= 1 && count <= 1_000, "an Order with a quantity of 1 to 1000", described(value));
  const known = isOneOf(orderStatuses, status);
  assert(known, `an Order with a status of ${orderStatuses.join(", ")}`, described(value));
  const dated = isText(placedAt) && instant.test(placedAt) && !Number.isNaN(Date.parse(placedAt));
  assert(dated, "an Order with placedAt, a date-time in UTC", described(value));
  return {
    id: int64(id, "id", value),
    petId: int64(petId, "petId", value),
    quantity: count,
    status: String(status),
    placedAt,
  };
}

function readCategory(value: unknown): Category {
  const { id, name } = membersOf(value, "a Category");
  assert(isText(name), "a Category with a name", described(value));
  return { id: int64(id, "id", value), name };
}

function int64(value: unknown, name: string, whole: unknown): bigint {
  const exact = int64FromJson(value);
  if (exact === undefined) throw new CheckFailure(`${name} as an int64`, described(whole));
  return exact;
}

function membersOf(value: unknown, what: string): Members {
  const object = typeof value === "object" && value !== null && !Array.isArray(value);
  assert(object, `${what}, a JSON object`, described(value));
  return value as Members;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isOneOf(list: readonly string[], value: unknown): boolean {
  return typeof value === "string" && list.includes(value);
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
