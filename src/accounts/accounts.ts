import type { MaybePromise } from "../core/maybePromise.ts";
import type { AccessHolder } from "./access.ts";

/** There is one for the operator and at most one for each owner. */
export interface Account {
  /** What is typed to sign in, and what logs call it. No secret. */
  readonly name: string;
  readonly holder: AccessHolder;
  /** A hash with its parameters; undefined while there is only a link or a session to come in by. */
  readonly password: string | undefined;
  /** Grows with each new password, but not when the same one is hashed again. */
  readonly passwordVersion: number;
}

/** Given to somebody in an address, and good for one session. The token itself is nowhere. */
export interface OneTimeLink {
  readonly account: string;
  readonly holder: AccessHolder;
  readonly hash: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface Session {
  /** Names it to people and in logs: `ses_` and 12 characters. No secret. */
  readonly id: string;
  readonly account: string;
  readonly hash: string;
  /** What the browser calls itself, cut short; empty where it does not say. */
  readonly agent: string;
  readonly createdAtMs: number;
  /** To the minute. */
  readonly seenAtMs: number;
  /** The end, however busy it is. */
  readonly endsAtMs: number;
}

const operatorName = "operator";

/** Undefined for an owner whose id is the operator's name: two accounts cannot share it. */
export function accountName(holder: AccessHolder): string | undefined {
  if (holder.kind === "operator") return operatorName;
  return holder.id === operatorName ? undefined : holder.id;
}

/** Far longer than an owner's id may be. */
const nameLengthMax = 256;

/**
 * What was typed, as a name is kept; empty, which is nobody's, for what is too long. To normalise
 * a text takes time with the square of its marks, and everybody may send one.
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

export interface Rehash {
  readonly account: string;
  readonly was: string;
  readonly hash: string;
}

/** A try at something that is counted by a bucket of its own, which holds `burst` of them. */
export interface SignInAttempt {
  readonly bucket: string;
  readonly atMs: number;
  readonly burst: number;
  /** In which one grows back. */
  readonly intervalMs: number;
}

export interface SessionWithHolder {
  readonly session: Session;
  readonly holder: AccessHolder;
}

/** The least recently used ones beyond it end when another begins. */
export const sessionsPerAccountMax = 20;

/**
 * A promise that resolves means: on disk, and in force in every process on this store. Each method
 * that changes something does so in one transaction, or not at all. Neither the store nor what it
 * returns judges by time, except where an instant is handed to it.
 */
export interface AccountStore {
  find(name: string): MaybePromise<Account | undefined>;
  /** Makes the account if need be, and ends an earlier link of it. False: there is no such owner. */
  issueLink(link: OneTimeLink): Promise<boolean>;
  /** Expired ones too. */
  findLink(hash: string): MaybePromise<OneTimeLink | undefined>;
  /**
   * Trades a link for a session. False, with nothing done, when the link is gone or has expired: of
   * several concurrent uses, one returns true.
   */
  useLink(use: LinkUse): Promise<boolean>;
  /** False, with nothing done, when the password is another than that of the version by now. */
  addSession(session: Session, passwordVersion: number): Promise<boolean>;
  /** Those that are over too, as long as they are kept. */
  findSession(hash: string): MaybePromise<SessionWithHolder | undefined>;
  /** The most recently used first. */
  listSessions(account: string): MaybePromise<readonly Session[]>;
  /** Moves forward only, and does nothing for a session that has ended. */
  sawSession(hash: string, atMs: number): Promise<void>;
  /** False when the account has no such session. */
  endSession(account: string, id: string): Promise<boolean>;
  /** All of the account but the one to keep. Returns how many. */
  endSessions(account: string, keep: string | undefined): Promise<number>;
  /** False, with nothing done, when the password is another than that of the version by now. */
  changePassword(change: PasswordChange): Promise<boolean>;
  /** The same password under other parameters. Does nothing when it was changed meanwhile. */
  rehashPassword(rehash: Rehash): Promise<void>;
  /** Takes one out of the bucket. Returns 0, or after how many milliseconds there is one to take. */
  take(attempt: SignInAttempt): Promise<number>;
  /** Undoes a `take` that should not count. */
  giveBack(attempt: SignInAttempt): Promise<void>;
}
