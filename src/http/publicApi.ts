/** The API of the contract: keys and quotas, conditional reads, idempotent writes. */

import { hash } from "node:crypto";
import { withOrigin } from "../audit/origin.ts";
import { allOperations, type Operation, type OperationId } from "../contract/operations.ts";
import { type MaybePromise, then } from "../core/maybePromise.ts";
import { Problem } from "../core/problems.ts";
import type { IdempotentRequest } from "../petstore/idempotency/idempotency.ts";
import type { ApiKey } from "../petstore/keys/keys.ts";
import type { RateLimiter, Verdict } from "../petstore/keys/rateLimiter.ts";
import type { UseRecorder } from "../petstore/keys/useRecorder.ts";
import { type HttpRequest, originOf, type RequestHeaders } from "../wire/message.ts";
import { requireScope, tokenOf } from "./authorize.ts";
import { announcement, refuseRemoved } from "./deprecation.ts";
import type { Call, Handlers } from "./handlers.ts";
import {
  applied,
  asksForCount,
  asksForStrict,
  conditionally,
  corsHeaders,
  ifMatchOf,
  originOfRequest,
  requestIds,
  tagged,
} from "./headers.ts";
import type { RequestMetrics } from "./metrics.ts";
import type { Api, Exchange, ReadInput } from "./pipeline.ts";
import type { CacheLookup, CacheParts } from "./responseCache.ts";
import { type HandlerResponse, prefersOverJson, problemText, refusalHeaders } from "./responses.ts";
import { notAllowed, type PathParameters, publicPrefix } from "./routes.ts";

export interface PublicApiParts extends CacheParts {
  readonly handlers: Handlers;
  readonly uses: UseRecorder;
  /** Undefined if requests are not limited. */
  readonly limiter: RateLimiter | undefined;
  readonly metrics: RequestMetrics;
  /** The configured base URL; without one, links use the Host of the request. */
  readonly baseUrl: string | undefined;
  /** The contract as JSON, public. */
  readonly contract: () => MaybePromise<string>;
}

type PublicExchange = Exchange<OperationId>;

interface Caller {
  readonly key: ApiKey;
  /** The revision of the pets before any of them was read. */
  readonly petsRevision: number;
}

/** The bulk of the writes, which are events and no entries of the audit log. */
const notAudited: ReadonlySet<OperationId> = new Set(["createPet", "placeOrder"]);

type AnyHandler = (input: ReadInput, call: Call) => MaybePromise<HandlerResponse>;

const announcements = new Map(
  allOperations.flatMap(({ id, lifecycle }) =>
    lifecycle === undefined ? [] : [[id, announcement(lifecycle)] as const],
  ),
);

/** Headers that announce the removal of a deprecated operation. */
export function announced(
  id: OperationId,
  base: string,
  path: PathParameters,
): Record<string, string> | undefined {
  return announcements.get(id)?.(base, path);
}

export class PublicApi implements Api<OperationId, Caller> {
  readonly prefix = publicPrefix;
  readonly operations = allOperations;
  readonly head = true;
  readonly callerField = "key";
  readonly metrics: RequestMetrics;
  readonly limit: Api<OperationId, Caller>["limit"];
  readonly settle: Api<OperationId, Caller>["settle"];
  readonly #parts: PublicApiParts;
  readonly #cache: CacheLookup;
  readonly #handlers: Readonly<Record<OperationId, AnyHandler>>;
  readonly #inFlight = new Set<string>();
  readonly #nextId: () => string;

  constructor(parts: PublicApiParts, cache: CacheLookup) {
    const { limiter } = parts;
    this.#parts = parts;
    this.#nextId = requestIds(parts.clock);
    this.#cache = cache;
    this.#handlers = parts.handlers as unknown as Readonly<Record<OperationId, AnyHandler>>;
    this.metrics = parts.metrics;
    this.limit = limiter && ((exchange, { key }) => takeQuota(limiter, exchange, key));
    // A 304 does not count against the quota.
    this.settle =
      limiter &&
      ((exchange, { key }, { status }) =>
        status === 304 ? giveQuotaBack(limiter, exchange, key) : undefined);
  }

  baseOf(request: HttpRequest): string {
    return this.#parts.baseUrl ?? `${originOf(request)}${publicPrefix}`;
  }

  isStrict(request: HttpRequest): boolean {
    return asksForStrict(request);
  }

  respondOpenly({ request }: PublicExchange): MaybePromise<HandlerResponse> | undefined {
    if (request.path !== `${publicPrefix}/openapi.json`) return undefined;
    if (request.method !== "GET" && request.method !== "HEAD") throw notAllowed("GET, HEAD");
    // The same for every origin, since a shared cache may store it.
    const headers = { ...corsHeaders, "cache-control": "public, max-age=60" };
    return then(this.#parts.contract(), (body) => ({ status: 200, body, headers }));
  }

  authenticate(exchange: PublicExchange): MaybePromise<Caller> {
    const { authenticator, revisions } = this.#parts;
    const token = tokenOf(exchange.request);
    const { keys, pets: petsRevision } = revisions();
    return then(authenticator.check(token, keys), (key) => {
      exchange.callerId = key.id;
      return { key, petsRevision };
    });
  }

  authorize(exchange: PublicExchange, { key }: Caller, operation: Operation): void {
    const { uses, clock } = this.#parts;
    const own = announced(operation.id, exchange.base, exchange.match?.path ?? {});
    if (own !== undefined) exchange.headers = Object.assign(own, exchange.headers);
    uses.count(key.id, operation.id);
    requireScope(key, operation.scope);
    refuseRemoved(operation, clock.now());
    // Before the body is read.
    if (operation.method !== "GET") readIdempotencyKey(exchange.request);
  }

  handle(
    exchange: PublicExchange,
    caller: Caller,
    operation: Operation,
    input: ReadInput,
  ): MaybePromise<HandlerResponse> {
    const handled =
      operation.method === "GET"
        ? this.#read(exchange, caller, operation, input)
        : this.#audited(exchange, caller, operation, () =>
            this.#write(exchange, caller, operation, input),
          );
    return exchange.strict ? then(handled, applied) : handled;
  }

  #read(
    { base, headers, request, strict }: PublicExchange,
    { key, petsRevision }: Caller,
    operation: Operation,
    input: ReadInput,
  ): MaybePromise<HandlerResponse> {
    const countsAll = asksForCount(request);
    const stream = asksForStream(request, operation)
      ? { holder: key.id, stillKnown: () => this.#isStillKnown(request), request }
      : undefined;
    const handled = this.#handlers[operation.id](input, { base, key, countsAll, stream });
    return then(handled, (made) => {
      if (stream !== undefined) return made;
      const response = tagged(made);
      const { dependsOn } = made;
      if (dependsOn && !strict && !countsAll && this.isCacheable(request)) {
        this.#cache.add(request, operation, petsRevision, dependsOn, () => ({
          status: 200,
          headers: { "content-type": "application/json", ...response.headers, ...headers },
          body: made.body as string,
        }));
      }
      return conditionally(request, response);
    });
  }

  /** Whether the key of a request is still valid, with its scopes, which never change. */
  async #isStillKnown(request: HttpRequest): Promise<boolean> {
    const { authenticator, revisions } = this.#parts;
    try {
      await authenticator.check(tokenOf(request), revisions().keys);
      return true;
    } catch (cause) {
      if (cause instanceof Problem && cause.status === 401) return false;
      throw cause;
    }
  }

  #audited<T>(exchange: PublicExchange, { key }: Caller, { id }: Operation, write: () => T): T {
    if (notAudited.has(id)) return write();
    exchange.id ??= this.#nextId();
    return withOrigin(originOfRequest(exchange.request, `keys/${key.id}`, exchange.id), write);
  }

  #write(
    { base, request }: PublicExchange,
    { key }: Caller,
    operation: Operation,
    input: ReadInput,
  ): MaybePromise<HandlerResponse> {
    const handler = this.#handlers[operation.id];
    const idempotencyKey = readIdempotencyKey(request);
    const ifMatch = operation.method === "POST" ? undefined : ifMatchOf(request);
    if (idempotencyKey === undefined) return handler(input, { base, key, ifMatch });
    const idempotency = {
      keyId: key.id,
      idempotencyKey,
      fingerprint: fingerprint(operation.id, input.path, input.body),
      nowMs: this.#parts.clock.now(),
    };
    return this.#writeOnce(idempotency, () => handler(input, { base, key, idempotency, ifMatch }));
  }

  /** Refuses a repetition while the first is in flight here; the store settles all other cases. */
  async #writeOnce<T>(
    { keyId, idempotencyKey }: IdempotentRequest,
    write: () => MaybePromise<T>,
  ): Promise<T> {
    const name = `${keyId} ${idempotencyKey}`;
    if (this.#inFlight.has(name)) {
      throw new Problem("idempotency_in_flight", { retryAfterSeconds: 1 });
    }
    this.#inFlight.add(name);
    try {
      return await write();
    } finally {
      this.#inFlight.delete(name);
    }
  }

  /** Not with a quota: each request has to be counted, and its headers differ. */
  isCacheable({ method }: HttpRequest): boolean {
    return method === "GET" && this.#parts.limiter === undefined;
  }

  errorResponse(problem: Problem, { base, request }: PublicExchange): HandlerResponse | undefined {
    if (!prefersOverJson(request, "application/problem+json")) return undefined;
    const headers = { ...refusalHeaders(problem), "content-type": "application/problem+json" };
    return { status: problem.status, body: problemText(problem, base), headers };
  }

  headersFor(request: HttpRequest): Readonly<Record<string, string>> | undefined {
    return request.header("origin") === undefined ? undefined : corsHeaders;
  }
}

/** A HEAD has the headers of the plain list. */
function asksForStream(request: HttpRequest, { id }: Operation): boolean {
  return (
    id === "listEvents" && request.method === "GET" && prefersOverJson(request, "text/event-stream")
  );
}

function takeQuota(limiter: RateLimiter, exchange: PublicExchange, key: ApiKey) {
  return then(limiter.take(key.id), (verdict) => {
    exchange.headers = quotaHeaders(limiter, verdict);
    const { allowed, secondsUntilNext } = verdict;
    if (allowed) return;
    const unit = secondsUntilNext === 1 ? "second" : "seconds";
    throw new Problem("rate_limited", {
      detail: `This API key has exceeded its quota of requests. Try again in ${secondsUntilNext} ${unit}.`,
      retryAfterSeconds: secondsUntilNext,
    });
  });
}

function giveQuotaBack(limiter: RateLimiter, exchange: PublicExchange, key: ApiKey) {
  return then(limiter.giveBack(key.id), (left) => {
    exchange.headers = { ...exchange.headers, ...quotaHeaders(limiter, left) };
  });
}

/** The RateLimit fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers). */
function quotaHeaders({ quota }: RateLimiter, verdict: Verdict): Record<string, string> {
  return {
    "ratelimit-policy": `"default";q=${quota.requests};w=${quota.windowSeconds}`,
    ratelimit: `"default";r=${verdict.remaining};t=${verdict.secondsUntilWhole}`,
  };
}

const idempotencyKeyForm = /^[!-~]{1,255}$/;

/** Undefined if the client sent none. */
function readIdempotencyKey(request: RequestHeaders): string | undefined {
  const idempotencyKey = request.header("idempotency-key");
  if (idempotencyKey === undefined) return undefined;
  if (idempotencyKeyForm.test(idempotencyKey)) return idempotencyKey;
  throw new Problem("parameter_invalid", {
    detail: "Idempotency-Key must be 1 to 255 visible ASCII characters without spaces.",
  });
}

/** Equal for equivalent requests, regardless of the formatting of their JSON. */
function fingerprint(operation: OperationId, path: unknown, body: unknown): string {
  const asked = JSON.stringify([operation, path, body], (_name, value) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
  return hash("sha256", asked, "base64url");
}
