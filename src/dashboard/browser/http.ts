/** Calls the platform's API. Paths, parameters, bodies and results are typed by its document. */
import type { OperationTypes } from "../../contract/document.ts";
import type { ErrorCode, paths } from "../../contract/generated/platform.ts";
import { markReachable, markUnreachable } from "./connection.ts";
import { observable } from "./observable.ts";

const base = "/internal/v1";

type Method = "get" | "post" | "put" | "delete";

/** The paths that have an operation of the method. */
export type PathWith<M extends Method> = {
  [Path in keyof paths]: M extends keyof paths[Path] ? Path : never;
}[keyof paths];

type OperationAt<M extends Method, Path extends keyof paths> =
  paths[Path] extends Readonly<Record<M, infer Types extends OperationTypes>> ? Types : never;

type Parameters<Types extends OperationTypes> = Pick<Types["parameters"], "path" | "query">;

type Body<Types> = Types extends { requestBody: { content: infer Content } }
  ? { readonly body: Content extends { "application/json": infer Json } ? Json : Blob }
  : { readonly body?: undefined };

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Where 401 is about the credentials that were sent, and not about the session. */
  readonly signsIn?: boolean;
}

/** Can be left out if nothing in it is required. */
type Optional<T> = Record<never, never> extends T ? [input?: T] : [input: T];

export type InputOf<M extends Method, Path extends keyof paths> = Optional<
  Parameters<OperationAt<M, Path>> & Body<OperationAt<M, Path>> & CallOptions
>;

type Json<Response> = Response extends { content: { "application/json": infer Body } }
  ? Body
  : undefined;

export type ResultOf<M extends Method, Path extends keyof paths> = Json<
  OperationAt<M, Path>["responses"][(200 | 201 | 202 | 204) &
    keyof OperationAt<M, Path>["responses"]]
>;

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
  const given: CallOptions & { readonly body?: unknown } = input ?? {};
  const { signal, signsIn, body, ...parameters } = given;
  const response = await send(method, urlOf(path, parameters), body, signal);
  const text = await response.text();
  if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as ResultOf<M, Path>;
  if (response.status === 401 && !signsIn) signedOutCount.set(signedOutCount.get() + 1);
  throw errorOf(response, text);
}

/** The URL of an operation, with the values of its parameters in the place of their names. */
export function urlOf(
  template: keyof paths,
  { path, query }: OperationTypes["parameters"],
): string {
  const values = (path ?? {}) as Readonly<Record<string, string>>;
  const filled = template.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(values[name] ?? ""),
  );
  const search = new URLSearchParams(query as Record<string, string> | undefined).toString();
  return `${base}${filled}${search && `?${search}`}`;
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
