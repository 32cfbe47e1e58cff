/** Calls a service over the platform's API, with patience where it is busy or the connection breaks. */
import {
  type CallInput,
  type Method,
  type PathWith,
  type ResultOf,
  urlOf,
} from "../../contract/platformCalls.ts";
import { type Clock, pause } from "../../core/clock.ts";
import { Problem, type ProblemCode, platformProblems, problems } from "../../core/problems.ts";
import { CommandFailure } from "../errors.ts";

export interface ClientOptions {
  /** Such as `https://api.example.com`. The token goes there and nowhere else. */
  readonly origin: string;
  readonly token: string;
  readonly clock: Clock;
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether it can be sent again when the response was lost. By default, all but POST can. */
  readonly repeatable?: boolean;
  readonly triesMax?: number;
}

const triesMaxDefault = 6;
/** Doubled with each try: 15 seconds in all, in which a service is restarted. */
const backOffMs = 500;
/** A service that asks for more is better tried later. */
const retryAfterMsMax = 60_000;
/** The longest that a service takes over a list of ten thousand files, and what is sent comes on top. */
const attemptMsMax = 120_000;
/** Of one file among several on a slow line. */
const bytesPerSecondMin = 8 * 1024;

type Answered = { readonly response: Response; readonly text: string };
type Attempt = Answered | { readonly lost: unknown };

/** Refusals are thrown as a Problem, and what keeps us from asking as a CommandFailure. */
export class PlatformClient {
  readonly #options: ClientOptions;
  /** Before the first response, what refuses a connection is more likely a wrong address. */
  #reached = false;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async call<M extends Method, Path extends PathWith<M>>(
    method: M,
    path: Path,
    ...[input]: CallInput<M, Path, CallOptions>
  ): Promise<ResultOf<M, Path>> {
    const given: CallOptions & { readonly body?: unknown } = input ?? {};
    const { signal, repeatable = method !== "post", body, ...rest } = given;
    const { triesMax = triesMaxDefault, ...parameters } = rest;
    for (let tries = 1; ; tries++) {
      const attempt = await this.#attempt(method, urlOf(path, parameters), body, signal);
      const waitMs =
        tries < triesMax ? this.#waitMs(attempt, repeatable, backOffMs * 2 ** (tries - 1)) : 0;
      if (waitMs === 0) return this.#resultOf(attempt) as ResultOf<M, Path>;
      await pause(this.#options.clock, waitMs, signal);
      signal?.throwIfAborted();
    }
  }

  async #attempt(
    method: Method,
    url: string,
    body: unknown,
    signal: AbortSignal | undefined,
  ): Promise<Attempt> {
    const { origin, token, clock } = this.#options;
    const late = new AbortController();
    const isFile = body instanceof Blob;
    const msMax = attemptMsMax + (isFile ? (body.size * 1_000) / bytesPerSecondMin : 0);
    const cancel = clock.after(msMax, () => late.abort(new TimedOut()));
    const type = isFile ? "application/octet-stream" : "application/json";
    try {
      const response = await fetch(origin + url, {
        method,
        // Bun's own, of five minutes: one of several files may have to wait for longer.
        ...{ timeout: false },
        // Never followed: the token is for this origin alone.
        redirect: "manual",
        headers: {
          authorization: `Bearer ${token}`,
          // As the audit log names it, next to the browsers of others.
          "user-agent": "petstore",
          ...(method === "get" ? {} : { "content-type": type }),
        },
        ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
        signal: AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])]),
      });
      const text = await response.text();
      this.#reached = true;
      return { response, text };
    } catch (cause) {
      signal?.throwIfAborted();
      return { lost: cause };
    } finally {
      cancel();
    }
  }

  /** How long to wait before the next attempt; 0 where this was the last. */
  #waitMs(attempt: Attempt, repeatable: boolean, usualMs: number): number {
    const jitter = 1 + (this.#options.clock.random(1)[0] ?? 0) / 512;
    if ("lost" in attempt) {
      const again = this.#reached && repeatable && isTransient(attempt.lost);
      return again ? usualMs * jitter : 0;
    }
    const { response, text } = attempt;
    const busy = response.status === 429 || response.status === 503;
    const code = errorIn(text)?.code;
    // Said on purpose, and waiting for seconds changes nothing.
    if (!busy || code === "verify_too_soon" || code === "domains_off") return 0;
    const askedMs = (retryAfterSeconds(response) ?? 0) * 1_000;
    return askedMs > retryAfterMsMax ? 0 : Math.max(askedMs, usualMs * jitter);
  }

  #resultOf(attempt: Attempt): unknown {
    if ("lost" in attempt) throw this.#unreachable(attempt.lost);
    const { response, text } = attempt;
    const body = jsonIn(text);
    if (response.ok && (text === "" || body !== undefined)) return body;
    throw this.#refusal(attempt);
  }

  #refusal({ response, text }: Answered): Error {
    const { origin } = this.#options;
    const { status, headers } = response;
    if (status >= 300 && status < 400) {
      const to = URL.parse(headers.get("location") ?? "", origin);
      return new CommandFailure(
        `${origin} redirects to ${to?.origin ?? "another address"}. The token was not sent there. If that is the service, name it with --to.`,
        { code: "redirected" },
      );
    }
    const error = errorIn(text);
    if (status === 401) {
      return new CommandFailure(
        `${origin} does not accept this token. It may have been revoked, or be one of another service. The operator creates one with petstore owners token <id>; then set PETSTORE_TOKEN, or run petstore login --to ${origin}.`,
        { code: "unauthorized" },
      );
    }
    if (error === undefined || error.code === "path_not_found") {
      return new CommandFailure(
        `${origin} answers with status ${status}, and not as a Pet Store service of this version does. Check --to. If the service has an admin port, name that one.`,
        { code: "not_a_service" },
      );
    }
    return new Problem(error.code, {
      detail: error.message,
      retryAfterSeconds: retryAfterSeconds(response) ?? 0,
    });
  }

  #unreachable(cause: unknown): CommandFailure {
    const { origin } = this.#options;
    const { code = "", message } = cause as NodeJS.ErrnoException;
    const why = isOfTls(cause)
      ? `${origin} has no certificate that can be trusted, so nothing was sent: ${message} (${code}). If it is signed by an authority of your own, name its root in NODE_EXTRA_CA_CERTS.`
      : `${origin} cannot be reached: ${reasons[code] ?? message}. Check --to and the connection, then try again.`;
    return new CommandFailure(why, { code: "unreachable" });
  }
}

class TimedOut extends Error {
  readonly code = "ETIMEDOUT";
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was closed",
  ENOTFOUND: "there is no such name",
  EAI_AGAIN: "the name cannot be looked up at the moment",
  ETIMEDOUT: "there was no answer in time",
  EPROTO: "it does not speak TLS on this port",
};

const isOfTls = (cause: unknown) =>
  /CERT|SIGNATURE|ISSUER|CRL/.test((cause as NodeJS.ErrnoException).code ?? "");

function isTransient(cause: unknown): boolean {
  const { code = "" } = cause as NodeJS.ErrnoException;
  return !isOfTls(cause) && code !== "ENOTFOUND" && code !== "EPROTO";
}

const known: ReadonlySet<string> = new Set([
  ...Object.keys(problems),
  ...Object.keys(platformProblems),
]);

/** Undefined for a body that is none of ours: of a proxy, or of another program. */
function errorIn(text: string): { code: ProblemCode; message: string } | undefined {
  const { code, message } = (jsonIn(text) ?? {}) as Record<string, unknown>;
  return typeof code === "string" && known.has(code) && typeof message === "string"
    ? { code: code as ProblemCode, message }
    : undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function retryAfterSeconds({ headers }: Response): number | undefined {
  const text = headers.get("retry-after") ?? "";
  return /^[0-9]{1,6}$/.test(text) ? Number(text) : undefined;
}
