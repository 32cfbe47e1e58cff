/** Errors as problem details (RFC 9457), for those who ask for them. */
import type { Problem, ProblemCode } from "../core/problems.ts";
import type { RequestHeaders } from "../wire/message.ts";

const asked = /(?:^|,)\s*application\/problem\+json\s*(?:;([^,]*))?(?:,|$)/i;

export function asksForProblemJson(request: RequestHeaders): boolean {
  const [found, parameters = ""] = asked.exec(request.header("accept") ?? "") ?? [];
  return found !== undefined && !/(?:^|;)\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/i.test(parameters);
}

export function problemText({ code, message, status }: Problem, base: string): string {
  const type = `${base.slice(0, -"/v1".length)}/docs/errors/${code}.md`;
  return JSON.stringify({ type, title: titleOf(code), status, detail: message, code });
}

function titleOf(code: ProblemCode): string {
  const words = code.replaceAll("_", " ");
  return words[0]?.toUpperCase() + words.slice(1);
}
