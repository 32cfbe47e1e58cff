/** Who calls the platform's API: a person by the cookie of a session, a program by an access token. */
import { type AccessStore, type AccessToken, isAccessToken } from "../../accounts/access.ts";
import type { SessionWithHolder } from "../../accounts/accounts.ts";
import type { AuthService } from "../../accounts/authService.ts";
import { sessionMs } from "../../accounts/sessions.ts";
import type { PlatformOperation } from "../../contract/platform.ts";
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import { Problem } from "../../core/problems.ts";
import type { Actor } from "../../hosting/sites/site.ts";
import { hashToken } from "../../petstore/keys/token.ts";
import { type HttpRequest, originOf, type RequestHeaders } from "../../wire/message.ts";
import { bearer } from "../authorize.ts";

/** The sender of a request. Reading what is not known throws a Problem of status 401. */
export class PlatformCaller {
  readonly knownSession: SessionWithHolder | undefined;
  readonly knownActor: Actor | undefined;
  /** For the audit log: `accounts/operator`, or `tokens/acc_…`. */
  readonly credential: string | undefined;

  constructor(session: SessionWithHolder | undefined, token: AccessToken | undefined) {
    this.knownSession = session;
    this.knownActor = session?.holder ?? token?.holder;
    this.credential = session
      ? `accounts/${session.session.account}`
      : token && `tokens/${token.id}`;
  }

  get session(): SessionWithHolder {
    if (this.knownSession === undefined) throw new Problem("not_signed_in");
    return this.knownSession;
  }

  get actor(): Actor {
    if (this.knownActor === undefined) throw new Problem("unauthorized");
    return this.knownActor;
  }
}

interface AuthenticationParts {
  readonly accounts: AuthService;
  readonly access: AccessStore;
  /** The configured base address of the public API, whose origin is ours too. */
  readonly baseUrl: string | undefined;
}

export class PlatformAuthentication {
  readonly #accounts: AuthService;
  readonly #access: AccessStore;
  readonly #configured: string | undefined;
  /** A stream authenticates again with each poll, and counts as one use of its session. */
  readonly #counted = new WeakSet<HttpRequest>();

  constructor({ accounts, access, baseUrl }: AuthenticationParts) {
    this.#accounts = accounts;
    this.#access = access;
    this.#configured = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
  }

  /** Throws where the request is of another origin's page, or its caller is not known. */
  callerOf(
    request: HttpRequest,
    operation: PlatformOperation | undefined,
  ): MaybePromise<PlatformCaller> {
    const takesTokens = operation === undefined || operation.security.has("accessToken");
    const own = this.#ownOrigins(request);
    if (!(takesTokens ? isOwnOrigin(request, own) : comesFromOwnPage(request, own))) {
      throw new Problem("forbidden");
    }
    return then(this.session(request), (session) =>
      then(session || !takesTokens ? undefined : this.#token(request), (token) => {
        const caller = new PlatformCaller(session, token);
        if (takesTokens) caller.actor;
        else if (operation.security.size > 0) caller.session;
        return caller;
      }),
    );
  }

  /** By the session, and where there is none by an access token. */
  actor(request: HttpRequest): MaybePromise<Actor | undefined> {
    return then(
      this.session(request),
      (known) => known?.holder ?? then(this.#token(request), (token) => token?.holder),
    );
  }

  /** A cookie says nothing on a request that may be of another origin's page. */
  session(request: HttpRequest): MaybePromise<SessionWithHolder | undefined> {
    const token = tokenIn(request, this.isSecure(request));
    if (token === undefined || !comesFromOwnPage(request, this.#ownOrigins(request))) {
      return undefined;
    }
    const using = !this.#counted.has(request);
    this.#counted.add(request);
    return this.#accounts.findSession(token, using);
  }

  /**
   * Those of every cookie, where there are two of the name: enough to end them, not to act for
   * anybody. None of them is in use by that.
   */
  async sessionsOf(request: HttpRequest): Promise<readonly SessionWithHolder[]> {
    const known = this.tokensOf(request).map((token) => this.#accounts.findSession(token, false));
    return (await Promise.all(known)).filter((each) => each !== undefined);
  }

  tokensOf(request: HttpRequest): readonly string[] {
    return tokensIn(request, this.isSecure(request));
  }

  /** Of a sign-in whose second step is to come, on a request that is known to be of our own page. */
  pendingToken(request: HttpRequest): string | undefined {
    return tokenIn(request, this.isSecure(request));
  }

  isSecure(request: HttpRequest): boolean {
    return this.#ownOrigins(request).some((each) => each.startsWith("https:"));
  }

  /** By which links to the dashboard begin. */
  originFor(request: HttpRequest): string {
    return this.#configured ?? originOf(request);
  }

  #ownOrigins(request: HttpRequest): readonly string[] {
    return [originOf(request), this.#configured ?? ""].filter((each) => each !== "");
  }

  /** The store is asked every time, so that a revoked token is refused at once in every process. */
  #token(request: HttpRequest): MaybePromise<AccessToken | undefined> {
    const token = bearer.exec(request.header("authorization") ?? "")?.[1] ?? "";
    if (!isAccessToken(token)) return undefined;
    return then(this.#access.findByHash(hashToken(token)), (access) =>
      access?.revokedAtMs === undefined ? access : undefined,
    );
  }
}

/**
 * Whether a request may be of a program or of our own page, by what browsers say of its origin.
 * Programs say nothing. `own` are the origins of the service.
 */
export function isOwnOrigin(request: RequestHeaders, own: readonly string[]): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = request.header("origin");
  if (origin === undefined) return true;
  const host = hostOf(origin);
  return host !== undefined && own.some((each) => hostOf(each) === host);
}

/** Without the scheme: a proxy that terminates TLS forwards plain HTTP. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
}

/**
 * Whether a request is of our own page: what changes something must say where it is from. A cookie
 * counts only where this holds. SameSite alone would not do: a site that we host may share the
 * registrable domain with the dashboard, and then the browser adds the cookie.
 */
function comesFromOwnPage(
  request: Pick<HttpRequest, "method" | "header">,
  own: readonly string[],
): boolean {
  const { method } = request;
  const reads = method === "GET" || method === "HEAD";
  const site = request.header("sec-fetch-site");
  // "none" is an address that was typed or a bookmark, which only ever reads.
  if (site !== undefined) return site === "same-origin" || (reads && site === "none");
  // Browsers leave out Sec-Fetch-Site over plain HTTP, but every write names its origin.
  const origin = request.header("origin")?.toLowerCase();
  if (origin === undefined) return reads;
  return own.some((each) => isSame(origin, each.toLowerCase()));
}

/** A proxy that terminates TLS forwards plain HTTP; the other way round it is not our page. */
function isSame(origin: string, ours: string): boolean {
  return origin === ours || origin === ours.replace(/^http:/, "https:");
}

/** The name of the session's cookie (RFC 6265bis). The prefix has the browser refuse it from any other host, and over plain HTTP. */
const secureName = "__Host-petstore";
const plainName = "petstore";

const nameFor = (secure: boolean) => (secure ? secureName : plainName);

/** Without a token, it removes the one that the browser has. */
export function sessionCookie(
  token: string | undefined,
  secure: boolean,
  lifetimeMs = sessionMs,
): string {
  const maxAgeSeconds = token === undefined ? 0 : lifetimeMs / 1000;
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
  return `${nameFor(secure)}=${token ?? ""}; ${attributes}${secure ? "; Secure" : ""}`;
}

/**
 * The token that a request's cookies hold. Undefined where there are two of the name: one of them
 * was planted by a neighbouring host, and nobody can tell which.
 */
function tokenIn(request: RequestHeaders, secure: boolean): string | undefined {
  const [token, ...others] = tokensIn(request, secure);
  return others.length === 0 ? token : undefined;
}

/** More than an honest browser sends. */
const tokensMax = 4;

/** All of them: signing out ends each. */
function tokensIn(request: RequestHeaders, secure: boolean): readonly string[] {
  const start = `${nameFor(secure)}=`;
  return (request.header("cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .slice(0, tokensMax)
    .map((pair) => pair.slice(start.length));
}
