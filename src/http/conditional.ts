import { hash } from "node:crypto";
import type { PlainAnswer } from "./answer.ts";

const tagLength = 22;

/** Names an answer, and shortens it to 304 where the client has it already (RFC 9110, section 13). */
export function conditionally(headers: Headers, answer: PlainAnswer): PlainAnswer {
  // A page can keep its items and gain a next page, so what comes next belongs to its name; under
  // which address the client reached us does not.
  const next = answer.headers?.link?.split("?")[1] ?? "";
  const named = `${next}\n${answer.body}`;
  const etag = `"${hash("sha256", named, "base64url").slice(0, tagLength)}"`;
  const withTag = { ...answer.headers, etag };
  const held = headers.get("if-none-match");
  return held !== null && matches(held, etag)
    ? { status: 304, body: undefined, headers: withTag }
    : { ...answer, headers: withTag };
}

/** Compares weakly, as If-None-Match asks for: `W/"x"` stands for `"x"`. */
function matches(held: string, etag: string): boolean {
  return held.trim() === "*" || (held.match(/"[^"]*"/g)?.includes(etag) ?? false);
}
