import { Problem, platformProblems } from "../core/problems.ts";
import type { ApiKey } from "../petstore/keys/keys.ts";
import { allows } from "../petstore/keys/lifecycle.ts";
import type { RequestHeaders } from "../wire/message.ts";

// The token68 of RFC 9110, section 11.2. Two Authorization headers arrive joined by a comma,
// which no token holds, so they are one malformed credential.
export const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The token of a request. Throws a Problem of status 401 if there is none. */
export function tokenOf(request: RequestHeaders): string {
  const authorization = request.header("authorization");
  if (authorization === undefined || authorization === "") throw new Problem("key_missing");
  const token = bearer.exec(authorization)?.[1];
  if (token === undefined) {
    throw new Problem("key_invalid", {
      detail: "The Authorization header is not of the form: Bearer <API_KEY>.",
    });
  }
  return token;
}

const usualStart = "Bearer ";

/** A fast path for the usual spelling of the header. The result need not be a valid token. */
export function plainToken(request: RequestHeaders): string | undefined {
  const authorization = request.header("authorization");
  return authorization?.startsWith(usualStart) ? authorization.slice(usualStart.length) : undefined;
}

export function requireScope(key: ApiKey, scope: string): void {
  if (allows(key, scope)) return;
  throw new Problem("insufficient_scope", {
    detail: `This API key lacks the scope ${scope}.`,
    headers: {
      "www-authenticate": `Bearer realm="petstore", error="insufficient_scope", scope="${scope}"`,
    },
  });
}

/** RFC 6750, section 3.1: without a credential in the request, the challenge has no error code. */
export function challenge({ code }: Problem): string {
  if (code in platformProblems) return 'Bearer realm="petstore-internal"';
  const error = code === "key_missing" ? "" : ', error="invalid_token"';
  return `Bearer realm="petstore"${error}`;
}
