/** What the port of the service serves: sites, the public API and the routes beside it. */
import type { OperationId } from "../contract/operations.ts";
import type { Log } from "../core/log.ts";
import type { MaybePromise } from "../core/maybePromise.ts";
import type { Tracer } from "../core/tracing.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "../wire/message.ts";
import type { PreparedResponse } from "../wire/response.ts";
import { isPreflight, preflightResponse } from "./headers.ts";
import { type Noted, Pipeline } from "./pipeline.ts";
import { announced, PublicApi, type PublicApiParts } from "./publicApi.ts";
import { type CacheHit, CacheLookup } from "./responseCache.ts";
import { isUnder, publicPrefix } from "./routes.ts";

export interface AppParts extends PublicApiParts {
  readonly log: Log;
  readonly tracer?: Tracer | undefined;
  /** Responds if the host is a site's, which does not serve the API; otherwise undefined. */
  readonly sites?: ((request: HttpRequest) => MaybePromise<HttpResponse> | undefined) | undefined;
  /** Responds to what is not under `/v1`: health, documentation. */
  readonly publicRoutes: (request: HttpRequest) => MaybePromise<HttpResponse>;
}

type NotedHit = Noted<OperationId> & {
  readonly operation: CacheHit["operation"];
  readonly callerId: string;
};

export function createApp(parts: AppParts): Required<Pick<HttpHandler, "handle" | "cached">> {
  const { clock, uses } = parts;
  const cache = new CacheLookup(parts);
  const api = new PublicApi(parts, cache);
  const pipeline = new Pipeline(api, parts);

  function handle(request: HttpRequest): MaybePromise<HttpResponse> {
    const startedMs = clock.elapsed();
    const cached = api.isCacheable(request) ? serveCached(request, startedMs) : undefined;
    return cached ?? handleUncached(request, startedMs);
  }

  function handleUncached(request: HttpRequest, startedMs: number): MaybePromise<HttpResponse> {
    const site = parts.sites?.(request);
    if (site !== undefined) return site;
    if (!isUnder(publicPrefix, request.path)) return parts.publicRoutes(request);
    if (isPreflight(request)) return preflightResponse;
    return pipeline.handle(request, startedMs);
  }

  function serveCached(
    request: HttpRequest,
    startedMs: number,
  ): MaybePromise<HttpResponse> | undefined {
    const hit = cache.find(request);
    if (hit === undefined) return undefined;
    const { response, operation, keyId: callerId, asksFreshness } = hit;
    const give = () => {
      noteCached({ request, operation, callerId, startedMs });
      return response;
    };
    return asksFreshness === undefined
      ? give()
      : asksFreshness().then(
          (isFresh) => (isFresh ? give() : handleUncached(request, startedMs)),
          (cause) => refuseCached(request, startedMs, hit, cause),
        );
  }

  function cached(text: string, client: string | undefined): PreparedResponse | undefined {
    const startedMs = clock.elapsed();
    const hit = cache.findByText(text);
    if (hit === undefined) return undefined;
    const { prepared, operation, keyId: callerId } = hit;
    noteCached({ request: { method: "GET", client }, operation, callerId, startedMs });
    return prepared;
  }

  function noteCached(noted: NotedHit): void {
    uses.count(noted.callerId, noted.operation.id);
    pipeline.note(noted, 200);
  }

  /** The store failed when it was asked whether a response is fresh: it would fail again. */
  function refuseCached(
    request: HttpRequest,
    startedMs: number,
    { operation, keyId }: CacheHit,
    cause: unknown,
  ): HttpResponse {
    uses.count(keyId, operation.id);
    const exchange = pipeline.begin(request, startedMs);
    exchange.operation = operation;
    exchange.callerId = keyId;
    exchange.headers = announced(operation.id, exchange.base, exchange.match?.path ?? {});
    return pipeline.refuse(exchange, cause);
  }

  return { handle, cached };
}
