/** Where people come in: by name and password, by a one-time link, and then by their session. */
import type { AccessHolder } from "../access/access.ts";
import type { Clock } from "../clock.ts";
import type { RateLimiter } from "../keys/rateLimiter.ts";
import type { SharedCounts } from "../keys/sharedCounts.ts";
import { type MaybePromise, then } from "../maybePromise.ts";
import { type Account, nameAsTyped, type OneTimeLink, type Session } from "./account.ts";
import type { AccountStore, KnownSession, Try } from "./accounts.ts";
import { type IssuedLink, invitationMs, issueLink } from "./links.ts";
import { passwordComplaint } from "./password.ts";
import { isOutdated, type Passwords } from "./passwordHash.ts";
import { AccountRefusal } from "./refusal.ts";
import { secretHash } from "./secretToken.ts";
import { beginSession, isOver, seenEveryMs } from "./sessions.ts";
import { addressQuota, bucketOf, nameAtAddressQuota, type Purpose, tryOf } from "./tries.ts";

export interface AccountDeskParts {
  readonly store: AccountStore;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly counts: SharedCounts;
  /** What nobody waits for has failed. */
  readonly failed: (cause: unknown) => void;
}

export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** Who asks, as far as can be told. */
export interface Visitor {
  readonly address: string;
  readonly agent: string;
}

export interface SignedIn extends KnownSession {
  /** For the cookie. Known now and never again. */
  readonly token: string;
}

export interface PasswordWish {
  readonly current: string | undefined;
  readonly next: string;
}

export class AccountDesk {
  readonly #store: AccountStore;
  readonly #passwords: Passwords;
  readonly #clock: Clock;
  readonly #failed: (cause: unknown) => void;
  readonly #addresses: RateLimiter;
  readonly #namesAtAddresses: RateLimiter;
  /** Nobody can look for a name that shares a bucket with somebody else's name and address. */
  readonly #salt: string;
  /** Hashes of sessions whose use is being written down. */
  readonly #noting = new Set<string>();

  constructor({ store, passwords, clock, counts, failed }: AccountDeskParts) {
    this.#store = store;
    this.#passwords = passwords;
    this.#clock = clock;
    this.#failed = failed;
    this.#addresses = counts.limiter("sign in: address", addressQuota);
    this.#namesAtAddresses = counts.limiter("sign in: name at address", nameAtAddressQuota);
    this.#salt = counts.salt;
  }

  /** Takes as long, and says the same, for a name of nobody as for a wrong password. */
  async signIn({ name: typed, password }: Credentials, visitor: Visitor): Promise<SignedIn> {
    const name = nameAsTyped(typed);
    const addressBucket = bucketOf("address", visitor.address);
    // By the name's own bucket: else many names that share it would spend it from one address.
    const pairBucket = bucketOf(this.#salt, `${visitor.address} ${bucketOf("sign in", name)}`);
    await take(this.#addresses, addressBucket);
    await take(this.#namesAtAddresses, pairBucket);
    const attempt = await this.#takeByName("sign in", name);
    const account = await this.#store.find(name);
    const matches = await this.#passwords.matches(password, account?.password);
    if (account?.password === undefined || !matches) throw signInRefused();
    const { session, token } = beginSession(account.name, visitor.agent, this.#clock);
    // Nothing that was verified against a password that is no longer the password.
    if (!(await this.#store.addSession(session, account.passwordVersion))) throw signInRefused();
    await this.#addresses.giveBack(addressBucket);
    await this.#namesAtAddresses.giveBack(pairBucket);
    await this.#store.giveBack(attempt);
    await this.#keepUpToDate(account, account.password, password);
    return { session, holder: account.holder, token };
  }

  /** Trades the token of a one-time link for a session, and sets the password if one is given. */
  async welcome(token: string, password: string | undefined, agent: string): Promise<SignedIn> {
    const link = await this.#openLink(token);
    if (password === undefined && link.holder.kind === "owner") {
      throw new AccountRefusal("password_needed", "Choose a password, to sign in with next time.");
    }
    const hash = password === undefined ? undefined : await this.#newHash(password, link.account);
    const begun = beginSession(link.account, agent, this.#clock);
    const atMs = this.#clock.now();
    const used = await this.#store.useLink({
      hash: link.hash,
      atMs,
      session: begun.session,
      password: hash === undefined ? undefined : { hash, setAtMs: atMs },
    });
    if (!used) throw linkSpent();
    return { ...begun, holder: link.holder };
  }

  /**
   * Whose session it is; undefined when it is over or was never one. `using` says that somebody is
   * at it, which keeps it from ending of idleness.
   */
  recognise(token: string, using: boolean): MaybePromise<KnownSession | undefined> {
    const hash = secretHash(token);
    if (hash === undefined) return undefined;
    return then(this.#store.findSession(hash), (known) => {
      if (known === undefined || isOver(known.session, this.#clock.now())) return undefined;
      return using ? { ...known, session: this.#noted(known.session) } : known;
    });
  }

  async sessions(account: string): Promise<readonly Session[]> {
    const nowMs = this.#clock.now();
    return (await this.#store.listSessions(account)).filter((session) => !isOver(session, nowMs));
  }

  async endSession(account: string, id: string): Promise<void> {
    if (await this.#store.endSession(account, id)) return;
    throw new AccountRefusal("session_not_found", "You have no such session. It may have ended.");
  }

  /** All but the one. */
  async endOtherSessions({ account, id }: Session): Promise<void> {
    await this.#store.endSessions(account, id);
  }

  /** Ends every other session of the account. */
  async changePassword({ account: name, id }: Session, wish: PasswordWish): Promise<void> {
    const account = await this.#store.find(name);
    if (account === undefined) throw notSignedIn();
    await this.#requireCurrent(account, wish.current);
    const hash = await this.#newHash(wish.next, name);
    const changed = await this.#store.changePassword({
      account: name,
      version: account.passwordVersion,
      password: { hash, setAtMs: this.#clock.now() },
      keep: id,
    });
    if (changed) return;
    throw new AccountRefusal("changed_meanwhile", "The password was just changed elsewhere.");
  }

  /** Ends an earlier invitation. */
  async invite(actor: AccessHolder, ownerId: string): Promise<IssuedLink> {
    if (actor.kind !== "operator") {
      throw new AccountRefusal("operator_only", "Only the operator invites owners.");
    }
    return issueLink(this.#store, this.#clock, { kind: "owner", id: ownerId }, invitationMs);
  }

  async #openLink(token: string): Promise<OneTimeLink> {
    const hash = secretHash(token);
    const link = hash === undefined ? undefined : await this.#store.findLink(hash);
    if (link === undefined || this.#clock.now() >= link.expiresAtMs) throw linkSpent();
    return link;
  }

  async #newHash(password: string, account: string): Promise<string> {
    const complaint = passwordComplaint(password, account);
    if (complaint !== undefined) throw new AccountRefusal("password_refused", complaint);
    return this.#passwords.hash(password);
  }

  /** Whoever found a browser left open must not be able to guess without end. */
  async #requireCurrent({ name, password }: Account, typed: string | undefined): Promise<void> {
    if (password === undefined) return;
    const attempt = await this.#takeByName("password", name);
    if (!(await this.#passwords.matches(typed ?? "", password))) {
      throw new AccountRefusal("current_password_wrong", "The current password is another one.");
    }
    await this.#store.giveBack(attempt);
  }

  async #takeByName(purpose: Purpose, name: string): Promise<Try> {
    const attempt = tryOf(purpose, name, this.#clock.now());
    const waitMs = await this.#store.take(attempt);
    if (waitMs > 0) throw limited(Math.ceil(waitMs / 1000));
    return attempt;
  }

  /** Here the password is known, and never otherwise. */
  async #keepUpToDate({ name }: Account, was: string, password: string): Promise<void> {
    if (!isOutdated(was)) return;
    try {
      const hash = await this.#passwords.hash(password);
      await this.#store.rehashPassword({ account: name, was, hash });
    } catch (cause) {
      // They are signed in, and the next time will do.
      this.#failed(cause);
    }
  }

  #noted(session: Session): Session {
    const { hash, seenAtMs } = session;
    const nowMs = this.#clock.now();
    if (nowMs - seenAtMs < seenEveryMs) return session;
    if (!this.#noting.has(hash)) {
      this.#noting.add(hash);
      this.#store
        .sawSession(hash, nowMs)
        .catch(this.#failed)
        .finally(() => this.#noting.delete(hash));
    }
    return { ...session, seenAtMs: nowMs };
  }
}

export function notSignedIn(): AccountRefusal {
  return new AccountRefusal("not_signed_in", "Nobody is signed in here. Sign in first.");
}

function signInRefused(): AccountRefusal {
  return new AccountRefusal("sign_in_refused", "The name or the password is wrong.");
}

function linkSpent(): AccountRefusal {
  return new AccountRefusal(
    "link_spent",
    "This link was used already, has expired, or was replaced by a newer one. Ask for a new one.",
  );
}

async function take(limiter: RateLimiter, bucket: string): Promise<void> {
  const { allowed, secondsUntilNext } = await limiter.take(bucket);
  if (!allowed) throw limited(secondsUntilNext);
}

function limited(seconds: number): AccountRefusal {
  const message = `There were too many tries. The next one is possible in ${seconds} seconds.`;
  return new AccountRefusal("sign_in_limited", message, seconds);
}
