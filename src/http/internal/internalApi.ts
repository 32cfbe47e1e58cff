/**
 * The API of the dashboard and of deploy scripts, under /internal/v1 on the service's own origin. It
 * is no part of the public contract and changes with the dashboard.
 */
import type { AccessStore } from "../../access/access.ts";
import type { Clock } from "../../clock.ts";
import type { Actor, DomainDesk } from "../../domains/desk.ts";
import { inJson } from "../../domains/inJson.ts";
import { DeskRefusal, deskRefusals } from "../../domains/refusal.ts";
import type { Log } from "../../log.ts";
import type { SiteStore } from "../../sites/sites.ts";
import { type HttpRequest, type HttpResponse, originOf } from "../../wire/message.ts";
import { asProblem, refusalHeaders } from "../answer.ts";
import { readBody } from "../body.ts";
import { DashboardRefusal, dashboardRefusals } from "../dashboardApi/refusal.ts";
import { requestIds } from "../requestId.ts";
import { type Authenticate, byAccessToken } from "./authenticate.ts";
import { base } from "./base.ts";
import { domainPlaces } from "./domains.ts";
import { EventStreams } from "./eventStreams.ts";
import { isOwnOrigin } from "./origin.ts";
import { handlerOf, type InternalAnswer, joinPlaces, type Places, placeOf } from "./places.ts";
import { InternalRefusal, internalRefusals } from "./refusal.ts";

export interface InternalParts {
  readonly desk: DomainDesk;
  readonly sites: SiteStore;
  readonly access: AccessStore;
  readonly clock: Clock;
  readonly log: Log;
  /** The configured base address of the public API, whose origin is ours too. */
  readonly baseUrl: string | undefined;
  readonly leaving: () => boolean;
  /** By access tokens unless said. */
  readonly authenticate?: Authenticate;
  /** Further places, beside those of domains. */
  readonly places?: Places;
}

/** What is known of a request so far, for the log. */
interface Exchange {
  readonly request: HttpRequest;
  place: string | undefined;
  actor: Actor | undefined;
}

export function createInternalApi(parts: InternalParts) {
  const { clock, log } = parts;
  const authenticate = parts.authenticate ?? byAccessToken(parts.access);
  const streams = new EventStreams({
    clock,
    leaving: parts.leaving,
    failed: (cause) => log.error("internal.streamFailed", { cause }),
  });
  const places = joinPlaces(domainPlaces({ ...parts, streams }), parts.places ?? {});
  const nextId = requestIds(clock);
  const configured = parts.baseUrl === undefined ? [] : [new URL(parts.baseUrl).origin];

  async function answer(exchange: Exchange): Promise<HttpResponse> {
    const { request } = exchange;
    if (!isOwnOrigin(request, [originOf(request), ...configured])) {
      throw new InternalRefusal("forbidden");
    }
    const actor = await authenticate(request);
    if (actor === undefined) throw new InternalRefusal("unauthorized");
    exchange.actor = actor;
    const place = placeOf(places, request.path.slice(base.length));
    exchange.place = place.template;
    const answered = await handlerOf(
      place,
      request.method,
    )({
      actor,
      path: place.path,
      query: new URLSearchParams(request.query),
      request,
      body: async () => readBody(request, (value) => value, false),
      stillKnown: async () => isSame(await authenticate(request), actor),
      signal: request.signal,
    });
    return responseOf(answered);
  }

  function refuse({ place }: Exchange, thrown: unknown): HttpResponse {
    const refusal = refusalOf(thrown);
    const { status, code, message, headers } = refusal;
    const body = { code, message, status };
    if (status < 500 || thrown instanceof DeskRefusal) {
      return responseOf({ status, body, headers });
    }
    const id = nextId();
    log.error("internal.failed", { id, place, code, cause: thrown });
    return responseOf({ status, body, headers: { ...headers, "x-request-id": id } });
  }

  return async (request: HttpRequest): Promise<HttpResponse> => {
    const startedMs = clock.elapsed();
    const exchange: Exchange = { request, place: undefined, actor: undefined };
    const response = await answer(exchange).catch((thrown) => refuse(exchange, thrown));
    const { actor, place } = exchange;
    log.info("internal.request", {
      method: request.method,
      place,
      status: response.status,
      client: request.client,
      durationMs: Math.round((clock.elapsed() - startedMs) * 1000) / 1000,
      actor: actor?.kind === "owner" ? `owner ${actor.id}` : actor?.kind,
    });
    return response;
  };
}

function isSame(one: Actor | undefined, other: Actor): boolean {
  if (one?.kind !== other.kind) return false;
  return one.kind === "operator" || (other.kind === "owner" && one.id === other.id);
}

interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whatever has no name is a fault of ours, and nothing of it reaches the client. */
function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof DeskRefusal) {
    const { code, message, retryAfterSeconds } = thrown;
    const headers: Record<string, string> =
      retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
    return { code, status: deskRefusals[code], message, headers };
  }
  if (thrown instanceof DashboardRefusal) {
    const { code, message } = thrown;
    return { code, status: dashboardRefusals[code], message, headers: {} };
  }
  if (thrown instanceof InternalRefusal) {
    const { code, message } = thrown;
    const { status } = internalRefusals[code];
    return { code, status, message, headers: ownHeaders[code] };
  }
  const problem = asProblem(thrown);
  const { code, status, message } = problem;
  return { code, status, message, headers: refusalHeaders(problem) };
}

const ownHeaders = {
  unauthorized: { "www-authenticate": 'Bearer realm="petstore-internal"' },
  forbidden: {},
  streams_exhausted: { "retry-after": "5" },
} as const satisfies Record<string, Record<string, string>>;

/** Nothing here may be kept by a cache, or be read as something else than it is. */
const everyAnswer = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

function responseOf({ status, body, headers, stream }: InternalAnswer): HttpResponse {
  if (body === undefined) return { status, headers: { ...headers, ...everyAnswer }, body: stream };
  return {
    status,
    headers: { ...headers, ...everyAnswer, "content-type": "application/json" },
    body: JSON.stringify(inJson(body)),
  };
}
