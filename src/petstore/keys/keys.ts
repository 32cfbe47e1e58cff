import type { OperationId } from "../../contract/operations.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { KeyRetention } from "./lifecycle.ts";
import type { Sunsets } from "./sunsets.ts";
import type { Environment } from "./token.ts";

/** A key as it is stored. The token itself is not stored. */
export interface ApiKey {
  /** `key_` and 12 characters, for people and logs. Not secret. */
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly hash: string;
  readonly hint: string;
  /** `all` includes scopes that do not exist yet, but not `platformScope`. */
  readonly scopes: "all" | readonly string[];
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
  /** The key that replaced it in a rotation. */
  readonly replacedBy: string | undefined;
  /** Stored every few seconds, so it may lag by that much. */
  readonly lastUsedAtMs: number | undefined;
}

/** How often a key called an operation on one day (UTC, `2026-11-15`). */
export interface KeyUse {
  readonly keyId: string;
  readonly operation: OperationId;
  readonly day: string;
  readonly count: number;
  readonly lastAtMs: number;
}

/**
 * A write that resolves is on disk and in effect in every process on this store. With processes on
 * several machines that may take up to two seconds, if one cannot be reached.
 */
export interface KeyStore {
  add(key: ApiKey): Promise<void>;

  /**
   * Adds the successor and brings the old key's expiry forward to the given instant, both or
   * neither. Rejects when there is no such key, or it was revoked or rotated before.
   */
  rotate(oldId: string, oldExpiresAtMs: number, successor: ApiKey): Promise<void>;

  /** Keeps the first instant if the key was revoked before. Rejects when there is no such key. */
  revoke(id: string, atMs: number): Promise<void>;

  /**
   * Records that keys have expired, of each once, whichever process sees it first. Resolves with
   * whether there may be more.
   */
  recordExpiry(nowMs: number): Promise<boolean>;

  /**
   * Records that keys still call operations that are about to be removed: of each key and operation
   * once in thirty days at most. Resolves with whether there may be more.
   */
  recordSunsets(sunsets: Sunsets): Promise<boolean>;

  findByHash(hash: string): MaybePromise<ApiKey | undefined>;

  /** In the order of their creation. */
  list(): MaybePromise<readonly ApiKey[]>;

  /**
   * Adds to the counts of the same key, operation and day, and advances the last use. Ignores
   * uses of a key that no longer exists.
   */
  recordUses(uses: readonly KeyUse[]): Promise<void>;

  /** In the order of key, operation and day. */
  listUses(): MaybePromise<readonly KeyUse[]>;

  /** Those of an operation by these keys, from a day on. */
  usesOf(
    operation: string,
    keyIds: readonly string[],
    sinceDay: string,
  ): MaybePromise<readonly KeyUse[]>;

  /**
   * Removes keys of the catalogue page, with their uses, and uses of all keys, once their retention
   * has ended. What exceeds one batch is removed by the next call.
   */
  prune(retention: KeyRetention): Promise<void>;

  /**
   * A number that differs after any change to any key, by any process (uses do not count). Read for
   * every request, so it must cost next to nothing. NaN, which equals nothing, while this process
   * cannot know: then nothing may be cached.
   */
  revision(): number;
}
