import type { MaybePromise } from "../core/maybePromise.ts";
import { Problem } from "../core/problems.ts";
import type { AccessHolder } from "./access.ts";

/** There is one for the operator and at most one for each owner. */
export interface Account {
  /** The username to sign in with, also used in logs. Not a secret. */
  readonly name: string;
  readonly holder: AccessHolder;
  /** A hash with its parameters; undefined until a password is set. */
  readonly password: string | undefined;
  /** Incremented for each new password, but not when the same one is rehashed. */
  readonly passwordVersion: number;
  /** Where notifications go; undefined until one is set. */
  readonly email: string | undefined;
  /** Since when nobody can sign in to it, and its access tokens are refused. */
  readonly disabledAtMs: number | undefined;
  /** Whether signing in takes a second step. */
  readonly hasSecondFactor: boolean;
}

/** A URL that starts one session. Only the hash of its token is stored. */
export interface OneTimeLink {
  readonly account: string;
  readonly holder: AccessHolder;
  readonly hash: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface Session {
  /** Identifies it to people and in logs: `ses_` and 12 characters. Not a secret. */
  readonly id: string;
  readonly account: string;
  readonly hash: string;
  /** The browser's User-Agent, truncated; empty if it sent none. */
  readonly agent: string;
  readonly createdAtMs: number;
  /** To the minute. */
  readonly seenAtMs: number;
  /** When it expires regardless of activity. */
  readonly endsAtMs: number;
}

/** No owner that can sign in has it. */
export const operatorName = "operator";

/** Undefined for an owner with the operator's name as id: two accounts cannot share it. */
export function accountName(holder: AccessHolder): string | undefined {
  if (holder.kind === "operator") return operatorName;
  return holder.id === operatorName ? undefined : holder.id;
}

/** Told only to those who have proved that they are its holder. */
export function requireEnabled(account: Account | undefined): void {
  if (account?.disabledAtMs !== undefined) throw new Problem("account_disabled");
}

/** Far longer than an owner's id may be. */
const nameLengthMax = 256;

/**
 * A typed name in the form in which names are stored; empty, which matches no account, if it is too
 * long. Limited because normalising takes quadratic time in the number of combining marks, before
 * authentication.
 */
export function normalizeName(text: string): string {
  if (text.length > nameLengthMax) return "";
  return text.normalize("NFC").trim().toLowerCase();
}

export interface NewPassword {
  readonly hash: string;
  readonly setAtMs: number;
}

export interface LinkUse {
  readonly hash: string;
  readonly atMs: number;
  /** Must be of the link's account. */
  readonly session: Session;
  /** Where one is set, the account's other sessions end. */
  readonly password: NewPassword | undefined;
}

export interface PasswordChange {
  readonly account: string;
  /** The version that the change was decided on. */
  readonly version: number;
  readonly password: NewPassword;
  /** The session to keep; all others of the account end. */
  readonly keep: string;
}

export interface EmailChange {
  readonly account: string;
  readonly holder: AccessHolder;
  /** Undefined removes it. */
  readonly email: string | undefined;
}

export interface Disabling {
  readonly account: string;
  readonly holder: AccessHolder;
  /** Undefined to enable it again. */
  readonly atMs: number | undefined;
}

export interface Rehash {
  readonly account: string;
  readonly was: string;
  readonly hash: string;
}

/** An attempt that is counted by a token bucket with a capacity of `burst`. */
export interface SignInAttempt {
  readonly bucket: string;
  readonly atMs: number;
  readonly burst: number;
  /** The time in which one is refilled. */
  readonly intervalMs: number;
}

export interface SessionWithHolder {
  readonly session: Session;
  readonly holder: AccessHolder;
  readonly hasSecondFactor: boolean;
}

/**
 * What the token of a new session is good for: if the account has a second factor, only for the
 * second step, as a pending sign-in. Undefined if signing in was refused, with nothing done.
 */
export type Begun = "session" | "pending" | undefined;

/** Beyond this, a new session ends the least recently used ones. */
export const sessionsPerAccountMax = 20;

/**
 * A write that resolves is on disk, and in force in every process on this store. Each write is one
 * transaction. The store checks expiry only where it is given an instant.
 */
export interface AccountStore {
  find(name: string): MaybePromise<Account | undefined>;
  /** Creates the account if needed. False if there is no such owner. */
  setEmail(change: EmailChange): Promise<boolean>;
  /** Those that are set, by the names of the accounts. */
  listEmails(): MaybePromise<ReadonlyMap<string, string>>;
  /** By name. */
  list(): MaybePromise<readonly Account[]>;
  /**
   * Creates the account if needed. Disabling ends its sessions and its link; the first instant is
   * kept. False if there is no such owner.
   */
  setDisabled(disabling: Disabling): Promise<boolean>;
  /** Creates the account if needed, and ends an earlier link of it. False if there is no such owner. */
  issueLink(link: OneTimeLink): Promise<boolean>;
  /** Expired ones too. */
  findLink(hash: string): MaybePromise<OneTimeLink | undefined>;
  /**
   * Trades a link for a session. Refused when the link is gone or has expired, or the account is
   * disabled: of several concurrent uses, one succeeds.
   */
  useLink(use: LinkUse): Promise<Begun>;
  /** Refused if the password is no longer of this version, or the account is disabled. */
  addSession(session: Session, passwordVersion: number): Promise<Begun>;
  /** Expired ones too, until they are deleted. */
  findSession(hash: string): MaybePromise<SessionWithHolder | undefined>;
  /** The most recently used first. */
  listSessions(account: string): MaybePromise<readonly Session[]>;
  /** Moves forward only, and does nothing for a session that has ended. */
  sawSession(hash: string, atMs: number): Promise<void>;
  /** False when the account has no such session. */
  endSession(account: string, id: string): Promise<boolean>;
  /** All but the one to keep. Returns how many. */
  endSessions(account: string, keep: string | undefined): Promise<number>;
  /** False, with nothing done, if the password is no longer of this version. */
  changePassword(change: PasswordChange): Promise<boolean>;
  /** The same password with other parameters. Does nothing if it was changed in the meantime. */
  rehashPassword(rehash: Rehash): Promise<void>;
  /** Takes one from the bucket. Returns 0, or the milliseconds until one is available. */
  take(attempt: SignInAttempt): Promise<number>;
  /** Records an attempt with a wrong password or second factor, some of them if there are many. */
  signInFailed(account: string): Promise<void>;
  /** Undoes a `take` that should not count. */
  giveBack(attempt: SignInAttempt): Promise<void>;
}
