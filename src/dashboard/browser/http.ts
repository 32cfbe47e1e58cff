/** Calls the platform's API. Paths, parameters, bodies and results are typed by its document. */
import type { ErrorCode, paths } from "../../contract/generated/platform.ts";
import {
  type CallInput,
  type Method,
  type PathWith,
  type ResultOf,
  urlOf,
} from "../../contract/platformCalls.ts";
import { markReachable, markUnreachable } from "./connection.ts";
import { observable } from "./observable.ts";

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where 401 is about the credentials that were sent, and not about the session. */
  readonly signsIn?: boolean | undefined;
}

export type InputOf<M extends Method, Path extends keyof paths> = CallInput<M, Path, CallOptions>;

/** An error response of the API. Its message says what happened and what to do. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode | "unexpected";
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ApiError["code"], message: string, { status, headers }: Response) {
    super(message);
    this.code = code;
    this.status = status;
    const seconds = Number(headers.get("retry-after") ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  }
}

export const hasCode = (error: unknown, code: ErrorCode): error is ApiError =>
  error instanceof ApiError && error.code === code;

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Grows whenever a response says that the session has ended. */
export const signedOutCount = observable(0);

export async function call<M extends Method, Path extends PathWith<M>>(
  method: M,
  path: Path,
  ...[input]: InputOf<M, Path>
): Promise<ResultOf<M, Path>> {
  const { signal, signsIn, body, ...parameters }: RequestOptions = input ?? {};
  const options = { signal, signsIn, body };
  return (await request(method, urlOf(path, parameters), options)) as ResultOf<M, Path>;
}

interface RequestOptions extends CallOptions {
  readonly body?: unknown;
}

/** What a URL of the service returns. Throws an `ApiError` for an error response. */
export async function request(
  method: Method,
  url: string,
  { signal, signsIn, body }: RequestOptions = {},
): Promise<unknown> {
  const response = await send(method, url, body, signal);
  const text = await response.text();
  if (response.ok) return text === "" ? undefined : JSON.parse(text);
  if (response.status === 401 && !signsIn) signedOutCount.set(signedOutCount.get() + 1);
  throw errorOf(response, text);
}

async function send(
  method: Method,
  url: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const isFile = body instanceof Blob;
  const type = isFile ? "application/octet-stream" : "application/json";
  try {
    const response = await fetch(url, {
      method,
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      ...(method === "get" ? {} : { headers: { "content-type": type } }),
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    markReachable();
    return response;
  } catch (cause) {
    if (signal?.aborted) throw cause;
    markUnreachable();
    const message = "The service cannot be reached. Check your connection, then try again.";
    throw new Error(message, { cause });
  }
}

function errorOf(response: Response, text: string): ApiError {
  try {
    const { code, message } = JSON.parse(text);
    return new ApiError(code, message, response);
  } catch {
    const message = `The service answered with status ${response.status}.`;
    return new ApiError("unexpected", message, response);
  }
}
