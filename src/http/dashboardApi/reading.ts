/** Reads what callers send: members of a body by their names, and bytes up to a bound. */
import { Problem } from "../../problems.ts";
import { BodyError, type HttpRequest } from "../../wire/message.ts";
import type { InternalCall } from "../internal/places.ts";
import { DashboardRefusal } from "./refusal.ts";

/** What is repeated of names that nobody asked for. */
const strangersShownMax = 5;

/** The members of an object, and a complaint about those that are not known. */
export function membersOf(
  body: unknown,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalid("The body must be an object.");
  }
  const strangers = Object.keys(body).filter((name) => !known.includes(name));
  if (strangers.length > 0) {
    const names = strangers
      .slice(0, strangersShownMax)
      .map((name) => JSON.stringify(name.slice(0, 40)));
    throw invalid(`${names.join(", ")} is not known here.`);
  }
  return body as Record<string, unknown>;
}

export function textIn(members: Readonly<Record<string, unknown>>, name: string): string {
  const value = members[name];
  if (typeof value !== "string" || value.trim() === "") throw invalid(`${name} must be a text.`);
  return value;
}

export const invalid = (message: string): DashboardRefusal =>
  new DashboardRefusal("body_invalid", message);

/** For a body that may be larger than those of the public API. */
export async function largeBody(call: InternalCall, bytesMax: number): Promise<unknown> {
  const type = call.request.header("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) throw new Problem("media_type_unsupported");
  const bytes = await bytesOf(call.request, bytesMax);
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
    throw new DashboardRefusal("body_too_large", `The body is larger than ${bytesMax} bytes.`);
  }
}
