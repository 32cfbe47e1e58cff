/** From an answer's text to a value or an error. */
import { PetStoreError, type PetStoreErrorCode, type Redact } from "./errors.ts";
import { withInt64 } from "./int64.ts";
import { parseExactly } from "./json.ts";
import type { Incoming, Outgoing } from "./transport.ts";

const excerptCharactersMax = 120;

/** The code and message of an Error body. Undefined for any other text. */
export function refusalIn(text: string): { code: string; message: string } | undefined {
  try {
    const { code, message } = JSON.parse(text) ?? {};
    return typeof code === "string" && typeof message === "string" ? { code, message } : undefined;
  } catch {
    return undefined;
  }
}

/** The value of a successful answer. Throws PetStoreError for any other. */
export function bodyOf(request: Outgoing, answer: Incoming, redact: Redact): unknown {
  if (answer.status < 200 || answer.status > 299) throw refused(request, answer, redact);
  if (answer.status === 204) return undefined;
  try {
    return withInt64(parseExactly(answer.text));
  } catch {
    throw unexpected(request, answer, redact, described(answer, redact));
  }
}

function refused(request: Outgoing, answer: Incoming, redact: Redact): PetStoreError {
  const refusal = answer.status >= 400 ? refusalIn(answer.text) : undefined;
  if (refusal === undefined) return unexpected(request, answer, redact, described(answer, redact));
  return failure(request, answer, redact, refusal.code as PetStoreErrorCode, refusal.message);
}

/** An answer that the contract does not have. */
export function unexpected(
  request: Outgoing,
  answer: Incoming,
  redact: Redact,
  what: string,
): PetStoreError {
  const message = `${request.operation}: ${request.method} ${request.address} answered ${what}`;
  return failure(request, answer, redact, "unexpected_response", message);
}

function failure(
  { operation, idempotencyKey }: Outgoing,
  { status, headers, attempts, retryAfterMs }: Incoming,
  redact: Redact,
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

function described({ status, headers, text }: Incoming, redact: Redact): string {
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
