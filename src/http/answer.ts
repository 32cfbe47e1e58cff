import type { PetExtent } from "../catalogue/petChanges.ts";
import { Problem, type ProblemCode, type ProblemDetails } from "../problems.ts";
import { BodyError, type BodyFailure } from "../wire/message.ts";
import { challenge } from "./authorize.ts";

/** What an operation answers. */
export interface PlainAnswer {
  readonly status: number;
  /** Undefined where the status allows no body. */
  readonly body: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Of a read of pets that can be cached: the pets whose changes can make it another. */
  readonly dependsOn?: PetExtent | undefined;
}

export const readHeaders = { "cache-control": "private, no-cache" } as const;
export const writeHeaders = { "cache-control": "no-store" } as const;

const retryAfterSeconds = 2;

/** The Error body: exactly `code`, `message` and `status`. */
export function errorText({ code, message, status }: Problem): string {
  return JSON.stringify({ code, message, status });
}

export function refusalHeaders(problem: Problem): Record<string, string> {
  return {
    ...writeHeaders,
    ...(problem.status === 401 ? { "www-authenticate": challenge(problem) } : {}),
    ...(problem.status === 503 ? { "retry-after": String(retryAfterSeconds) } : {}),
    ...problem.headers,
  };
}

/** Whatever is no Problem is a fault of ours, and nothing of it reaches the client. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  return thrown instanceof BodyError
    ? new Problem(bodyProblems[thrown.failure], bodyDetails[thrown.failure])
    : new Problem("internal", { cause: thrown });
}

const bodyProblems = {
  too_large: "body_too_large",
  too_slow: "request_timeout",
  incomplete: "body_unreadable",
  malformed: "body_unreadable",
  out_of_memory: "overloaded",
} as const satisfies Record<BodyFailure, ProblemCode>;

const bodyDetails: Partial<Record<BodyFailure, ProblemDetails>> = {
  incomplete: { detail: "The connection ended before the body did." },
  malformed: { detail: "The body is framed wrongly." },
};
