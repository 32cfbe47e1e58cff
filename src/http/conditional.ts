import { hash } from "node:crypto";
import type { RequestHeaders } from "../wire/message.ts";
import type { PlainAnswer } from "./answer.ts";

/** An answer that can be told apart from every other by its ETag. */
export interface TaggedAnswer extends PlainAnswer {
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

const tagLength = 22;

export function tagged(answer: PlainAnswer): TaggedAnswer {
  // A page can keep its items and gain a next page, so what comes next belongs to its name; under
  // which address the client reached us does not.
  const next = answer.headers?.link?.split("?")[1] ?? "";
  const named = `${next}\n${answer.body}`;
  const etag = `"${hash("sha256", named, "base64url").slice(0, tagLength)}"`;
  return { ...answer, headers: { ...answer.headers, etag } };
}

/** Shortens an answer to 304 where the client has it already (RFC 9110, section 13). */
export function conditionally(request: RequestHeaders, answer: TaggedAnswer): PlainAnswer {
  const held = request.header("if-none-match");
  return held !== undefined && matches(held, answer.headers.etag)
    ? { status: 304, body: undefined, headers: answer.headers }
    : answer;
}

/** Compares weakly, as If-None-Match asks for: `W/"x"` stands for `"x"`. */
function matches(held: string, etag: string): boolean {
  return held.trim() === "*" || (held.match(/"[^"]*"/g)?.includes(etag) ?? false);
}
