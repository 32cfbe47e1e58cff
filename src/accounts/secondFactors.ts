/** What an account has beside its password to sign in with, and how it is stored. */
import type { MaybePromise } from "../core/maybePromise.ts";
import type { AccessHolder } from "./access.ts";
import type { Session } from "./accounts.ts";

/** Whom the operator requires to have a second factor. */
export const secondFactorPolicies = ["optional", "operator", "required"] as const;
export type SecondFactorPolicy = (typeof secondFactorPolicies)[number];

export function requiresSecondFactor(policy: SecondFactorPolicy, { kind }: AccessHolder): boolean {
  return policy === "required" || (policy === "operator" && kind === "operator");
}

/** A credential of WebAuthn. */
export interface Passkey {
  /** Identifies it to people and in logs: `psk_` and 12 characters. Not a secret. */
  readonly id: string;
  readonly account: string;
  readonly name: string;
  /** As authenticators name it, in base64url. */
  readonly credentialId: string;
  /** In COSE, base64url. */
  readonly publicKey: string;
  /** How often it was used, as its authenticator counts; 0 where it does not. */
  readonly counter: number;
  /** How browsers reach its authenticator, such as `usb`. */
  readonly transports: readonly string[];
  readonly createdAtMs: number;
  readonly usedAtMs: number | undefined;
}

/** The secret that an account shares with an authenticator app. */
export interface Totp {
  readonly account: string;
  /** In the vault. */
  readonly sealed: string;
  /** Of the last code that was accepted. */
  readonly lastStep: number;
  readonly createdAtMs: number;
}

/** An account has a second factor if it has a passkey or an app; recovery codes are none. */
export interface Factors {
  /** In the order in which they were added. */
  readonly passkeys: readonly Passkey[];
  readonly totp: Totp | undefined;
  readonly recoveryCodesLeft: number;
}

/** The first step of signing in, after which only the second is possible. */
export interface PendingSignIn {
  readonly hash: string;
  /** Undefined where no password was given: the passkey says whose it is. */
  readonly account: string | undefined;
  readonly endsAtMs: number;
}

/** Enough to fetch a phone, too little to leave the desk. */
export const pendingSignInMs = 10 * 60_000;

/** What an authenticator signs. */
export interface Challenge {
  /** The hash of the token of the session, or of the pending sign-in, that it was made for. */
  readonly boundTo: string;
  readonly challenge: string;
  readonly endsAtMs: number;
}

/** A second factor that was verified, and what its use changes. */
export type Proof =
  | { readonly kind: "totp"; readonly was: Totp; readonly step: number }
  | { readonly kind: "recovery"; readonly hash: string }
  | { readonly kind: "passkey"; readonly id: string; readonly counter: number };

export interface SignInCompletion {
  /** The hash of the pending sign-in. */
  readonly pending: string;
  readonly atMs: number;
  readonly proof: Proof;
  readonly session: Session;
}

export interface NewFactor {
  readonly factor: Passkey | Totp;
  readonly atMs: number;
  /** Hashes, stored if the account has no recovery codes. */
  readonly recoveryCodes: readonly string[];
}

export type Added = "added" | "added_with_codes" | "full" | "known";

export interface FactorRemoval {
  readonly account: string;
  /** The id of a passkey; undefined for the authenticator app. */
  readonly passkey: string | undefined;
  readonly atMs: number;
  /** Whether the last factor must stay. */
  readonly keepsOne: boolean;
}

export const passkeysPerAccountMax = 20;

/**
 * A write that resolves is on disk, and in force in every process on this store. Each write is one
 * transaction. What ends the sessions of an account ends its pending sign-ins, too.
 */
export interface SecondFactorStore {
  factorsOf(account: string): Promise<Factors>;
  /** By the id that authenticators know. */
  findPasskey(credentialId: string): MaybePromise<Passkey | undefined>;
  /** Begins a sign-in by passkey alone. */
  addPending(pending: PendingSignIn, atMs: number): Promise<void>;
  /** Expired ones too, until they are deleted. */
  findPending(hash: string): MaybePromise<PendingSignIn | undefined>;
  /** Ends it, so that nothing more can be proved for it. */
  endPending(hash: string): Promise<void>;
  /** Replaces an earlier one for the same session. */
  setChallenge(challenge: Challenge, atMs: number): Promise<void>;
  /** Each is returned once, and not after it has expired. */
  takeChallenge(boundTo: string, atMs: number): Promise<string | undefined>;
  /**
   * Trades a pending sign-in and a proof for a session. False, with nothing done, if either was used
   * or is gone, or the account is disabled: of several concurrent uses, one returns true.
   */
  completeSignIn(completion: SignInCompletion): Promise<boolean>;
  /**
   * An app replaces the one before. With nothing done, `full` if there are too many passkeys, and
   * `known` if somebody has this one already.
   */
  add(factor: NewFactor): Promise<Added>;
  /** False when the account has no such passkey. */
  renamePasskey(account: string, id: string, name: string): Promise<boolean>;
  /** Recovery codes go with the last factor. `last`, with nothing done, if it must stay. */
  remove(removal: FactorRemoval): Promise<"removed" | "absent" | "last">;
  /** False, with nothing done, if the account has no second factor. */
  replaceRecoveryCodes(account: string, hashes: readonly string[], atMs: number): Promise<boolean>;
  /** Removes all factors and ends all sessions. False when there is no such account. */
  reset(account: string, atMs: number): Promise<boolean>;
}
