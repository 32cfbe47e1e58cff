/** The part of the dashboard's API by which people come in. */
import type { KnownSession } from "../../accounts/accounts.ts";
import type { AccountDesk } from "../../accounts/desk.ts";
import { AccountRefusal, accountRefusals } from "../../accounts/refusal.ts";
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import { type MaybePromise, then } from "../../maybePromise.ts";
import { Problem } from "../../problems.ts";
import type { SiteStore } from "../../sites/sites.ts";
import { type HttpRequest, type HttpResponse, originOf } from "../../wire/message.ts";
import { asProblem, refusalHeaders } from "../answer.ts";
import { readBody } from "../body.ts";
import type { Authenticate } from "../internal/authenticate.ts";
import { base } from "../internal/base.ts";
import { isOwnOrigin } from "../internal/origin.ts";
import { InternalRefusal, internalRefusals } from "../internal/refusal.ts";
import { requestIds } from "../requestId.ts";
import { clientNetwork } from "./clientNetwork.ts";
import { clearedCookie, sessionCookie, tokenIn, tokensIn } from "./cookie.ts";
import { type SessionAnswer, type SessionHandler, sessionHandlers } from "./handlers.ts";
import { comesFromOwnPage } from "./provenance.ts";

export interface SessionApiParts {
  readonly desk: AccountDesk;
  readonly sites: Pick<SiteStore, "owner">;
  readonly clock: Clock;
  readonly log: Log;
  /** The configured base address of the public API, whose origin is ours too. */
  readonly baseUrl: string | undefined;
  /** How programs say who they are. */
  readonly byToken: Authenticate;
}

export interface SessionApi {
  /** Undefined where the path is none of these. */
  handle(request: HttpRequest): Promise<HttpResponse> | undefined;
  /** Who is signed in. A cookie says nothing on a request that may be of another origin's page. */
  sessionActor: Authenticate;
  /** By the session, and where there is none by an access token. */
  authenticate: Authenticate;
}

interface Place {
  readonly template: string;
  readonly handlers: Readonly<Record<string, SessionHandler>>;
  readonly parameter: string;
}

export const dashboardPath = "/dashboard/";
/** What a program with an access token may ask for too. */
const forPrograms = "/owners/{owner}/invite";

export function createSessionApi(parts: SessionApiParts): SessionApi {
  const { desk, clock, log } = parts;
  const places = placesOf(sessionHandlers(parts));
  const nextId = requestIds(clock);
  const configured = parts.baseUrl === undefined ? undefined : new URL(parts.baseUrl).origin;
  /** A stream asks again and again who is there, and nobody may be: it counts as one use. */
  const counted = new WeakSet<HttpRequest>();

  const ownOrigins = (request: HttpRequest) =>
    [originOf(request), configured].filter((each) => each !== undefined && each !== "") as string[];
  const isSecure = (request: HttpRequest) =>
    ownOrigins(request).some((each) => each.startsWith("https:"));

  function knownSession(request: HttpRequest): MaybePromise<KnownSession | undefined> {
    const token = tokenIn(request, isSecure(request));
    if (token === undefined || !comesFromOwnPage(request, ownOrigins(request))) return undefined;
    const using = !counted.has(request);
    counted.add(request);
    return desk.recognise(token, using);
  }

  /** Those of every cookie, where there are two of the name. None of them is in use by that. */
  async function shownSessions(request: HttpRequest) {
    const known = tokensIn(request, isSecure(request)).map((token) => desk.recognise(token, false));
    return (await Promise.all(known)).filter((each) => each !== undefined);
  }

  const sessionActor: Authenticate = (request) =>
    then(knownSession(request), (known) => known?.holder);

  const authenticate: Authenticate = (request) =>
    then(sessionActor(request), (actor) => actor ?? parts.byToken(request));

  function refuseStrangers(request: HttpRequest, { template }: Place): void {
    const own = ownOrigins(request);
    const ours =
      template === forPrograms ? isOwnOrigin(request, own) : comesFromOwnPage(request, own);
    if (!ours) throw new InternalRefusal("forbidden");
  }

  async function answer(request: HttpRequest, place: Place): Promise<SessionAnswer> {
    refuseStrangers(request, place);
    const handler = handlerOf(place, request.method);
    const visitor = {
      address: clientNetwork(request.client),
      agent: request.header("user-agent") ?? "",
    };
    const session = await knownSession(request);
    return handler({
      parameter: place.parameter,
      body: async () => readBody(request, (value) => value, false),
      visitor,
      session,
      shown: () => shownSessions(request),
      actor: session?.holder ?? (await parts.byToken(request)),
      dashboard: `${configured ?? originOf(request)}${dashboardPath}`,
    });
  }

  function refuse({ template }: Place, thrown: unknown): HttpResponse {
    const { code, status, message, headers } = refusalOf(thrown);
    const body = { code, message, status };
    if (status < 500 || thrown instanceof AccountRefusal) return response(status, body, headers);
    const id = nextId();
    log.error("internal.failed", { id, place: template, code, cause: thrown });
    return response(status, body, { ...headers, "x-request-id": id });
  }

  async function respond(request: HttpRequest, place: Place): Promise<HttpResponse> {
    const startedMs = clock.elapsed();
    const answered = await answer(request, place).then(
      ({ status, body, cookie }) =>
        response(status, body, cookie ? cookieHeader(cookie, isSecure(request)) : {}),
      (thrown) => refuse(place, thrown),
    );
    log.info("internal.request", {
      method: request.method,
      place: place.template,
      status: answered.status,
      client: request.client,
      durationMs: Math.round((clock.elapsed() - startedMs) * 1000) / 1000,
    });
    return answered;
  }

  return {
    handle(request) {
      const place = places(request.path);
      return place && respond(request, place);
    },
    sessionActor,
    authenticate,
  };
}

/** Finds the handlers of a path. */
function placesOf(handlers: Readonly<Record<string, Place["handlers"]>>) {
  const known = Object.entries(handlers).map(([template, methods]) => {
    const form = new RegExp(`^${base}${template.replace(/\{\w+\}/, "([^/]+)")}$`);
    return { template, methods, form };
  });
  return (path: string): Place | undefined => {
    for (const { template, methods, form } of known) {
      const [whole, segment = ""] = form.exec(path) ?? [];
      if (whole !== undefined) return { template, handlers: methods, parameter: decoded(segment) };
    }
    return undefined;
  };
}

/** Empty, which names nothing, for what is no text. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}

function handlerOf({ handlers }: Place, method: string): SessionHandler {
  const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
  if (handler !== undefined) return handler;
  const allow = Object.keys(handlers).join(", ");
  const detail = `This path takes ${allow}.`;
  throw new Problem("method_not_allowed", { detail, headers: { allow } });
}

interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whatever has no name is a fault of ours, and nothing of it reaches the client. */
function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof AccountRefusal) {
    const { code, message, retryAfterSeconds: wait } = thrown;
    const status = accountRefusals[code];
    const headers = {
      ...(wait === undefined ? {} : { "retry-after": String(wait) }),
      ...(status === 401 ? { "www-authenticate": 'Bearer realm="petstore-internal"' } : {}),
    };
    return { code, status, message, headers };
  }
  if (thrown instanceof InternalRefusal) {
    const { code, message } = thrown;
    return { code, status: internalRefusals[code].status, message, headers: {} };
  }
  const problem = asProblem(thrown);
  const { code, status, message } = problem;
  return { code, status, message, headers: refusalHeaders(problem) };
}

function cookieHeader(cookie: NonNullable<SessionAnswer["cookie"]>, secure: boolean) {
  const text = cookie === "cleared" ? clearedCookie(secure) : sessionCookie(cookie.token, secure);
  return { "set-cookie": text };
}

function response(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  const everyAnswer = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  if (body === undefined) return { status, headers: { ...headers, ...everyAnswer } };
  return {
    status,
    headers: { ...headers, ...everyAnswer, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}
