import type { RequestHeaders } from "../wire/message.ts";
import type { HandlerResponse } from "./responses.ts";

/** Whether a request asks that nothing unknown be ignored (RFC 7240, section 4.4). */
export function asksForStrict(request: RequestHeaders): boolean {
  const prefer = request.header("prefer");
  if (prefer === undefined) return false;
  // The first of several preferences with the same name is the one that counts (section 2).
  const handling = prefer
    .split(/[,;]/)
    .map((preference) => preference.split("=").map((part) => part.trim().toLowerCase()))
    .find(([name]) => name === "handling");
  return handling?.[1]?.replaceAll('"', "") === "strict";
}

/** Says that it was done. */
export function applied(answer: HandlerResponse): HandlerResponse {
  return { ...answer, headers: { ...answer.headers, "preference-applied": "handling=strict" } };
}
