/** Signs people in, by name and password or by a one-time link, and authenticates their sessions. */

import type { Clock } from "../core/clock.ts";
import { type MaybePromise, then } from "../core/maybePromise.ts";
import { Problem } from "../core/problems.ts";
import type { AccessHolder } from "./access.ts";
import {
  type Account,
  type AccountStore,
  type Begun,
  normalizeName,
  type OneTimeLink,
  requireEnabled,
  type Session,
  type SessionWithHolder,
} from "./accounts.ts";
import { needsRehash, type Passwords, passwordError } from "./password.ts";
import {
  createSession,
  type IssuedLink,
  invitationMs,
  isExpired,
  issueLink,
  secretHash,
  touchIntervalMs,
} from "./sessions.ts";
import type { SignInThrottle } from "./signInThrottle.ts";

interface AuthServiceOptions {
  readonly store: AccountStore;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly throttle: SignInThrottle;
  /** Called when something failed in the background. */
  readonly failed: (cause: unknown) => void;
}

export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** What is known of the client. */
export interface ClientInfo {
  readonly address: string;
  readonly agent: string;
}

export interface SignedIn extends SessionWithHolder {
  /** For the cookie. It is not stored, so it cannot be shown again. */
  readonly token: string;
}

/** The password or the link was right, and the second step is to come. */
export interface FirstStep {
  readonly account: string;
  /** For the cookie. It is good for the second step and nothing else. */
  readonly pendingToken: string;
}

interface PasswordChangeRequest {
  readonly current: string | undefined;
  readonly next: string;
}

export class AuthService {
  readonly #store: AccountStore;
  readonly #passwords: Passwords;
  readonly #clock: Clock;
  readonly #throttle: SignInThrottle;
  readonly #failed: (cause: unknown) => void;
  /** Hashes of sessions whose last use is being stored. */
  readonly #touching = new Set<string>();

  constructor({ store, passwords, clock, throttle, failed }: AuthServiceOptions) {
    this.#store = store;
    this.#passwords = passwords;
    this.#clock = clock;
    this.#throttle = throttle;
    this.#failed = failed;
  }

  /** Takes the same time and throws the same for an unknown name as for a wrong password. */
  async signIn(
    { name: typed, password }: Credentials,
    visitor: ClientInfo,
  ): Promise<SignedIn | FirstStep> {
    const name = normalizeName(typed);
    const giveBack = await this.#throttle.signIn(name, visitor.address);
    const account = await this.#store.find(name);
    const matches = await this.#passwords.matches(password, account?.password);
    if (account?.password === undefined || !matches) {
      // Nobody waits for it: a response must not take longer for a name that exists.
      if (account !== undefined) this.#store.signInFailed(account.name).catch(this.#failed);
      throw new Problem("sign_in_refused");
    }
    requireEnabled(account);
    const created = createSession(account.name, visitor.agent, this.#clock);
    const begun = await this.#store.addSession(created.session, account.passwordVersion);
    // The password was changed since it was verified.
    if (begun === undefined) throw new Problem("sign_in_refused");
    await giveBack();
    await this.#rehashIfNeeded(account, account.password, password);
    return stepAfter(begun, created, account.holder);
  }

  /** Trades the token of a one-time link for a session, and sets the password if one is given. */
  async redeemLink(
    token: string,
    password: string | undefined,
    agent: string,
  ): Promise<SignedIn | FirstStep> {
    const link = await this.#openLink(token);
    if (password === undefined && link.holder.kind === "owner") {
      throw new Problem("password_needed");
    }
    const hash = password === undefined ? undefined : await this.#newHash(password, link.account);
    const created = createSession(link.account, agent, this.#clock);
    const atMs = this.#clock.now();
    const begun = await this.#store.useLink({
      hash: link.hash,
      atMs,
      session: created.session,
      password: hash === undefined ? undefined : { hash, setAtMs: atMs },
    });
    if (begun === undefined) throw new Problem("link_spent");
    return stepAfter(begun, created, link.holder);
  }

  /**
   * The session of a token; undefined when it has expired or never existed. `using` says that a
   * person is active, which postpones the idle timeout.
   */
  findSession(token: string, using: boolean): MaybePromise<SessionWithHolder | undefined> {
    const hash = secretHash(token);
    if (hash === undefined) return undefined;
    return then(this.#store.findSession(hash), (known) => {
      if (known === undefined || isExpired(known.session, this.#clock.now())) return undefined;
      return using ? { ...known, session: this.#touched(known.session) } : known;
    });
  }

  async sessions(account: string): Promise<readonly Session[]> {
    const nowMs = this.#clock.now();
    return (await this.#store.listSessions(account)).filter(
      (session) => !isExpired(session, nowMs),
    );
  }

  async endSession(account: string, id: string): Promise<void> {
    if (await this.#store.endSession(account, id)) return;
    throw new Problem("session_not_found");
  }

  /** All but this one. */
  async endOtherSessions({ account, id }: Session): Promise<void> {
    await this.#store.endSessions(account, id);
  }

  /** Ends every other session of the account. */
  async changePassword(
    { account: name, id }: Session,
    request: PasswordChangeRequest,
  ): Promise<void> {
    const account = await this.#store.find(name);
    if (account === undefined) throw new Problem("not_signed_in");
    await this.#requireCurrent(account, request.current);
    const hash = await this.#newHash(request.next, name);
    const changed = await this.#store.changePassword({
      account: name,
      version: account.passwordVersion,
      password: { hash, setAtMs: this.#clock.now() },
      keep: id,
    });
    if (changed) return;
    throw new Problem("changed_meanwhile", { detail: "The password was just changed elsewhere." });
  }

  /** Ends an earlier invitation. */
  async invite(actor: AccessHolder, ownerId: string): Promise<IssuedLink> {
    if (actor.kind !== "operator") {
      throw new Problem("operator_only", { detail: "Only the operator invites owners." });
    }
    return issueLink(this.#store, this.#clock, { kind: "owner", id: ownerId }, invitationMs);
  }

  async #openLink(token: string): Promise<OneTimeLink> {
    const hash = secretHash(token);
    const link = hash === undefined ? undefined : await this.#store.findLink(hash);
    if (link === undefined || this.#clock.now() >= link.expiresAtMs)
      throw new Problem("link_spent");
    requireEnabled(await this.#store.find(link.account));
    return link;
  }

  async #newHash(password: string, account: string): Promise<string> {
    const complaint = passwordError(password, account);
    if (complaint !== undefined) throw new Problem("password_refused", { detail: complaint });
    return this.#passwords.hash(password);
  }

  /** Limited, so that the password cannot be guessed at an unlocked browser. */
  async #requireCurrent({ name, password }: Account, typed: string | undefined): Promise<void> {
    if (password === undefined) return;
    const giveBack = await this.#throttle.byName("password", name);
    if (!(await this.#passwords.matches(typed ?? "", password))) {
      throw new Problem("current_password_wrong");
    }
    await giveBack();
  }

  /** Only here is the password known. */
  async #rehashIfNeeded({ name }: Account, was: string, password: string): Promise<void> {
    if (!needsRehash(was)) return;
    try {
      const hash = await this.#passwords.hash(password);
      await this.#store.rehashPassword({ account: name, was, hash });
    } catch (cause) {
      // They are signed in already, and the next sign-in tries again.
      this.#failed(cause);
    }
  }

  #touched(session: Session): Session {
    const { hash, seenAtMs } = session;
    const nowMs = this.#clock.now();
    if (nowMs - seenAtMs < touchIntervalMs) return session;
    if (!this.#touching.has(hash)) {
      this.#touching.add(hash);
      this.#store
        .sawSession(hash, nowMs)
        .catch(this.#failed)
        .finally(() => this.#touching.delete(hash));
    }
    return { ...session, seenAtMs: nowMs };
  }
}

function stepAfter(
  begun: NonNullable<Begun>,
  { session, token }: ReturnType<typeof createSession>,
  holder: AccessHolder,
): SignedIn | FirstStep {
  return begun === "pending"
    ? { account: session.account, pendingToken: token }
    : { session, token, holder, hasSecondFactor: false };
}
