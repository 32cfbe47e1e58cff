/** The life of a request: authenticate, route, read, answer, and one way out for all. */
import type { OperationId } from "../contract/operations.ts";
import { allOperations, type Operation } from "../contract/operations.ts";
import type { ApiKey } from "../keys/keys.ts";
import type { RateLimiter } from "../keys/rateLimiter.ts";
import type { UseRecorder } from "../keys/useRecorder.ts";
import type { Log } from "../log.ts";
import { type MaybePromise, then } from "../maybePromise.ts";
import { Problem } from "../problems.ts";
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  originOf,
} from "../wire/message.ts";
import type { PreparedResponse } from "../wire/preparedResponse.ts";
import { asProblem, errorText, type PlainAnswer, refusalHeaders } from "./answer.ts";
import { requireScope, tokenOf } from "./authorize.ts";
import { readBody } from "./body.ts";
import { CacheLookup, type CacheParts } from "./cacheLookup.ts";
import { conditionally, tagged } from "./conditional.ts";
import { corsHeaders, isPreflight, preflightResponse } from "./cors.ts";
import type { Call, Handlers } from "./handlers.ts";
import { AttemptsUnderWay, fingerprint, readMark } from "./idempotency.ts";
import { announcement, refuseRemoved } from "./lifecycle.ts";
import type { RequestMetrics } from "./metrics.ts";
import { applied, asksForStrict } from "./prefer.ts";
import { asksForProblemJson, problemText } from "./problemJson.ts";
import { readQuery } from "./query.ts";
import { quotaHeaders, refuseBeyondQuota } from "./quota.ts";
import { givenRequestId, requestIds } from "./requestId.ts";
import { notAllowed, type PathParameters, route } from "./route.ts";

export interface AppParts extends CacheParts {
  readonly handlers: Handlers;
  readonly uses: UseRecorder;
  /** Undefined where requests are not limited. */
  readonly limiter: RateLimiter | undefined;
  readonly log: Log;
  readonly metrics: RequestMetrics;
  /** The configured base address; without one, addresses follow the Host of the request. */
  readonly baseUrl: string | undefined;
  /** The contract as JSON, public. */
  readonly contract: () => string;
  /** Answers where the host is a site's, which has nothing of the API; else undefined. */
  readonly sites?: ((request: HttpRequest) => MaybePromise<HttpResponse> | undefined) | undefined;
  /** Answers what is not under `/v1`: health, documentation. */
  readonly outside: (request: HttpRequest) => MaybePromise<HttpResponse>;
}

/** What is known of a request so far; the log and the metrics read it when it is answered. */
interface Exchange {
  readonly request: HttpRequest;
  readonly method: string;
  readonly base: string;
  readonly startedMs: number;
  readonly givenId: string | undefined;
  /** Of the pets, from before anything of them was read. */
  petsRevision: number;
  operation: Operation | undefined;
  /** Headers that the operation puts on every answer, refusals too. */
  announced: Readonly<Record<string, string>> | undefined;
  /** What is left of the key's quota, where there is one. */
  quota: Record<string, string> | undefined;
  keyId: string | undefined;
}

/** What the log and the metrics know of a request. */
type Noted = Pick<Exchange, "method" | "operation" | "keyId" | "startedMs">;

/** The same of one that was answered before. */
interface Given extends Noted {
  readonly request: HttpRequest;
  readonly operation: Operation;
  readonly keyId: string;
}

type AnyHandler = (input: unknown, call: Call) => MaybePromise<PlainAnswer>;

const prefix = "/v1";
const jsonType = { "content-type": "application/json" } as const;

export function createApp(parts: AppParts): Required<Pick<HttpHandler, "handle" | "cached">> {
  const { authenticator, clock, limiter, log, metrics, uses } = parts;
  const handlers = parts.handlers as unknown as Readonly<Record<OperationId, AnyHandler>>;
  const nextId = requestIds(clock);
  const attempts = new AttemptsUnderWay();
  const cache = new CacheLookup(parts);
  // A quota has to be counted, and its headers are another for each request.
  const isCacheable = ({ method }: HttpRequest) => method === "GET" && limiter === undefined;
  const announcements = new Map(
    allOperations.flatMap(({ id, lifecycle }) =>
      lifecycle === undefined ? [] : [[id, announcement(lifecycle)] as const],
    ),
  );

  function handle(request: HttpRequest): MaybePromise<HttpResponse> {
    const startedMs = clock.elapsed();
    const cached = isCacheable(request) ? serveCached(request, startedMs) : undefined;
    return cached ?? handleUncached(request, startedMs);
  }

  function handleUncached(request: HttpRequest, startedMs: number): MaybePromise<HttpResponse> {
    const site = parts.sites?.(request);
    if (site !== undefined) return site;
    if (!isUnder(request.path)) return parts.outside(request);
    if (isPreflight(request)) return preflightResponse;
    const exchange = begin(request, startedMs);
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

  function begin(request: HttpRequest, startedMs: number): Exchange {
    return {
      request,
      method: request.method,
      base: parts.baseUrl ?? `${originOf(request)}${prefix}`,
      startedMs,
      givenId: givenRequestId(request),
      petsRevision: 0,
      operation: undefined,
      announced: undefined,
      quota: undefined,
      keyId: undefined,
    };
  }

  function serveCached(
    request: HttpRequest,
    startedMs: number,
  ): MaybePromise<HttpResponse> | undefined {
    const hit = cache.find(request);
    if (hit === undefined) return undefined;
    const { response, operation, keyId, asksFreshness } = hit;
    const noted = { method: request.method, request, operation, keyId, startedMs };
    const give = () => {
      noteCached(noted);
      return response;
    };
    return asksFreshness === undefined
      ? give()
      : asksFreshness().then(
          (isFresh) => (isFresh ? give() : handleUncached(request, startedMs)),
          (cause) => refuse(noted, cause),
        );
  }

  function cached(text: string): PreparedResponse | undefined {
    const startedMs = clock.elapsed();
    const hit = cache.findByText(text);
    if (hit === undefined) return undefined;
    const { prepared, operation, keyId } = hit;
    noteCached({ method: "GET", operation, keyId, startedMs });
    return prepared;
  }

  function noteCached(noted: Noted & Pick<Given, "operation" | "keyId">): void {
    uses.count(noted.keyId, noted.operation.id);
    note(noted, 200);
  }

  /** The store was asked whether an answer stands, and did not say: it would not later either. */
  function refuse({ request, operation, keyId, startedMs }: Given, cause: unknown): HttpResponse {
    uses.count(keyId, operation.id);
    const exchange = begin(request, startedMs);
    exchange.operation = operation;
    exchange.keyId = keyId;
    const path = route(request.path.slice(prefix.length))?.path;
    exchange.announced = path && announcements.get(operation.id)?.(exchange.base, path);
    return fail(exchange, cause);
  }

  function answer(exchange: Exchange): MaybePromise<PlainAnswer> {
    const { request } = exchange;
    if (request.path === `${prefix}/openapi.json`) return contractAnswer(request.method);
    // First of all, on unknown paths too: without a key nothing is learnt of what exists.
    const token = tokenOf(request);
    const revisions = parts.revisions();
    exchange.petsRevision = revisions.pets;
    return then(authenticator.check(token, revisions.keys), (key) => {
      exchange.keyId = key.id;
      return limiter === undefined ? operate(exchange, key) : operateWithin(limiter, exchange, key);
    });
  }

  function operateWithin(limiter: RateLimiter, exchange: Exchange, key: ApiKey) {
    return then(limiter.take(key.id), (verdict) => {
      exchange.quota = quotaHeaders(limiter, verdict);
      refuseBeyondQuota(verdict);
      return then(operate(exchange, key), (plain) => {
        // What the client has already costs it nothing.
        if (plain.status !== 304) return plain;
        return then(limiter.giveBack(key.id), (left) => {
          exchange.quota = quotaHeaders(limiter, left);
          return plain;
        });
      });
    });
  }

  function operate(exchange: Exchange, key: ApiKey): MaybePromise<PlainAnswer> {
    const { base, request } = exchange;
    const found = route(request.path.slice(prefix.length));
    if (found === undefined) throw new Problem("path_not_found");
    const { place, path } = found;
    const method = request.method === "HEAD" ? "GET" : request.method;
    const operation = place.operations.get(method);
    if (operation === undefined) throw notAllowed(place.methods);
    exchange.operation = operation;
    exchange.announced = announcements.get(operation.id)?.(base, path);
    uses.count(key.id, operation.id);
    requireScope(key, operation.scope);
    refuseRemoved(operation, clock.now());

    const strict = asksForStrict(request);
    const query = readQuery(operation, request.query.slice(1), strict);
    const answered =
      method === "GET"
        ? read(exchange, operation, path, query, strict)
        : write(exchange, operation, path, query, key, strict);
    return strict ? then(answered, applied) : answered;
  }

  function read(
    exchange: Exchange,
    operation: Operation,
    path: PathParameters,
    query: unknown,
    strict: boolean,
  ): MaybePromise<PlainAnswer> {
    const { base, request } = exchange;
    const handler = handlers[operation.id];
    const answered = handler({ path, query, body: undefined }, { base, once: undefined });
    return then(answered, (made) => {
      const plain = tagged(made);
      const { dependsOn } = made;
      if (dependsOn && !strict && isCacheable(request)) {
        const { announced, petsRevision } = exchange;
        cache.add(request, operation, petsRevision, dependsOn, () => ({
          status: 200,
          headers: headersOf(plain, announced),
          body: made.body as string,
        }));
      }
      return conditionally(request, plain);
    });
  }

  async function write(
    { request, base }: Exchange,
    operation: Operation,
    path: PathParameters,
    query: unknown,
    key: ApiKey,
    strict: boolean,
  ): Promise<PlainAnswer> {
    const mark = readMark(request);
    const body = operation.body && (await readBody(request, operation.body, strict));
    const handler = handlers[operation.id];
    if (mark === undefined) return handler({ path, query, body }, { base, once: undefined });
    const once = {
      keyId: key.id,
      mark,
      fingerprint: fingerprint(operation.id, path, body),
      nowMs: clock.now(),
    };
    return attempts.run(once, () => handler({ path, query, body }, { base, once }));
  }

  function contractAnswer(method: string): PlainAnswer {
    if (method !== "GET" && method !== "HEAD") throw notAllowed("GET, HEAD");
    // For every origin alike, since a shared cache may keep it.
    const headers = { ...corsHeaders, "cache-control": "public, max-age=60" };
    return { status: 200, body: parts.contract(), headers };
  }

  function fail(exchange: Exchange, thrown: unknown): HttpResponse {
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
    const { request, base } = exchange;
    const headers = refusalHeaders(problem);
    const { status } = problem;
    if (!asksForProblemJson(request)) {
      return finish(exchange, { status, body: errorText(problem), headers }, id);
    }
    headers["content-type"] = "application/problem+json";
    return finish(exchange, { status, body: problemText(problem, base), headers }, id);
  }

  function finish(exchange: Exchange, plain: PlainAnswer, id = exchange.givenId): HttpResponse {
    const { quota, request } = exchange;
    const headers = headersOf(plain, exchange.announced);
    if (quota !== undefined) Object.assign(headers, quota);
    if (id !== undefined) headers["x-request-id"] = id;
    if (request.header("origin") !== undefined) Object.assign(headers, corsHeaders);
    note(exchange, plain.status, id);
    return { status: plain.status, headers, body: plain.body };
  }

  /** Measures and logs a request, once, when its answer is known. */
  function note({ method, operation, keyId, startedMs }: Noted, status: number, id?: string) {
    const durationMs = clock.elapsed() - startedMs;
    metrics.observe(operation?.id, status, durationMs / 1000);
    if (!log.writes("info")) return;
    log.info("request", {
      id: id ?? nextId(),
      method,
      path: operation?.path,
      operation: operation?.id,
      status,
      durationMs: Math.round(durationMs * 1000) / 1000,
      key: keyId,
    });
  }

  return { handle, cached };
}

function isUnder(path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === "/");
}

function headersOf(
  { body, headers }: PlainAnswer,
  announced: Exchange["announced"],
): Record<string, string> {
  return { ...(body === undefined ? {} : jsonType), ...headers, ...announced };
}
