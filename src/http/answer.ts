import { Problem } from "../problems.ts";
import { challenge } from "./authorize.ts";

/** What is sent back, before it becomes a Response. */
export interface PlainAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export const readHeaders = { "cache-control": "private, no-cache" } as const;

const retryAfterSeconds = 2;

/** The Error body: exactly `code`, `message` and `status`. */
export function refusal(problem: Problem): PlainAnswer {
  const { code, message, status } = problem;
  return {
    status,
    body: JSON.stringify({ code, message, status }),
    headers: {
      "cache-control": "no-store",
      ...(status === 401 ? { "www-authenticate": challenge(problem) } : {}),
      ...(status === 503 ? { "retry-after": String(retryAfterSeconds) } : {}),
      ...problem.headers,
    },
  };
}

/** Whatever is no Problem is a fault of ours, and nothing of it reaches the client. */
export function asProblem(thrown: unknown): Problem {
  return thrown instanceof Problem ? thrown : new Problem("internal", { cause: thrown });
}
