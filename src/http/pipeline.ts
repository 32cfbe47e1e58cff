/**
 * The stages of a request, top to bottom: find the route, authenticate, apply limits, authorize,
 * read, handle, write, log and count. `Api` holds the differences of the public API and the
 * platform's.
 */

import type { Operation } from "../contract/document.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { type MaybePromise, then } from "../core/maybePromise.ts";
import { Problem } from "../core/problems.ts";
import {
  carriedTrace,
  parseTraceparent,
  type SpanContext,
  type TraceContext,
  type Tracer,
  withTrace,
} from "../core/tracing.ts";
import type { HttpRequest, HttpResponse, RequestHeaders } from "../wire/message.ts";
import { givenRequestId, requestIds } from "./headers.ts";
import { readBody, readQuery } from "./input.ts";
import type { RequestMetrics } from "./metrics.ts";
import { asProblem, errorResponse, type HandlerResponse } from "./responses.ts";
import { type Match, notAllowed, type PathParameters, Routes } from "./routes.ts";

/** What is known of a request so far. */
export interface Exchange<Id extends string> {
  readonly request: HttpRequest;
  /** The base URL of links: `https://api.example.com/v1`. */
  readonly base: string;
  readonly startedMs: number;
  /** Sent by the client, or assigned where the audit log refers to it. */
  id: string | undefined;
  /** Whether unknown parameters and members are refused. */
  readonly strict: boolean;
  match: Match<Id> | undefined;
  operation: Operation<Id> | undefined;
  /** The caller, for the log. */
  callerId: string | undefined;
  /** Headers of its response, even if it is refused. */
  headers: Record<string, string> | undefined;
  /** Undefined until it is asked for: most requests end before anything depends on it. */
  trace: RequestTrace | undefined;
}

/** Of the client, or begun here. */
interface RequestTrace {
  readonly traceId?: string | undefined;
  /** If it is recorded. */
  readonly span?: SpanContext | undefined;
  /** Of the client. */
  readonly given?: TraceContext | undefined;
}

const untraced: RequestTrace = {};

/** What the log and the metrics know of a request. */
export type Noted<Id extends string> = Pick<
  Exchange<Id>,
  "operation" | "callerId" | "startedMs"
> & {
  /** Without headers if it was recognised by its text, which then has no `traceparent`. */
  readonly request: Pick<HttpRequest, "method" | "client"> & Partial<RequestHeaders>;
  readonly trace?: RequestTrace | undefined;
};

/** The input of a request, as the document describes it. */
export interface ReadInput {
  readonly path: PathParameters;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

export interface Api<Id extends string, Caller> {
  /** `/v1` */
  readonly prefix: string;
  readonly operations: readonly Operation<Id>[];
  /** Whether HEAD is served wherever GET is. */
  readonly head: boolean;
  baseOf(request: HttpRequest): string;
  isStrict(request: HttpRequest): boolean;
  /** Responds to what is not an operation and needs no authentication. */
  respondOpenly?(exchange: Exchange<Id>): MaybePromise<HandlerResponse> | undefined;
  /** Authenticates. On unknown paths too: without a credential, it is not revealed what exists. */
  authenticate(exchange: Exchange<Id>): MaybePromise<Caller>;
  /** If requests are limited: throws if the caller has used up its quota. */
  readonly limit?: ((exchange: Exchange<Id>, caller: Caller) => MaybePromise<void>) | undefined;
  /** Throws unless the caller may call the operation. */
  authorize(exchange: Exchange<Id>, caller: Caller, operation: Operation<Id>): void;
  handle(
    exchange: Exchange<Id>,
    caller: Caller,
    operation: Operation<Id>,
    input: ReadInput,
  ): MaybePromise<HandlerResponse>;
  /** If requests are limited: the cost may depend on the response. */
  readonly settle?:
    | ((exchange: Exchange<Id>, caller: Caller, response: HandlerResponse) => MaybePromise<void>)
    | undefined;
  /** Other than the usual JSON. */
  errorResponse?(problem: Problem, exchange: Exchange<Id>): HandlerResponse | undefined;
  /** Headers that every response to the request has. */
  headersFor(request: HttpRequest): Readonly<Record<string, string>> | undefined;
  /** What the log calls the caller. */
  readonly callerField: string;
  readonly metrics?: RequestMetrics;
}

export interface PipelineParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined where nothing is traced. */
  readonly tracer?: Tracer | undefined;
}

export class Pipeline<Id extends string, Caller> {
  readonly #api: Api<Id, Caller>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #routes: Routes<Id>;
  readonly #nextId: () => string;
  readonly #tracer: Tracer | undefined;

  constructor(api: Api<Id, Caller>, { clock, log, tracer }: PipelineParts) {
    this.#api = api;
    this.#clock = clock;
    this.#log = log;
    this.#tracer = tracer;
    this.#routes = new Routes(api.operations, api);
    this.#nextId = requestIds(clock);
  }

  handle(request: HttpRequest, startedMs = this.#clock.elapsed()): MaybePromise<HttpResponse> {
    const exchange = this.begin(request, startedMs);
    try {
      const response = this.#respond(exchange);
      return response instanceof Promise
        ? response.then(
            (given) => this.#write(exchange, given),
            (thrown) => this.refuse(exchange, thrown),
          )
        : this.#write(exchange, response);
    } catch (thrown) {
      return this.refuse(exchange, thrown);
    }
  }

  begin(request: HttpRequest, startedMs: number): Exchange<Id> {
    const api = this.#api;
    return {
      request,
      base: api.baseOf(request),
      startedMs,
      id: givenRequestId(request),
      strict: api.isStrict(request),
      match: this.#routes.match(request.path.slice(api.prefix.length)),
      operation: undefined,
      callerId: undefined,
      headers: undefined,
      trace: undefined,
    };
  }

  #respond(exchange: Exchange<Id>): MaybePromise<HandlerResponse> {
    const api = this.#api;
    const open = api.respondOpenly?.(exchange);
    if (open !== undefined) return open;
    return then(api.authenticate(exchange), (caller) =>
      then(api.limit?.(exchange, caller), () => {
        const operation = operationOf(exchange);
        exchange.operation = operation;
        api.authorize(exchange, caller, operation);
        const handled = then(read(exchange, operation), (input) =>
          this.#handle(exchange, caller, operation, input),
        );
        const { settle } = api;
        if (settle === undefined) return handled;
        return then(handled, (response) =>
          then(settle(exchange, caller, response), () => response),
        );
      }),
    );
  }

  /** What a write causes later, such as webhooks, continues the trace of its request. */
  #handle(
    exchange: Exchange<Id>,
    caller: Caller,
    operation: Operation<Id>,
    input: ReadInput,
  ): MaybePromise<HandlerResponse> {
    const handle = () => this.#api.handle(exchange, caller, operation, input);
    if (operation.method === "GET") return handle();
    exchange.trace = this.#traceOf(exchange);
    const { span, given } = exchange.trace;
    const carried = carriedTrace(span, given, given && exchange.request.header("tracestate"));
    return carried === undefined ? handle() : withTrace(carried, handle);
  }

  /** The single exit for everything that is thrown. */
  refuse(exchange: Exchange<Id>, thrown: unknown): HttpResponse {
    const problem = asProblem(thrown);
    const id = exchange.id ?? this.#nextId();
    if (problem.isFailure) {
      const trace = this.#traceOf(exchange);
      exchange.trace = trace;
      const { operation } = exchange;
      const { code } = problem;
      this.#log.error("request.failed", {
        id,
        operation: operation?.id,
        code,
        traceId: trace.traceId,
        cause: problem,
      });
    }
    const response = this.#api.errorResponse?.(problem, exchange) ?? errorResponse(problem);
    return this.#write(exchange, response, id);
  }

  #write(
    exchange: Exchange<Id>,
    { status, body, headers: own }: HandlerResponse,
    id = exchange.id,
  ): HttpResponse {
    const headers: Record<string, string> = {};
    if (typeof body === "string") headers["content-type"] = "application/json";
    addTo(headers, own);
    addTo(headers, exchange.headers);
    if (id !== undefined) headers["x-request-id"] = id;
    addTo(headers, this.#api.headersFor(exchange.request));
    this.note(exchange, status, id);
    return { status, headers, body };
  }

  /** Counts and logs a request, once, when its response is known. */
  note(noted: Noted<Id>, status: number, id?: string): void {
    const { operation, request, callerId, startedMs } = noted;
    const durationMs = this.#clock.elapsed() - startedMs;
    this.#api.metrics?.observe(operation?.id, status, durationMs / 1000);
    const isLogged = this.#log.writes("info");
    if (!isLogged && this.#tracer === undefined) return;
    const trace = this.#traceOf(noted);
    if (trace.span !== undefined) this.#endSpan(trace.span, noted, status, durationMs);
    if (!isLogged) return;
    this.#log.info("request.completed", {
      id: id ?? this.#nextId(),
      method: request.method,
      path: operation?.path,
      operation: operation?.id,
      status,
      durationMs: Math.round(durationMs * 1000) / 1000,
      client: request.client,
      [this.#api.callerField]: callerId,
      traceId: trace.traceId,
    });
  }

  /** Decided once for a request: a share of them is recorded. */
  #traceOf({ request, trace }: Noted<Id>): RequestTrace {
    if (trace !== undefined) return trace;
    const given = parseTraceparent(request.header?.("traceparent"));
    const span = this.#tracer?.begin(given, given && request.header?.("tracestate"));
    const traceId = span?.traceId ?? given?.traceId;
    return traceId === undefined ? untraced : { traceId, span, given };
  }

  #endSpan(span: SpanContext, noted: Noted<Id>, status: number, durationMs: number): void {
    const { method } = noted.request;
    const path = noted.operation && `${this.#api.prefix}${noted.operation.path}`;
    this.#tracer?.end(span, {
      name: path === undefined ? "HTTP" : `${method} ${path}`,
      kind: "server",
      durationMs,
      attributes: {
        "http.request.method": method,
        "http.route": path,
        "http.response.status_code": status,
        "client.address": noted.request.client,
        "petstore.operation": noted.operation?.id,
      },
      // What clients do wrong is no failure of the service.
      failure: status >= 500 ? `The status is ${status}.` : undefined,
    });
  }
}

/** Half the time of spreading them into an object, for every response. */
function addTo(headers: Record<string, string>, more: HandlerResponse["headers"]): void {
  for (const name in more) headers[name] = more[name] as string;
}

function operationOf<Id extends string>({ match, request }: Exchange<Id>): Operation<Id> {
  if (match === undefined) throw new Problem("path_not_found");
  const operation = match.route.operations.get(request.method);
  if (operation === undefined) throw notAllowed(match.route.methods);
  return operation;
}

function read<Id extends string>(
  { match, request, strict }: Exchange<Id>,
  operation: Operation<Id>,
): MaybePromise<ReadInput> {
  const path = match?.path ?? {};
  const query = readQuery(operation, request.query.slice(1), strict);
  const { body: reader, mediaTypes } = operation;
  if (reader === undefined) return { path, query, body: undefined };
  return then(readBody(request, reader, mediaTypes, strict), (body) => ({ path, query, body }));
}
