import type { Clock } from "../core/clock.ts";
import type { RequestHeaders } from "../wire/message.ts";

const wellFormed = /^[!-~]{1,128}$/;

/** The id that the client gave its request, if it can be repeated safely. */
export function givenRequestId(request: RequestHeaders): string | undefined {
  const given = request.header("x-request-id");
  return given !== undefined && wellFormed.test(given) ? given : undefined;
}

/** Ids that no other process makes: eight random characters and a count. */
export function requestIds(clock: Clock): () => string {
  const prefix = Buffer.from(clock.random(4)).toString("hex");
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}
