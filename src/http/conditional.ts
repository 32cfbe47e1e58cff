import { hash } from "node:crypto";
import { isHeld } from "../wire/fileResponse.ts";
import type { RequestHeaders } from "../wire/message.ts";
import type { HandlerResponse } from "./responses.ts";

/** An answer that can be told apart from every other by its ETag. */
export interface TaggedResponse extends HandlerResponse {
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

const tagLength = 22;

export function tagged(answer: HandlerResponse): TaggedResponse {
  // A page can keep its items and gain a next page, so what comes next belongs to its name; under
  // which address the client reached us does not.
  const next = answer.headers?.["link"]?.split("?")[1] ?? "";
  const named = `${next}\n${answer.body}`;
  const etag = `"${hash("sha256", named, "base64url").slice(0, tagLength)}"`;
  return { ...answer, headers: { ...answer.headers, etag } };
}

/** Shortens an answer to 304 where the client has it already (RFC 9110, section 13). */
export function conditionally(request: RequestHeaders, answer: TaggedResponse): HandlerResponse {
  const held = request.header("if-none-match");
  return isHeld(held, answer.headers.etag)
    ? { status: 304, body: undefined, headers: answer.headers }
    : answer;
}
