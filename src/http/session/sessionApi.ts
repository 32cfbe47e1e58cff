/** The part of the dashboard's API by which people come in. */
import type { KnownSession } from "../../accounts/accounts.ts";
import type { AccountDesk } from "../../accounts/desk.ts";
import { AccountRefusal, accountRefusals } from "../../accounts/refusal.ts";
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import { type MaybePromise, then } from "../../maybePromise.ts";
import { Problem } from "../../problems.ts";
import type { SiteStore } from "../../sites/sites.ts";
import { type Address, addressOf } from "../address.ts";
import { asProblem, refusalHeaders } from "../answer.ts";
import { readBody } from "../body.ts";
import type { Authenticate } from "../internal/authenticate.ts";
import { base } from "../internal/base.ts";
import { isOwnOrigin } from "../internal/origin.ts";
import { InternalRefusal, internalRefusals } from "../internal/refusal.ts";
import { requestIds } from "../requestId.ts";
import { clientOf } from "./clientAddress.ts";
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
  /** The other end of the connection. */
  readonly peer: (request: Request) => string | undefined;
  /** How programs say who they are. */
  readonly byToken: Authenticate;
  readonly leaving: () => boolean;
}

export interface SessionApi {
  /** Undefined where the path is none of these. */
  handle(address: Address, request: Request): Promise<Response> | undefined;
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
  const counted = new WeakSet<Request>();

  const ownOrigins = ({ origin }: Address) =>
    [origin, configured].filter((each) => each !== undefined && each !== "") as string[];
  const isSecure = ({ origin }: Address) =>
    [origin, configured].some((each) => each?.startsWith("https:"));

  function knownSession(request: Request): MaybePromise<KnownSession | undefined> {
    const address = addressOf(request.url);
    const token = tokenIn(request.headers, isSecure(address));
    if (token === undefined || !comesFromOwnPage(request, ownOrigins(address))) return undefined;
    const using = !counted.has(request);
    counted.add(request);
    return desk.recognise(token, using);
  }

  /** Those of every cookie, where there are two of the name. None of them is in use by that. */
  async function shownSessions(address: Address, { headers }: Request) {
    const known = tokensIn(headers, isSecure(address)).map((token) => desk.recognise(token, false));
    return (await Promise.all(known)).filter((each) => each !== undefined);
  }

  const sessionActor: Authenticate = (request) =>
    then(knownSession(request), (known) => known?.holder);

  const authenticate: Authenticate = (request) =>
    then(sessionActor(request), (actor) => actor ?? parts.byToken(request));

  function refuseStrangers(address: Address, request: Request, { template }: Place): void {
    const own = ownOrigins(address);
    const ours =
      template === forPrograms ? isOwnOrigin(request.headers, own) : comesFromOwnPage(request, own);
    if (!ours) throw new InternalRefusal("forbidden");
  }

  async function answer(address: Address, request: Request, place: Place): Promise<SessionAnswer> {
    refuseStrangers(address, request, place);
    const handler = handlerOf(place, request.method);
    const visitor = {
      address: clientOf(parts.peer(request), request.headers),
      agent: request.headers.get("user-agent") ?? "",
    };
    const session = await knownSession(request);
    return handler({
      parameter: place.parameter,
      body: () => readBody(request, (value) => value, false),
      visitor,
      session,
      shown: () => shownSessions(address, request),
      actor: session?.holder ?? (await parts.byToken(request)),
      dashboard: `${configured ?? address.origin}${dashboardPath}`,
    });
  }

  function refuse({ template }: Place, thrown: unknown): Response {
    const { code, status, message, headers } = refusalOf(thrown);
    const body = { code, message, status };
    if (status < 500 || thrown instanceof AccountRefusal) return response(status, body, headers);
    const id = nextId();
    log.error("internal.failed", { id, place: template, code, cause: thrown });
    return response(status, body, { ...headers, "x-request-id": id });
  }

  async function respond(address: Address, request: Request, place: Place): Promise<Response> {
    const startedMs = clock.elapsed();
    const answered = await answer(address, request, place).then(
      ({ status, body, cookie }) =>
        response(status, body, cookie ? cookieHeader(cookie, isSecure(address)) : {}),
      (thrown) => refuse(place, thrown),
    );
    log.info("internal.request", {
      method: request.method,
      place: place.template,
      status: answered.status,
      durationMs: Math.round((clock.elapsed() - startedMs) * 1000) / 1000,
    });
    if (parts.leaving()) answered.headers.set("connection", "close");
    return answered;
  }

  return {
    handle(address, request) {
      const place = places(address.path);
      return place && respond(address, request, place);
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
): Response {
  const everyAnswer = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  if (body === undefined)
    return new Response(null, { status, headers: { ...headers, ...everyAnswer } });
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, ...everyAnswer, "content-type": "application/json" },
  });
}
