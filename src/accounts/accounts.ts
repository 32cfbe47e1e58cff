import type { AccessHolder } from "../access/access.ts";
import type { MaybePromise } from "../maybePromise.ts";
import type { Account, OneTimeLink, Session } from "./account.ts";

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
export interface Try {
  readonly bucket: string;
  readonly atMs: number;
  readonly burst: number;
  /** In which one grows back. */
  readonly intervalMs: number;
}

export interface KnownSession {
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
   * several uses at once, one is told true.
   */
  useLink(use: LinkUse): Promise<boolean>;
  /** False, with nothing done, when the password is another than that of the version by now. */
  addSession(session: Session, passwordVersion: number): Promise<boolean>;
  /** Those that are over too, as long as they are kept. */
  findSession(hash: string): MaybePromise<KnownSession | undefined>;
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
  take(attempt: Try): Promise<number>;
  /** Undoes a `take` that should not count. */
  giveBack(attempt: Try): Promise<void>;
}
