/** Speaks to the service under test, remembers what was said, and waits for nothing for ever. */

import { parseJson } from "../contract/json.ts";
import type { Clock } from "../core/clock.ts";
import type { Semaphore } from "../core/semaphore.ts";
import { CheckFailure } from "./check.ts";
import { RateLimited, type RateLimitPacer } from "./rateLimitPacer.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What all checks of one run share. */
export interface RunContext {
  /** Ends in `/v1`, without a slash. */
  readonly base: string;
  readonly key: string;
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly requests: Semaphore;
  readonly pace: RateLimitPacer;
  /** Aborted when the run has taken as long as it may. */
  readonly over: AbortSignal;
  /** Stands in the name of every pet of this run. */
  readonly mark: string;
  /** Names differ by it, whichever check makes them. */
  nextNumber(): number;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes go as they are, anything else as JSON. */
  readonly body?: unknown;
  /** Null sends none. Left out, it is JSON where there is a body. */
  readonly contentType?: string | null;
  /** The whole Authorization header; null sends none. Left out, it is the key of the run. */
  readonly authorization?: string | null;
}

export interface HttpExchange {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export const requestMsMax = 10_000;
const answerBytesMax = 4 * 1024 * 1024;
const rememberedMax = 40;
export const shownLengthMax = 160;

export class Caller {
  readonly context: RunContext;
  /** `POST /pets {"name":…} → 201`, in the order of sending. */
  readonly requests: string[] = [];

  constructor(context: RunContext) {
    this.context = context;
  }

  /** A name that tells where the pet came from, different each time. */
  newName(about = "pet"): string {
    return `petstore check ${this.context.mark} ${about} ${this.context.nextNumber()}`;
  }

  /** Larger than any service gets by counting, and by chance another each time. */
  unusedId(): bigint {
    const bytes = this.context.clock.random(7);
    return 2n ** 62n + bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpExchange> {
    return this.send("GET", path, { headers });
  }

  post(
    path: string,
    body: unknown,
    sent: Omit<RequestOptions, "body"> = {},
  ): Promise<HttpExchange> {
    return this.send("POST", path, { ...sent, body });
  }

  send(method: string, path: string, sent: RequestOptions = {}): Promise<HttpExchange> {
    const { pace, requests } = this.context;
    return pace.run(() => requests.run(() => this.#exchange(method, path, sent)), secondsToWait);
  }

  async #exchange(method: string, path: string, sent: RequestOptions): Promise<HttpExchange> {
    const { context } = this;
    const hurry = new AbortController();
    const stop = context.clock.after(requestMsMax, () => hurry.abort());
    const body = bytesOf(sent.body);
    const line = `${method} ${path}${body === undefined ? "" : ` ${shortened(decoded(body))}`}`;
    try {
      const response = await context.fetch(context.base + path, {
        method,
        headers: this.#headersOf(sent),
        redirect: "manual",
        signal: AbortSignal.any([hurry.signal, context.over]),
        ...(body === undefined ? {} : { body }),
      });
      const text = await boundedText(response);
      this.#remember(`${line} → ${response.status}`);
      return { status: response.status, headers: response.headers, text };
    } catch (cause) {
      this.#remember(`${line} → no answer`);
      if (cause instanceof CheckFailure) throw cause;
      if (context.over.aborted && context.pace.limited) throw new RateLimited();
      throw new CheckFailure(
        "an answer",
        whyNone(cause, hurry.signal.aborted, context.over.aborted),
      );
    } finally {
      stop();
    }
  }

  #headersOf(sent: RequestOptions): Record<string, string> {
    const { authorization = `Bearer ${this.context.key}`, contentType = "application/json" } = sent;
    return {
      ...(authorization === null ? {} : { authorization }),
      ...(sent.body === undefined || contentType === null ? {} : { "content-type": contentType }),
      ...sent.headers,
    };
  }

  #remember(line: string): void {
    if (this.requests.length < rememberedMax) this.requests.push(this.redacted(line));
  }

  /** Nothing that is reported may hold the key, even if the service repeats it. */
  redacted(text: string): string {
    return text.replaceAll(this.context.key, "<API_KEY>");
  }
}

/** A limited rate is no fault of the service that says when to come back. */
function secondsToWait({ status, headers }: HttpExchange): number | undefined {
  const seconds = Number(headers.get("retry-after"));
  return status === 429 && seconds >= 1 ? seconds : undefined;
}

const utf8 = new TextEncoder();

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  // As bytes, so that fetch adds no media type of its own.
  return utf8.encode(typeof body === "string" ? body : JSON.stringify(body));
}

const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(0, 1_024));

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of response.body ?? []) {
    count += chunk.byteLength;
    if (count > answerBytesMax) {
      throw new CheckFailure(`an answer of at most ${answerBytesMax} bytes`, "a longer one");
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new CheckFailure("an answer in UTF-8", "bytes that are not");
  }
}

function whyNone(cause: unknown, slow: boolean, over: boolean): string {
  if (over) return "none before the run had to end";
  if (slow) return `none within ${requestMsMax / 1_000} seconds`;
  const message = cause instanceof Error ? cause.message : String(cause);
  // Bun adds a question to it, whether the computer can access the URL.
  return `none: ${shortened(message.replace(/\.\s.*\?$/s, "").replace(/\.$/, ""))}`;
}

/** One line, not too long, without what would move a terminal's cursor. */
export function shortened(text: string): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, "\u{fffd}");
  return line.length > shownLengthMax ? `${line.slice(0, shownLengthMax)}…` : line;
}

/** The body as JSON with exact integers. */
export function jsonOf(seen: HttpExchange): unknown {
  try {
    return parseJson(seen.text);
  } catch {
    throw new CheckFailure("a body of JSON", shown(seen));
  }
}

export function shown(seen: HttpExchange): string {
  return `${seen.status} ${seen.text === "" ? "without a body" : shortened(seen.text)}`;
}
