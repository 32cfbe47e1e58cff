/** One request and its answer, held against what every answer must be. */
import { judge } from "../testkit/contractJudge.ts";
import type { Tally } from "./tally.ts";

/** Longer than any wait of the service itself. */
const answerMsMax = 30_000;

export interface RequestOptions {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly url: string;
  readonly token: string;
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly ifMatch?: string | undefined;
  /** Whether it has a connection of its own. */
  readonly fresh?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly tookMs: number;
}

/** Undefined where the connection ended without an answer. */
export async function exchange(options: RequestOptions, tally: Tally): Promise<Answer | undefined> {
  const { method, url, token, body, idempotencyKey, ifMatch, fresh } = options;
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  if (ifMatch !== undefined) headers["if-match"] = ifMatch;
  if (fresh) headers["connection"] = "close";
  const startedMs = performance.now();
  let answer: Answer;
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    const response = await fetch(url, { method, headers, signal, ...(body && { body }) });
    const text = await response.text();
    const tookMs = performance.now() - startedMs;
    answer = { status: response.status, headers: response.headers, text, tookMs };
  } catch (cause) {
    const late = cause instanceof Error && cause.name === "TimeoutError";
    if (late) tally.judge(false, () => `${method} ${url} got no answer in ${answerMsMax} ms`);
    return undefined;
  }
  judgeAnswer(options, answer, tally);
  return answer;
}

function judgeAnswer({ method, url }: RequestOptions, answer: Answer, tally: Tally): void {
  const { status, headers, text } = answer;
  const fault = contractFault(method, url, answer);
  tally.judge(fault === undefined, () => fault ?? "");
  if (status < 500) return;
  const declared = status === 503 && codeOf(text) === "store_unavailable";
  tally.judge(declared && headers.has("retry-after"), () => {
    return `${method} ${url} answered ${status} ${text.slice(0, 200)}`;
  });
}

function contractFault(method: string, url: string, answer: Answer): string | undefined {
  try {
    judge(method, url, answer);
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

export function codeOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { code?: string }).code;
  } catch {
    return undefined;
  }
}
