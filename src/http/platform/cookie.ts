/** The session's cookie (RFC 6265bis). */
import { sessionMs } from "../../accounts/sessions.ts";
import type { RequestHeaders } from "../../wire/message.ts";

/** The prefix has the browser refuse it from any other host, and over plain HTTP. */
const secureName = "__Host-petstore";
const plainName = "petstore";

const nameFor = (secure: boolean) => (secure ? secureName : plainName);

export function sessionCookie(token: string, secure: boolean): string {
  return withAttributes(`${nameFor(secure)}=${token}`, sessionMs / 1000, secure);
}

export function clearedCookie(secure: boolean): string {
  return withAttributes(`${nameFor(secure)}=`, 0, secure);
}

function withAttributes(pair: string, maxAgeSeconds: number, secure: boolean): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
  return `${pair}; ${attributes}${secure ? "; Secure" : ""}`;
}

/**
 * The token that a request's cookies hold. Undefined where there are two of the name: one of them
 * was planted by a neighbouring host, and nobody can tell which.
 */
export function tokenIn(request: RequestHeaders, secure: boolean): string | undefined {
  const [token, ...others] = tokensIn(request, secure);
  return others.length === 0 ? token : undefined;
}

/** More than an honest browser sends. */
const tokensMax = 4;

/** All of them: whoever signs out means each. */
export function tokensIn(request: RequestHeaders, secure: boolean): readonly string[] {
  const start = `${nameFor(secure)}=`;
  return (request.header("cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .slice(0, tokensMax)
    .map((pair) => pair.slice(start.length));
}
