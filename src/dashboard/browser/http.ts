/** Asks the service's own API for the dashboard. The cookie goes along by itself. */
import { reached, unreached } from "./connection.ts";
import { observable } from "./observable.ts";

const base = "/internal/v1";

/** What the service refused, in its own words: what happened, why, what to do. */
export class Refusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, status: number, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Nobody answered. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super("The service cannot be reached. Check your connection, then try again.", { cause });
    this.name = "Unreachable";
  }
}

/** Grows whenever an answer says that nobody is signed in any more. */
export const signedOutCount = observable(0);

export interface Asking {
  readonly body?: unknown;
  readonly bytes?: Blob;
  readonly signal?: AbortSignal | undefined;
  /** Where 401 is an answer about what was sent, and not about the session. */
  readonly signsIn?: boolean;
}

export async function ask<T>(method: string, path: string, asking: Asking = {}): Promise<T> {
  const response = await answerTo(method, path, asking);
  const text = await response.text();
  if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as T;
  const refusal = refusalIn(response, text);
  if (refusal.status === 401 && asking.signsIn !== true) {
    signedOutCount.set(signedOutCount.get() + 1);
  }
  throw refusal;
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  ask("GET", path, { signal });
export const post = <T>(path: string, body: unknown = {}): Promise<T> =>
  ask("POST", path, { body });

/** The address of something that is not asked for by `ask`: a stream. */
export const addressOf = (path: string): string => `${base}${path}`;

/** A path of segments, each written as it must stand in an address. */
export const pathOf = (...segments: readonly string[]): string =>
  segments.map((segment) => `/${encodeURIComponent(segment)}`).join("");

async function answerTo(method: string, path: string, asking: Asking): Promise<Response> {
  const { body, bytes, signal } = asking;
  const content = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = bytes === undefined ? "application/json" : "application/octet-stream";
  try {
    const response = await fetch(addressOf(path), {
      method,
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      ...(method === "GET" ? {} : { headers: { "content-type": type } }),
      ...(content === undefined ? {} : { body: content }),
      ...(signal === undefined ? {} : { signal }),
    });
    reached();
    return response;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    unreached();
    throw new Unreachable(cause);
  }
}

function refusalIn({ status, headers }: Response, text: string): Refusal {
  const wait = Number(headers.get("retry-after") ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(wait) ? wait : undefined;
  try {
    const { code, message } = JSON.parse(text) as { code: string; message: string };
    return new Refusal(code, status, message, retryAfterSeconds);
  } catch {
    return new Refusal("unexpected", status, `The service answered with status ${status}.`);
  }
}

/** In words, whatever was thrown. */
export function wordsFor(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
