/** Orders and authorisations as the authority represents them (RFC 8555, section 7.1). */
import { AcmeError, errorOfProblem, isObject, type JsonObject, malformed } from "./acmeError.ts";

const tokenLengthMax = 256;
/** We ask for one name. */
const authorizationsMax = 4;

export interface AcmeOrder {
  readonly status: string;
  readonly authorizations: readonly string[];
  readonly finalize: string;
}

export function parseOrder(order: JsonObject): AcmeOrder {
  const { status, finalize } = order;
  const authorizations = order["authorizations"];
  if (
    typeof status !== "string" ||
    typeof finalize !== "string" ||
    !Array.isArray(authorizations) ||
    authorizations.length === 0 ||
    authorizations.length > authorizationsMax ||
    !authorizations.every((url) => typeof url === "string")
  ) {
    throw malformed("an order in which something is missing");
  }
  return { status, finalize, authorizations };
}

/** True when the order can be finalised, false when it is too early to say. */
export function isReady(order: JsonObject): boolean {
  if (order["status"] === "ready") return true;
  if (order["status"] === "pending") return false;
  if (order["status"] === "invalid") throw refusedOrder(order);
  // Finalised by someone else, so its certificate will not be for our key.
  throw malformed("an order that was finalised before");
}

/** Where the certificate lies, or undefined while it is being made. */
export function certificateOf(order: JsonObject): string | undefined {
  if (order["status"] === "valid" && typeof order["certificate"] === "string")
    return order["certificate"];
  if (order["status"] === "processing" || order["status"] === "ready") return undefined;
  if (order["status"] === "invalid") throw refusedOrder(order);
  throw malformed("an order in an unexpected state");
}

function refusedOrder({ error }: JsonObject): AcmeError {
  return errorOfProblem(error, "The authority gave the order up without saying why.");
}

export interface OfferedChallenge {
  readonly url: string;
  readonly token: string;
  /** Nobody has told the authority to look yet. */
  readonly untried: boolean;
}

/** True when the host is ours to order for, false while the authority has not made up its mind. */
export function isAuthorized(authorization: JsonObject): boolean {
  const { status } = authorization;
  if (status === "valid") return true;
  if (status === "pending") return false;
  if (status === "invalid") {
    const failed = challengesOf(authorization).find(({ error }) => error !== undefined);
    throw errorOfProblem(failed?.["error"], "The authority gave the check of the host up.");
  }
  // Deactivated, expired or revoked: the next order begins anew.
  throw new AcmeError("unavailable", "The authority withdrew the check of the host.");
}

export function isFor(authorization: JsonObject, host: string): boolean {
  const { identifier } = authorization;
  return isObject(identifier) && identifier["type"] === "dns" && identifier["value"] === host;
}

export function httpChallengeOf(authorization: JsonObject): OfferedChallenge {
  const challenge = challengesOf(authorization).find(({ type }) => type === "http-01");
  if (challenge === undefined) {
    throw new AcmeError("policy", "The authority does not offer to check this host over HTTP.");
  }
  const { url, token, status } = challenge;
  // The token becomes part of a path, so nothing but its own alphabet may be in it (section 8.3).
  const usable = typeof token === "string" && /^[A-Za-z0-9_-]+$/.test(token);
  if (typeof url !== "string" || !usable || token.length > tokenLengthMax) {
    throw malformed("a challenge in which something is missing");
  }
  return { url, token, untried: status === "pending" };
}

function challengesOf({ challenges }: JsonObject): JsonObject[] {
  return Array.isArray(challenges) ? challenges.filter(isObject) : [];
}
