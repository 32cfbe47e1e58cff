import type { JsonOf } from "../contract/document.ts";
import { Problem, type ProblemCode, type ProblemDetails } from "../core/problems.ts";
import type { PetExtent } from "../petstore/catalogue/petChanges.ts";
import type { Done, Mismatch } from "../petstore/idempotency/idempotency.ts";
import {
  BodyError,
  type BodyFailure,
  type HttpResponse,
  type RequestHeaders,
} from "../wire/message.ts";
import { challenge } from "./authorize.ts";

/** What a handler returns. The rest of the response is the same for all of them. */
export interface HandlerResponse extends Omit<HttpResponse, "headers"> {
  readonly headers?: HttpResponse["headers"] | undefined;
  /** Of a read of pets that can be cached: the pets that it depends on. */
  readonly dependsOn?: PetExtent | undefined;
}

export const readHeaders = { "cache-control": "private, no-cache" } as const;
const writeHeaders = { "cache-control": "no-store" } as const;

/**
 * The response of every listing: a bare array, a Link while more follows (RFC 8288), and the total
 * if it was asked for (RFC 7240).
 */
export function pageResponse<T>(
  items: readonly JsonOf<T>[],
  nextAddress: string | undefined,
  total: number | undefined,
) {
  const link = nextAddress === undefined ? undefined : { link: `<${nextAddress}>; rel="next"` };
  const counted =
    total === undefined
      ? undefined
      : { "x-total-count": String(total), "preference-applied": "count=exact" };
  return {
    status: 200,
    body: `[${items.join(",")}]` as JsonOf<T[]>,
    headers: { ...readHeaders, ...link, ...counted },
  } as const;
}

/** The response to a write that was done, now or by the first request with its idempotency key. */
export function writeResponse<T, Status extends number>(
  status: Status,
  outcome: Done<T> | Mismatch,
  more: (id: bigint) => Record<string, string> = () => ({}),
): { status: Status; body: JsonOf<T>; headers: Record<string, string> } {
  if (outcome.kind === "mismatch") throw new Problem("idempotency_mismatch");
  const replayed = outcome.kind === "replayed" ? { "idempotency-replayed": "true" } : {};
  return {
    status,
    body: outcome.text,
    headers: { ...writeHeaders, ...replayed, ...more(outcome.id) },
  };
}

const retryAfterSeconds = 2;

export function errorResponse(problem: Problem): HandlerResponse {
  return { status: problem.status, body: errorText(problem), headers: refusalHeaders(problem) };
}

/** The Error body: exactly `code`, `message` and `status`. */
export function errorText({ code, message, status }: Problem): string {
  return JSON.stringify({ code, message, status });
}

export function refusalHeaders(problem: Problem): Record<string, string> {
  const { status, isFailure, retryAfterSeconds: wait } = problem;
  const seconds = wait ?? (status === 503 && isFailure ? retryAfterSeconds : undefined);
  return {
    ...writeHeaders,
    ...(status === 401 ? { "www-authenticate": challenge(problem) } : {}),
    ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    ...problem.headers,
  };
}

/** Why the service is not operational, for people; undefined if it is. */
export async function troubleOf(ready: () => Promise<void>): Promise<string | undefined> {
  try {
    await ready();
    return undefined;
  } catch (cause) {
    return asProblem(cause).message;
  }
}

/** Anything but a Problem is a defect, and nothing of it reaches the client. */
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

/** Whether `Accept` gives a media type a higher quality than plain JSON; equal ones are JSON. */
export function prefersOverJson(request: RequestHeaders, mediaType: string): boolean {
  const accept = request.header("accept");
  if (accept === undefined) return false;
  const ranges = accept.split(",").map((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter)) ?? "q=1";
    const quality = Number(weight.replace(/^q\s*=\s*/, "") || Number.NaN);
    return { name, quality: quality >= 0 && quality <= 1 ? quality : 0 };
  });
  // RFC 9110, section 12.5.1: the most specific range that matches a type has precedence.
  const qualityOf = (type: string) =>
    [type, `${type.split("/")[0]}/*`, "*/*"]
      .map((name) => ranges.filter((range) => range.name === name))
      .find((matching) => matching.length > 0)
      ?.reduce((highest, { quality }) => Math.max(highest, quality), 0) ?? 0;
  return qualityOf(mediaType) > qualityOf("application/json");
}

/** Problem details (RFC 9457), for clients that accept them. */
export function problemText({ code, message, status }: Problem, base: string): string {
  const type = `${base.slice(0, -"/v1".length)}/docs/errors/${code}.md`;
  return JSON.stringify({ type, title: titleOf(code), status, detail: message, code });
}

function titleOf(code: ProblemCode): string {
  const words = code.replaceAll("_", " ");
  return words[0]?.toUpperCase() + words.slice(1);
}
