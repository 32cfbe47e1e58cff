import { retryAtMs } from "../../core/retryAfter.ts";
import type { AuthorityRefusal, RefusalReason } from "../domains/certificateAuthority.ts";
import type { AcmeResponse } from "./transport.ts";

const detailLengthMax = 500;

interface AcmeErrorOptions {
  readonly retryAtMs?: number | undefined;
  /** The last part of the problem's type (RFC 8555, section 6.7), if the authority sent one. */
  readonly problemType?: string | undefined;
  readonly status?: number | undefined;
  readonly orderLost?: true;
}

/** Why an order ends without a certificate. */
export class AcmeError extends Error {
  readonly refusal: AuthorityRefusal;
  readonly problemType: string | undefined;
  readonly status: number | undefined;

  constructor(reason: RefusalReason, detail: string, because: AcmeErrorOptions = {}) {
    const text = plainText(detail);
    super(text);
    this.name = "AcmeError";
    const { retryAtMs, orderLost } = because;
    this.refusal = { reason, detail: text, retryAtMs, ...(orderLost && { orderLost }) };
    this.problemType = because.problemType;
    this.status = because.status;
  }
}

/** The authority failed or could not be reached, so trying again may help. */
export function isUnavailable(reason: unknown): reason is AcmeError {
  return reason instanceof AcmeError && reason.refusal.reason === "unavailable";
}

/** Removes control and format characters: it is shown in web pages and terminals. */
export function plainText(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  if (plain.length <= detailLengthMax) return plain;
  // Slicing may leave half of a surrogate pair.
  return `${plain.slice(0, detailLengthMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

export function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

const typePrefix = "urn:ietf:params:acme:error:";
const subproblemsMax = 20;

/** The types of problem documents (RFC 8555, section 6.7). */
const reasons: Readonly<Record<string, RefusalReason>> = {
  caa: "caa",
  rateLimited: "rate_limited",
  rejectedIdentifier: "policy",
  unsupportedIdentifier: "policy",
  unauthorized: "policy",
  userActionRequired: "policy",
  externalAccountRequired: "policy",
  unsupportedContact: "policy",
  invalidContact: "policy",
  badCSR: "policy",
  badPublicKey: "policy",
  badSignatureAlgorithm: "policy",
  malformed: "policy",
  connection: "authorization_failed",
  dns: "authorization_failed",
  tls: "authorization_failed",
  incorrectResponse: "authorization_failed",
  serverInternal: "unavailable",
  // Thrown only after retries have failed.
  badNonce: "unavailable",
  accountDoesNotExist: "unavailable",
  orderNotReady: "unavailable",
};

/** Within a challenge, the same types mean something else: the result of the validation. */
const reasonsOfAuthorization: Readonly<Record<string, RefusalReason>> = {
  ...reasons,
  unauthorized: "authorization_failed",
  malformed: "authorization_failed",
};

/** The error of an unsuccessful response. */
export function errorOfResponse(response: AcmeResponse, nowMs: number): AcmeError {
  const problem = parseObject(response.body);
  const types = problem === undefined ? [] : typesOf(problem);
  const { status } = response;
  return new AcmeError(
    reasonOfResponse(types, status),
    problem === undefined ? wordsForStatus(status) : detailOf(problem) || wordsForStatus(status),
    { retryAtMs: retryAtMs(response.header("retry-after"), nowMs), problemType: types[0], status },
  );
}

/** The error of a challenge or an order. */
export function errorOfProblem(error: unknown, otherwise: string): AcmeError {
  if (!isObject(error)) return new AcmeError("authorization_failed", otherwise);
  const types = typesOf(error);
  const reason = decisiveReason(types, reasonsOfAuthorization) ?? "authorization_failed";
  return new AcmeError(reason, detailOf(error) || otherwise, { problemType: types[0] });
}

function reasonOfResponse(types: readonly string[], status: number): RefusalReason {
  if (status === 429 || types.includes("rateLimited")) return "rate_limited";
  if (status >= 500) return "unavailable";
  const reason = decisiveReason(types, reasons);
  if (reason !== undefined) return reason;
  // An error with an ACME type is a decision of the authority; one without comes from a proxy.
  return types.length > 0 && status >= 400 ? "policy" : "unavailable";
}

/** CAA and rate limits take precedence at any position; otherwise the first known type counts. */
function decisiveReason(
  types: readonly string[],
  table: Readonly<Record<string, RefusalReason>>,
): RefusalReason | undefined {
  if (types.includes("caa")) return "caa";
  if (types.includes("rateLimited")) return "rate_limited";
  const known = types.find((type) => Object.hasOwn(table, type));
  return known === undefined ? undefined : table[known];
}

/** The problem's own type first, then those of its subproblems (section 6.7.1). */
function typesOf(problem: JsonObject): string[] {
  return [problem, ...subproblemsOf(problem)]
    .map(({ type }) => type)
    .filter((type) => typeof type === "string")
    .filter((type) => type.startsWith(typePrefix))
    .map((type) => type.slice(typePrefix.length));
}

function detailOf(problem: JsonObject): string {
  return [problem, ...subproblemsOf(problem)]
    .map(({ detail }) => detail)
    .filter((detail) => typeof detail === "string")
    .join(" ");
}

function subproblemsOf({ subproblems }: JsonObject): JsonObject[] {
  return Array.isArray(subproblems) ? subproblems.slice(0, subproblemsMax).filter(isObject) : [];
}

function wordsForStatus(status: number): string {
  if (status >= 300 && status < 400) {
    return `The authority answered with a redirect (${status}), which is not followed.`;
  }
  return `The authority answered ${status}.`;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined if it is not a JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The JSON object of a response. Anything else is an error of the authority. */
export function parseBody(response: AcmeResponse): JsonObject {
  const value = parseObject(response.body);
  if (value === undefined) throw malformed("a response that is no JSON object");
  return value;
}

export function malformed(what: string): AcmeError {
  return new AcmeError("unavailable", `The authority sent ${what}.`, { orderLost: true });
}
