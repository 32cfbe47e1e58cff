import type { MaybePromise } from "../maybePromise.ts";

/** Whom a token speaks for: the operator may do everything, an owner what is theirs. */
export type AccessHolder =
  | { readonly kind: "operator" }
  | { readonly kind: "owner"; readonly id: string };

/** A token as the store keeps it. The token itself is nowhere. */
export interface AccessToken {
  /** Names it to people and in logs: `acc_` and 12 characters. No secret. */
  readonly id: string;
  readonly name: string;
  readonly holder: AccessHolder;
  readonly hash: string;
  readonly hint: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | undefined;
}

/** A promise that resolves means: on disk, and in force in every process on this store. */
export interface AccessStore {
  /** False, with nothing done, when there is no such owner. */
  add(token: AccessToken): Promise<boolean>;
  /** Keeps the first instant if it was revoked before. False when there is no such token. */
  revoke(id: string, atMs: number): Promise<boolean>;
  /** Revoked ones too. */
  findByHash(hash: string): MaybePromise<AccessToken | undefined>;
  /** In the order of their creation. */
  list(): MaybePromise<readonly AccessToken[]>;
}
