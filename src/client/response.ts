/** Reads a response: its value or error, and whether and when to retry. */
import { PetStoreError, type PetStoreErrorCode } from "./errors.ts";
import { parseExactly, withInt64 } from "./json.ts";
import type { OutgoingRequest, ReceivedResponse } from "./transport.ts";

const excerptCharactersMax = 120;

/** The code and message of an Error body. Undefined for any other text. */
export function errorBodyIn(text: string): { code: string; message: string } | undefined {
  try {
    const { code, message } = JSON.parse(text) ?? {};
    return typeof code === "string" && typeof message === "string" ? { code, message } : undefined;
  } catch {
    return undefined;
  }
}

/** The value of a successful response. Throws PetStoreError for any other. */
export function bodyOf(request: OutgoingRequest, response: ReceivedResponse): unknown {
  const { status, text } = response;
  if (status === 204) return undefined;
  if (status === 304 && "if-none-match" in request.headers) return undefined;
  const error = status >= 400 ? errorBodyIn(text) : undefined;
  if (error !== undefined) {
    throw failure(request, response, error.code as PetStoreErrorCode, error.message);
  }
  try {
    if (status >= 200 && status <= 299) return withInt64(parseExactly(text));
  } catch {
    // Not JSON, or not of the contract.
  }
  throw unexpected(request, response, described(request, response));
}

/** For a response that the contract does not have. */
export function unexpected(
  request: OutgoingRequest,
  response: ReceivedResponse,
  what: string,
): PetStoreError {
  const message = `${request.operation}: ${request.method} ${request.address} answered ${what}`;
  return failure(request, response, "unexpected_response", message);
}

function failure(
  { operation, idempotencyKey, redact }: OutgoingRequest,
  { status, headers, attempts, retryAfterMs }: ReceivedResponse,
  code: PetStoreErrorCode,
  message: string,
): PetStoreError {
  const requestId = headers.get("x-request-id");
  return new PetStoreError({
    code,
    message: redact(message),
    status,
    requestId: requestId === null ? undefined : redact(requestId),
    retryAfterMs,
    operation,
    attempts,
    idempotencyKey,
  });
}

const advice = "Is baseUrl the address of the service, with /v1 at its end?";

function described(
  { redact }: OutgoingRequest,
  { status, headers, text }: ReceivedResponse,
): string {
  // A browser shows a redirect that is not followed as status 0.
  if (status < 200 || (status > 299 && status < 400)) {
    const target = headers.get("location");
    const where = target === null ? "" : ` to ${target}`;
    return `with a redirect${where}, which is not followed because it would carry the key. ${advice}`;
  }
  const type = headers.get("content-type") ?? "no content type";
  // The key is taken out before the text is cut: half a key would not be recognised.
  const excerpt = redact(text).trim().replace(/\s+/g, " ").slice(0, excerptCharactersMax);
  return `${status} (${type}) with what is no answer of the service: ${JSON.stringify(excerpt)}. ${advice}`;
}

// 429 and 503 say so themselves; 502 and 504 come from a proxy that could not reach the service.
const temporaryStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export const backoffBaseMs = 250;
export const backoffMaxMs = 8_000;

/** Whether a response reports a temporary state, which is worth a retry. */
export function isTemporary(status: number, text: string): boolean {
  if (temporaryStatuses.has(status)) return true;
  // The first call with this Idempotency-Key is still in flight; a retry gets its response.
  return status === 409 && errorBodyIn(text)?.code === "idempotency_in_flight";
}

/**
 * Doubles with every attempt, and takes a random part of it ("full jitter"), so that clients which
 * failed together do not come back together. Never less than what the service asked for.
 */
export function pauseMs(
  failedAttempts: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  const ceilingMs = Math.min(backoffMaxMs, backoffBaseMs * 2 ** (failedAttempts - 1));
  return Math.max(retryAfterMs ?? 0, Math.round(random * ceilingMs));
}

// Date.parse alone finds a date in almost anything.
const httpDate = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;

/** `Retry-After` in either of its forms (RFC 9110, section 10.2.3). Undefined for anything else. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^[0-9]{1,9}$/.test(value)) return Number(value) * 1000;
  if (!httpDate.test(value)) return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
