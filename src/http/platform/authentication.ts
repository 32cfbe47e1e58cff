/** Who calls the platform's API: a person by the cookie of a session, a program by an access token. */
import { type AccessStore, isAccessToken } from "../../accounts/access.ts";
import type { SessionWithHolder } from "../../accounts/accounts.ts";
import type { AuthService } from "../../accounts/authService.ts";
import type { PlatformOperation } from "../../contract/platform.ts";
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import { Problem } from "../../core/problems.ts";
import type { Actor } from "../../hosting/domains/domainService.ts";
import { hashToken } from "../../petstore/keys/token.ts";
import { type HttpRequest, originOf } from "../../wire/message.ts";
import { bearer } from "../authorize.ts";
import { tokenIn, tokensIn } from "./cookie.ts";
import { comesFromOwnPage, isOwnOrigin } from "./ownPages.ts";

/** Whoever sent a request. Asking for what is not known throws a Problem of status 401. */
export class PlatformCaller {
  readonly knownSession: SessionWithHolder | undefined;
  readonly knownActor: Actor | undefined;

  constructor(session: SessionWithHolder | undefined, actor: Actor | undefined) {
    this.knownSession = session;
    this.knownActor = actor;
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

export interface AuthenticationParts {
  readonly accounts: AuthService;
  readonly access: AccessStore;
  /** The configured base address of the public API, whose origin is ours too. */
  readonly baseUrl: string | undefined;
}

export class PlatformAuthentication {
  readonly #accounts: AuthService;
  readonly #access: AccessStore;
  readonly #configured: string | undefined;
  /** A stream asks again and again who is there, and nobody may be: it counts as one use. */
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
      then(session?.holder ?? (takesTokens ? this.#byToken(request) : undefined), (actor) => {
        const caller = new PlatformCaller(session, actor);
        if (takesTokens) caller.actor;
        else if (operation.security.size > 0) caller.session;
        return caller;
      }),
    );
  }

  /** By the session, and where there is none by an access token. */
  actor(request: HttpRequest): MaybePromise<Actor | undefined> {
    return then(this.session(request), (known) => known?.holder ?? this.#byToken(request));
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
    const known = tokensIn(request, this.isSecure(request)).map((token) =>
      this.#accounts.findSession(token, false),
    );
    return (await Promise.all(known)).filter((each) => each !== undefined);
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
  #byToken(request: HttpRequest): MaybePromise<Actor | undefined> {
    const token = bearer.exec(request.header("authorization") ?? "")?.[1] ?? "";
    if (!isAccessToken(token)) return undefined;
    return then(this.#access.findByHash(hashToken(token)), (access) =>
      access?.revokedAtMs === undefined ? access?.holder : undefined,
    );
  }
}
