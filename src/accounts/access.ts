import type { Clock } from "../core/clock.ts";
import type { MaybePromise } from "../core/maybePromise.ts";
import { checksum, hashToken, randomText } from "../petstore/keys/token.ts";

/** The principal of a token. The operator may do everything; an owner only what is theirs. */
export type AccessHolder =
  | { readonly kind: "operator" }
  | { readonly kind: "owner"; readonly id: string };

/** A token as it is stored: its hash, never the token itself. */
export interface AccessToken {
  /** Identifies it to people and in logs: `acc_` and 12 characters. Not a secret. */
  readonly id: string;
  readonly name: string;
  readonly holder: AccessHolder;
  readonly hash: string;
  readonly hint: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | undefined;
}

/** A write that resolves is on disk, and in force in every process on this store. */
export interface AccessStore {
  /** False, with nothing done, when there is no such owner. */
  add(token: AccessToken): Promise<boolean>;
  /** Keeps the first instant if it was revoked before. False when there is no such token. */
  revoke(id: string, atMs: number): Promise<boolean>;
  /** Revoked ones too, but none whose account is disabled. */
  findByHash(hash: string): MaybePromise<AccessToken | undefined>;
  /** In the order of their creation. */
  list(): MaybePromise<readonly AccessToken[]>;
}

const prefixes: Readonly<Record<AccessHolder["kind"], string>> = {
  owner: "pet_owner_",
  operator: "pet_operator_",
};
const randomLength = 32;
const form = /^(pet_(?:owner|operator)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/**
 * The credential of an owner or the operator for the platform's API: `pet_owner_` or
 * `pet_operator_`, 32 random characters, and a checksum of 6. It is not valid for the pet store API,
 * nor an API key for this one. Only the hash is stored, so the token cannot be shown again.
 */
export function mintAccess(holder: AccessHolder, name: string, clock: Clock) {
  const body = prefixes[holder.kind] + randomText(randomLength, clock);
  const token = body + checksum(body);
  const access: AccessToken = {
    id: `acc_${randomText(12, clock)}`,
    name,
    holder,
    hash: hashToken(token),
    hint: `${prefixes[holder.kind]}…${token.slice(-4)}`,
    createdAtMs: clock.now(),
    revokedAtMs: undefined,
  };
  return { access, token };
}

/** Rejects typing mistakes and API keys without a query. */
export function isAccessToken(token: string): boolean {
  const [, body = "", check] = form.exec(token) ?? [];
  return check !== undefined && checksum(body) === check;
}
