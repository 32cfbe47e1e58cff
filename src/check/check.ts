import type { Caller } from "./caller.ts";

/** What a check belongs to. `core` is what any implementation must do; the others check this contract in full. */
export const parts = {
  core: "List, create and get pets with a key; errors with three members",
  auth: "The challenge, the scheme, and that the key is checked first",
  bodies: "How a body is read: names, integers, the default status, what an error says",
  errors: "Exactly three members, documented codes, request ids",
  paths: "Unknown paths, other methods, invalid identifiers",
  paging: "List parameters, the id filter, Link and cursor",
  filters: "Filters by category, name and pet, and counts on request",
  strict: "Prefer: handling=strict, and leniency without it",
  limits: "Body size, media type, rate limits",
  head: "HEAD wherever GET works",
  cors: "Calls from pages of any origin",
  lifecycle: "The deprecation headers and the removal of getPet",
  conditional: "ETag, If-None-Match and 304",
  idempotency: "Idempotency-Key on every POST",
  updates: "Updating and deleting pets, and If-Match",
  "problem+json": "Errors in the form of RFC 9457 on request",
  orders: "Placing, approving, delivering, cancelling and listing orders",
  categories: "Listing, creating, renaming and deleting categories",
  events: "Listing, filtering, following and streaming events",
  contract: "The contract document itself",
} as const;

export type Part = keyof typeof parts;

export interface Check {
  /** Never changes once published: reports and allow-lists refer to it. */
  readonly id: string;
  readonly part: Part;
  /** What must hold, in one sentence. */
  readonly promise: string;
  /** Where it is promised: `openapi: <pointer>`, `guide/…` or `decisions/…`. */
  readonly source: string;
  /** Resolves when it holds. Throws CheckFailure when not, NotApplicable when that cannot be tested here. */
  run(caller: Caller): Promise<unknown>;
}

/** Makes the checks of one part, by the source of their promises. */
export function checksOf(part: Part) {
  return (source: string) =>
    (id: string, promise: string, run: Check["run"]): Check => {
      return { id, part, promise, source, run };
    };
}

/** The service does not do what was promised. */
export class CheckFailure extends Error {
  readonly expected: string;
  readonly seen: string;

  constructor(expected: string, seen: string) {
    super(`expected ${expected}, seen ${seen}`);
    this.name = "CheckFailure";
    this.expected = expected;
    this.seen = seen;
  }
}

/** The service, as it is set up, gives no way to test the promise. The message says why. */
export class NotApplicable extends Error {}

/** Throws CheckFailure unless it holds. */
export function assert(holds: boolean, expected: string, seen: string): asserts holds {
  if (!holds) throw new CheckFailure(expected, seen);
}

export function expectAscending(things: readonly Identified[], what: string): void {
  for (const [place, { id }] of things.entries()) {
    const before = things[place - 1]?.id;
    const fits = before === undefined || before < id;
    assert(fits, `${what} by growing id, none twice`, `${id} after ${before}`);
  }
}

type Identified = { readonly id: bigint };

export function expectIds(found: readonly Identified[], wanted: readonly Identified[]): void {
  assert(idsOf(found) === idsOf(wanted), idsOf(wanted), idsOf(found));
}

export const idsOf = (things: readonly Identified[]): string =>
  things.map(({ id }) => id).join(", ") || "none";
