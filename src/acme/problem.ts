/** What the authority's problem documents mean to us (RFC 8555, section 6.7). */
import type { RefusalReason } from "../domains/certificateAuthority.ts";
import { isObject, type JsonObject, objectIn } from "./json.ts";
import { Refused } from "./refused.ts";
import { retryAtMs } from "./retryAfter.ts";
import type { Answer } from "./transport.ts";

const typePrefix = "urn:ietf:params:acme:error:";
const subproblemsMax = 20;

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
  // What remains of these when trying again did not help.
  badNonce: "unavailable",
  accountDoesNotExist: "unavailable",
  orderNotReady: "unavailable",
};

/** The same types say something else when they stand in a challenge: what the authority saw. */
const reasonsOfAuthorization: Readonly<Record<string, RefusalReason>> = {
  ...reasons,
  unauthorized: "authorization_failed",
  malformed: "authorization_failed",
};

/** A refusal from an answer that is not a success. */
export function refusedByAnswer(answer: Answer, nowMs: number): Refused {
  const problem = objectIn(answer.body);
  const types = problem === undefined ? [] : typesOf(problem);
  const { status } = answer;
  return new Refused(
    reasonOfAnswer(types, status),
    problem === undefined ? wordsForStatus(status) : detailOf(problem) || wordsForStatus(status),
    { retryAtMs: retryAtMs(answer.header("retry-after"), nowMs), problemType: types[0], status },
  );
}

/** A refusal from the error inside a challenge or an order. */
export function refusedByError(error: unknown, otherwise: string): Refused {
  if (!isObject(error)) return new Refused("authorization_failed", otherwise);
  const types = typesOf(error);
  const reason = telling(types, reasonsOfAuthorization) ?? "authorization_failed";
  return new Refused(reason, detailOf(error) || otherwise, { problemType: types[0] });
}

function reasonOfAnswer(types: readonly string[], status: number): RefusalReason {
  if (status === 429 || types.includes("rateLimited")) return "rate_limited";
  if (status >= 500) return "unavailable";
  const reason = telling(types, reasons);
  if (reason !== undefined) return reason;
  // A refusal that names a type of its own is a decision; one without comes from something between.
  return types.length > 0 && status >= 400 ? "policy" : "unavailable";
}

/** A CAA record or a limit is the cause wherever it is named; otherwise the first known type is. */
function telling(
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
