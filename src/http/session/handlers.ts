/** Signing in and out, one handler each. Every request here has shown that it is of our own page. */
import type { KnownSession } from "../../accounts/accounts.ts";
import { type AccountDesk, notSignedIn, type SignedIn, type Visitor } from "../../accounts/desk.ts";
import { welcomeAddress } from "../../accounts/links.ts";
import { AccountRefusal } from "../../accounts/refusal.ts";
import { sessionExpiresAtMs } from "../../accounts/sessions.ts";
import type { Actor } from "../../domains/desk.ts";
import type { Log } from "../../log.ts";
import type { SiteStore } from "../../sites/sites.ts";
import { readCredentials, readPasswordWish, readWelcome } from "./bodies.ts";

export interface SessionCall {
  /** The segment of the path that is in braces, decoded. */
  readonly parameter: string;
  readonly body: () => Promise<unknown>;
  readonly visitor: Visitor;
  /** By the request's cookie. */
  readonly session: KnownSession | undefined;
  /** By all of its cookies of the name: enough to end them, not to act for anybody. */
  readonly shown: () => Promise<readonly KnownSession[]>;
  /** By the session, or by an access token. */
  readonly actor: Actor | undefined;
  /** `https://api.example.com/dashboard/` */
  readonly dashboard: string;
}

export interface SessionAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** A token to keep, or what ends the one that is kept. */
  readonly cookie?: { readonly token: string } | "cleared";
}

export type SessionHandler = (call: SessionCall) => Promise<SessionAnswer>;

export interface HandlersParts {
  readonly desk: AccountDesk;
  readonly sites: Pick<SiteStore, "owner">;
  readonly log: Log;
}

/** By path, relative to the base of the API, and method. */
export function sessionHandlers({ desk, sites, log }: HandlersParts) {
  async function shown({ session, holder }: KnownSession) {
    const name =
      holder.kind === "operator" ? "Operator" : ((await sites.owner(holder.id))?.name ?? holder.id);
    return {
      actor: { kind: holder.kind, id: session.account, name },
      expiresAtMs: sessionExpiresAtMs(session),
    };
  }

  /** A new token every time; the session that the browser had before, if any, is over. */
  async function begun(signedIn: SignedIn, { session: before }: SessionCall, by: string) {
    const { session, token } = signedIn;
    if (before !== undefined) await ended(before);
    log.info("account.signed_in", { account: session.account, session: session.id, by });
    return { status: 200, body: await shown(signedIn), cookie: { token } };
  }

  /** For whoever watches over the service. Not the name: what is typed there may be a password. */
  function noted(cause: unknown, { address }: Visitor): never {
    if (cause instanceof AccountRefusal) log.warn("account.refused", { code: cause.code, address });
    throw cause;
  }

  async function ended({ session: { account, id } }: KnownSession): Promise<void> {
    // It may have ended by itself at this moment, which is just as well.
    await desk.endSession(account, id).catch(passOver);
    log.info("account.signed_out", { account, session: id });
  }

  return {
    "/session": {
      GET: async ({ session }) => ({ status: 200, body: await shown(required(session)) }),
      async POST(call) {
        const credentials = readCredentials(await call.body());
        const signedIn = await desk
          .signIn(credentials, call.visitor)
          .catch((cause) => noted(cause, call.visitor));
        return begun(signedIn, call, "password");
      },
      async DELETE({ shown: theirs }) {
        for (const session of await theirs()) await ended(session);
        return { status: 204, cookie: "cleared" };
      },
    },
    "/sessions": {
      async GET({ session: known }) {
        const { session: own } = required(known);
        const body = (await desk.sessions(own.account)).map((session) => ({
          id: session.id,
          agent: session.agent,
          createdAtMs: session.createdAtMs,
          seenAtMs: session.seenAtMs,
          expiresAtMs: sessionExpiresAtMs(session),
          current: session.id === own.id,
        }));
        return { status: 200, body };
      },
      async DELETE({ session: known }) {
        const { session } = required(known);
        await desk.endOtherSessions(session);
        log.info("account.signed_out_elsewhere", { account: session.account });
        return { status: 204 };
      },
    },
    "/sessions/{id}": {
      async DELETE({ session: known, parameter: id }) {
        const { session } = required(known);
        await desk.endSession(session.account, id);
        log.info("account.signed_out", { account: session.account, session: id });
        return session.id === id ? { status: 204, cookie: "cleared" } : { status: 204 };
      },
    },
    "/welcome": {
      async POST(call) {
        const { token, password } = readWelcome(await call.body());
        const signedIn = await desk
          .welcome(token, password, call.visitor.agent)
          .catch((cause) => noted(cause, call.visitor));
        return begun(signedIn, call, "link");
      },
    },
    "/password": {
      async PUT({ session: known, body, visitor }) {
        const { session } = required(known);
        const wish = readPasswordWish(await body());
        await desk.changePassword(session, wish).catch((cause) => noted(cause, visitor));
        log.info("account.password_changed", { account: session.account });
        return { status: 204 };
      },
    },
    "/owners/{owner}/invite": {
      async POST({ actor, parameter: owner, dashboard }) {
        if (actor === undefined) throw notSignedIn();
        const { token, expiresAtMs } = await desk.invite(actor, owner);
        log.info("account.invited", { account: owner });
        return { status: 200, body: { link: welcomeAddress(dashboard, token), expiresAtMs } };
      },
    },
  } as const satisfies Readonly<Record<string, Readonly<Record<string, SessionHandler>>>>;
}

function required(session: KnownSession | undefined): KnownSession {
  if (session === undefined) throw notSignedIn();
  return session;
}

function passOver(cause: unknown): void {
  if (!(cause instanceof AccountRefusal)) throw cause;
}
