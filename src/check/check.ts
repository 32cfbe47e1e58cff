import type { Caller } from "./caller.ts";

/** What a check belongs to. `core` is what the requirement shows; the others are decisions of ours. */
export const parts = {
  core: "List, add and get animals with a key; errors with three members",
  auth: "The challenge, the scheme, and that the key is judged first",
  bodies: "How a body is read: names, integers, the default status, what a refusal says",
  errors: "Exactly three members, codes of the list, request ids",
  paths: "Unknown paths, other methods, identifiers that are none",
  paging: "Parameters of a list, the id filter, Link and cursor",
  strict: "Prefer: handling=strict, and being lenient without it",
  limits: "The size and the media type of a body, rate limits",
  head: "HEAD wherever GET works",
  cors: "Calls from pages of any origin",
  lifecycle: "How getPet announces its end",
  conditional: "ETag, If-None-Match and 304",
  idempotency: "Idempotency-Key on every POST",
  "problem+json": "Errors in the form of RFC 9457 when asked for",
  orders: "The store area",
  categories: "The list of categories",
  contract: "The contract document itself",
} as const;

export type Part = keyof typeof parts;

export interface Check {
  /** Never changes once published: reports and allow-lists refer to it. */
  readonly id: string;
  readonly part: Part;
  /** What must hold, in one sentence. */
  readonly promise: string;
  /** Where it is promised: `requirement: 4.1`, `openapi: <pointer>`, `guide/…`, `decisions/…`. */
  readonly source: string;
  /** Resolves when it holds. Throws Unmet when not, NotApplicable when that cannot be told here. */
  run(caller: Caller): Promise<void>;
}

/** Makes the checks of one part. */
export function checksOf(part: Part) {
  return (id: string, promise: string, source: string, run: Check["run"]): Check => ({
    ...{ id, part, promise, source, run },
  });
}

/** The service does not do what was promised. */
export class Unmet extends Error {
  readonly expected: string;
  readonly seen: string;

  constructor(expected: string, seen: string) {
    super(`expected ${expected}, seen ${seen}`);
    this.name = "Unmet";
    this.expected = expected;
    this.seen = seen;
  }
}

/** The service as it stands gives no occasion to see whether the promise holds. */
export class NotApplicable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "NotApplicable";
  }
}

/** Throws Unmet unless it holds. */
export function demand(holds: boolean, expected: string, seen: string): asserts holds {
  if (!holds) throw new Unmet(expected, seen);
}
