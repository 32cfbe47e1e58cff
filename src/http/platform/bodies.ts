/** Bodies that handlers read themselves. */
import { Problem } from "../../core/problems.ts";
import { BodyError, type HttpRequest } from "../../wire/message.ts";
import { readBody } from "../body.ts";

export const invalid = (detail: string): Problem => new Problem("body_invalid", { detail });

/** As a JSON value, whatever it is. */
export async function jsonBody(request: HttpRequest): Promise<unknown> {
  return readBody(request, (value) => value, false);
}

/** For a body that may be larger than most. */
export async function largeJsonBody(request: HttpRequest, bytesMax: number): Promise<unknown> {
  const type = request.header("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) throw new Problem("media_type_unsupported");
  const bytes = await bytesOf(request, bytesMax);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new Problem("body_unreadable", { cause });
  }
}

export async function bytesOf(request: HttpRequest, bytesMax: number): Promise<Uint8Array> {
  try {
    return await request.body(bytesMax);
  } catch (cause) {
    if (!(cause instanceof BodyError) || cause.failure !== "too_large") throw cause;
    throw new Problem("body_too_large", { detail: `The body is larger than ${bytesMax} bytes.` });
  }
}
