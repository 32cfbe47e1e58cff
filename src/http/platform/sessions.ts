/** Signing in and out, one handler each. */

import { isIP } from "node:net";
import type { SessionWithHolder } from "../../accounts/accounts.ts";
import type { AuthService, ClientInfo, FirstStep, SignedIn } from "../../accounts/authService.ts";
import { relyingParty } from "../../accounts/passkeys.ts";
import type { SecondFactorService } from "../../accounts/secondFactorService.ts";
import { pendingSignInMs } from "../../accounts/secondFactors.ts";
import { linkUrl, sessionExpiresAtMs } from "../../accounts/sessions.ts";
import type { JsonOf } from "../../contract/document.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { isExpectedProblem } from "../../core/problems.ts";
import type { SiteStore } from "../../hosting/sites/sites.ts";
import type { AccountMails } from "../../notifications/accountMails.ts";
import type { HttpRequest } from "../../wire/message.ts";
import { dashboardPath } from "../publicRoutes.ts";
import { type PlatformAuthentication, sessionCookie } from "./authentication.ts";
import type { PlatformCall, PlatformHandlers } from "./handlers.ts";

export interface SessionHandlersParts {
  readonly accounts: AuthService;
  readonly factors: SecondFactorService;
  readonly clock: Clock;
  readonly authentication: PlatformAuthentication;
  readonly sites: SiteStore;
  /** Undefined where nothing is mailed. */
  readonly accountMails?: AccountMails | undefined;
  readonly log: Log;
}

export function sessionHandlers(parts: SessionHandlersParts) {
  const { accounts, factors, authentication, sites, accountMails, clock, log } = parts;

  async function shown(known: SessionWithHolder) {
    const { session, holder } = known;
    const name =
      holder.kind === "operator" ? "Operator" : ((await sites.owner(holder.id))?.name ?? holder.id);
    return {
      actor: { kind: holder.kind, id: session.account, name },
      expiresAtMs: sessionExpiresAtMs(session),
      secondFactorMissing: factors.isMissing(known),
    };
  }

  /** A new token every time; the session that the browser had before, if any, is over. */
  async function begun(signedIn: SignedIn, { caller, request }: PlatformCall, by: string) {
    const { session, token } = signedIn;
    if (caller.knownSession !== undefined) await ended(caller.knownSession);
    log.info("account.signed_in", { account: session.account, session: session.id, by });
    const cookie = sessionCookie(token, authentication.isSecure(request));
    return { ...inMs(200, await shown(signedIn)), headers: { "set-cookie": cookie } } as const;
  }

  const pendingCookie = (token: string, request: HttpRequest) => ({
    "set-cookie": sessionCookie(token, authentication.isSecure(request), pendingSignInMs),
  });

  /** After the password or the link: the session, or the second step. */
  async function continued(step: SignedIn | FirstStep, call: PlatformCall, by: string) {
    if ("token" in step) return begun(step, call, by);
    if (call.caller.knownSession !== undefined) await ended(call.caller.knownSession);
    const { passkeys, totp, recoveryCodesLeft } = await factors.factorsOf(step.account);
    const methods = [
      ...(passkeys.length > 0 ? (["passkey"] as const) : []),
      ...(totp === undefined ? [] : (["totp"] as const)),
      ...(recoveryCodesLeft > 0 ? (["recovery_code"] as const) : []),
    ];
    const headers = pendingCookie(step.pendingToken, call.request);
    return { ...inMs(202, { methods, expiresAtMs: clock.now() + pendingSignInMs }), headers };
  }

  /** For operators. Without the name: what is typed there may be a password. */
  function noted(cause: unknown, { address }: ClientInfo): never {
    if (isExpectedProblem(cause)) log.warn("account.refused", { code: cause.code, address });
    throw cause;
  }

  const cleared = (request: HttpRequest) => ({
    "set-cookie": sessionCookie(undefined, authentication.isSecure(request)),
  });

  async function ended({ session: { account, id } }: SessionWithHolder): Promise<void> {
    // The session may have expired in the meantime; the result is the same.
    await accounts.endSession(account, id).catch(passOver);
    log.info("account.signed_out", { account, session: id });
  }

  return {
    getSession: async (_, { caller }) => inMs(200, await shown(caller.session)),

    async signIn({ body }, call) {
      const visitor = visitorOf(call.request);
      const step = await accounts.signIn(body, visitor).catch((cause) => noted(cause, visitor));
      return continued(step, call, "password");
    },

    async requestPasskey(_, { caller, request }) {
      const visitor = visitorOf(request);
      const party = relyingParty(authentication.originFor(request));
      const { options, pendingToken } = await factors
        .requestPasskey(authentication.pendingToken(request), visitor, party)
        .catch((cause) => noted(cause, visitor));
      if (pendingToken === undefined) return inMs(200, options);
      // Its token is about to be replaced in the browser.
      if (caller.knownSession !== undefined) await ended(caller.knownSession);
      return { ...inMs(200, options), headers: pendingCookie(pendingToken, request) };
    },

    async completeSignIn({ body }, call) {
      const visitor = visitorOf(call.request);
      const party = relyingParty(authentication.originFor(call.request));
      const signedIn = await factors
        .complete(authentication.pendingToken(call.request), body, visitor, party)
        .catch((cause) => noted(cause, visitor));
      return begun(signedIn, call, signedIn.by);
    },

    async signOut(_, { request }) {
      for (const session of await authentication.sessionsOf(request)) await ended(session);
      for (const token of authentication.tokensOf(request)) await factors.endPending(token);
      return { status: 204, headers: cleared(request) };
    },

    async listSessions(_, { caller }) {
      const { session: own } = caller.session;
      const sessions = (await accounts.sessions(own.account)).map((session) => ({
        id: session.id,
        agent: session.agent,
        createdAtMs: session.createdAtMs,
        seenAtMs: session.seenAtMs,
        expiresAtMs: sessionExpiresAtMs(session),
        current: session.id === own.id,
      }));
      return inMs(200, sessions);
    },

    async endOtherSessions(_, { caller }) {
      const { session } = caller.session;
      await accounts.endOtherSessions(session);
      log.info("account.signed_out_elsewhere", { account: session.account });
      return { status: 204 };
    },

    async endSession({ path: { session: id } }, { caller, request }) {
      const { session } = caller.session;
      await accounts.endSession(session.account, id);
      log.info("account.signed_out", { account: session.account, session: id });
      return session.id === id ? { status: 204, headers: cleared(request) } : { status: 204 };
    },

    async useWelcomeLink({ body: { token, password } }, call) {
      const visitor = visitorOf(call.request);
      const step = await accounts
        .redeemLink(token, password, visitor.agent)
        .catch((cause) => noted(cause, visitor));
      return continued(step, call, "link");
    },

    async changePassword({ body: { current, next } }, { caller, request }) {
      const { session } = caller.session;
      await accounts
        .changePassword(session, { current, next })
        .catch((cause) => noted(cause, visitorOf(request)));
      log.info("account.password_changed", { account: session.account });
      return { status: 204 };
    },

    async inviteOwner({ path: { owner } }, { caller, request }) {
      const issued = await accounts.invite(caller.actor, owner);
      log.info("account.invited", { account: owner });
      const dashboard = `${authentication.originFor(request)}${dashboardPath}`;
      const link = linkUrl(dashboard, issued.token);
      const mailedTo = (await accountMails?.invited(issued, link)) ?? null;
      return inMs(200, { link, expiresAtMs: issued.expiresAtMs, mailedTo });
    },
  } satisfies Partial<PlatformHandlers>;
}

/** As JSON with instants as they are, in ms since 1970. */
export const inMs = <Status extends number, T>(status: Status, value: T) => ({
  status,
  body: JSON.stringify(value) as JsonOf<T>,
});

function visitorOf(request: HttpRequest): ClientInfo {
  return {
    address: clientNetwork(request.client),
    agent: request.header("user-agent") ?? "",
  };
}

function passOver(cause: unknown): void {
  if (!isExpectedProblem(cause)) throw cause;
}

/** Whom sign-in attempts are counted by: a client of IPv6 has a whole /64 to itself. */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined || isIP(address) !== 6) return address ?? "";
  const [head = "", tail = ""] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === "" ? [] : tail.split(":");
  const zeros = address.includes("::") ? Math.max(0, 8 - front.length - back.length) : 0;
  const groups = [...front, ...Array<string>(zeros).fill("0"), ...back].slice(0, 4);
  return groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":");
}
