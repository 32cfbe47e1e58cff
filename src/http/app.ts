/** The life of a request: authenticate, route, read, answer, and one way out for all. */
import type { Clock } from "../clock.ts";
import type { OperationId } from "../contract/operations.ts";
import { allOperations, type Operation } from "../contract/operations.ts";
import type { Authenticator } from "../keys/authenticator.ts";
import type { ApiKey } from "../keys/keys.ts";
import type { UseRecorder } from "../keys/useRecorder.ts";
import type { Log } from "../log.ts";
import { Problem } from "../problems.ts";
import { type Soon, then } from "../soon.ts";
import { type Address, addressOf } from "./address.ts";
import { asProblem, type PlainAnswer, refusal } from "./answer.ts";
import { authenticate, requireScope } from "./authorize.ts";
import { readBody } from "./body.ts";
import { corsHeaders, isPreflight, preflightResponse } from "./cors.ts";
import type { Handlers } from "./handlers.ts";
import { announcement, refuseRemoved } from "./lifecycle.ts";
import type { RequestMetrics } from "./metrics.ts";
import { asksForStrict } from "./prefer.ts";
import { readQuery } from "./query.ts";
import { givenRequestId, requestIds } from "./requestId.ts";
import { route } from "./route.ts";

export interface AppParts {
  readonly handlers: Handlers;
  readonly authenticator: Authenticator;
  readonly uses: UseRecorder;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: RequestMetrics;
  /** The configured base address; without one, addresses follow the Host of the request. */
  readonly baseUrl: string | undefined;
  /** The contract as JSON, public. */
  readonly contract: string;
  /** Answers what is not under `/v1`: health, documentation. */
  readonly outside: (address: Address, request: Request) => Soon<Response>;
  /** True once the service is on its way out: clients are told to connect anew, elsewhere. */
  readonly leaving: () => boolean;
}

/** What is known of a request so far; the log and the metrics read it when it is answered. */
interface Exchange {
  readonly request: Request;
  readonly address: Address;
  readonly base: string;
  readonly startedMs: number;
  readonly givenId: string | undefined;
  operation: Operation | undefined;
  /** Headers that the operation puts on every answer, refusals too. */
  announced: Record<string, string> | undefined;
  keyId: string | undefined;
}

type AnyHandler = (input: unknown, base: string) => Soon<PlainAnswer>;

const prefix = "/v1";

export function createApp(parts: AppParts): (request: Request) => Soon<Response> {
  const { authenticator, clock, log, metrics, uses } = parts;
  const handlers = parts.handlers as unknown as Readonly<Record<OperationId, AnyHandler>>;
  const nextId = requestIds(clock);
  const announcements = new Map(
    allOperations.flatMap(({ id, lifecycle }) =>
      lifecycle === undefined ? [] : [[id, announcement(lifecycle)] as const],
    ),
  );

  function handle(request: Request): Soon<Response> {
    const address = addressOf(request.url);
    if (!isUnder(address.path)) return parts.outside(address, request);
    if (isPreflight(request)) return preflightResponse();
    const exchange: Exchange = {
      request,
      address,
      base: parts.baseUrl ?? `${address.origin}${prefix}`,
      startedMs: clock.elapsed(),
      givenId: givenRequestId(request.headers),
      operation: undefined,
      announced: undefined,
      keyId: undefined,
    };
    try {
      const answered = answer(exchange);
      return answered instanceof Promise
        ? answered.then(
            (plain) => finish(exchange, plain),
            (thrown) => fail(exchange, thrown),
          )
        : finish(exchange, answered);
    } catch (thrown) {
      return fail(exchange, thrown);
    }
  }

  function answer(exchange: Exchange): Soon<PlainAnswer> {
    const { address, request } = exchange;
    if (address.path === `${prefix}/openapi.json`) return contractAnswer(request.method);
    // First of all, on unknown paths too: without a key nothing is learnt of what exists.
    return then(authenticate(request.headers, authenticator), (key) => operate(exchange, key));
  }

  function operate(exchange: Exchange, key: ApiKey): Soon<PlainAnswer> {
    const { address, base, request } = exchange;
    exchange.keyId = key.id;
    const found = route(address.path.slice(prefix.length));
    if (found === undefined) throw new Problem("path_not_found");
    const method = request.method === "HEAD" ? "GET" : request.method;
    const operation = found.place.operations.get(method);
    if (operation === undefined) throw notAllowed(found.place.methods);
    exchange.operation = operation;
    exchange.announced = announcements.get(operation.id)?.(base, found.path);
    uses.count(key.id, operation.id);
    requireScope(key, operation.scope);
    refuseRemoved(operation, clock.now());

    const strict = asksForStrict(request.headers);
    const query = readQuery(operation, address.search, strict);
    const handler = handlers[operation.id];
    const { path } = found;
    const answered =
      operation.body === undefined
        ? handler({ path, query, body: undefined }, base)
        : readBody(request, operation.body, strict).then((body) =>
            handler({ path, query, body }, base),
          );
    return strict ? then(answered, applied) : answered;
  }

  function contractAnswer(method: string): PlainAnswer {
    if (method !== "GET" && method !== "HEAD") throw notAllowed("GET, HEAD");
    return {
      status: 200,
      body: parts.contract,
      headers: { "cache-control": "public, max-age=60" },
    };
  }

  function fail(exchange: Exchange, thrown: unknown): Response {
    const problem = asProblem(thrown);
    const id = exchange.givenId ?? nextId();
    if (problem.status >= 500) {
      const { operation } = exchange;
      log.error("request.failed", {
        id,
        operation: operation?.id,
        code: problem.code,
        cause: problem,
      });
    }
    return finish(exchange, refusal(problem), id);
  }

  function finish(exchange: Exchange, plain: PlainAnswer, id = exchange.givenId): Response {
    const { request, operation } = exchange;
    const headers: Record<string, string> = {
      "content-type": "application/json",
      ...plain.headers,
      ...exchange.announced,
    };
    if (id !== undefined) headers["x-request-id"] = id;
    if (request.headers.has("origin")) Object.assign(headers, corsHeaders);
    if (parts.leaving()) headers.connection = "close";
    const durationMs = clock.elapsed() - exchange.startedMs;
    metrics.observe(operation?.id, plain.status, durationMs / 1000);
    log.info("request", {
      id: id ?? nextId(),
      method: request.method,
      path: operation?.path,
      operation: operation?.id,
      status: plain.status,
      durationMs: Math.round(durationMs * 1000) / 1000,
      key: exchange.keyId,
    });
    if (request.method !== "HEAD")
      return new Response(plain.body, { status: plain.status, headers });
    headers["content-length"] = String(Buffer.byteLength(plain.body));
    return new Response(null, { status: plain.status, headers });
  }

  return handle;
}

function isUnder(path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}

function notAllowed(methods: string): Problem {
  return new Problem("method_not_allowed", {
    detail: `This path takes ${methods}.`,
    headers: { allow: methods },
  });
}

function applied(answer: PlainAnswer): PlainAnswer {
  return { ...answer, headers: { ...answer.headers, "preference-applied": "handling=strict" } };
}
