import type { Clock } from "../../core/clock.ts";
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import { Problem } from "../../core/problems.ts";
import type { ApiKey, KeyStore } from "./keys.ts";
import { keyState } from "./lifecycle.ts";
import { type Environment, hashToken, tokenEnvironment } from "./token.ts";

const cachedMax = 10_000;

/** Finds the key of a token, or the reason to reject it. */
export class Authenticator {
  readonly #store: KeyStore;
  readonly #environment: Environment;
  readonly #clock: Clock;
  /** Keys by token, valid for one revision of the store: saves the hash and the lookup. */
  readonly #cached = new Map<string, ApiKey>();
  #revision = Number.NaN;

  constructor(store: KeyStore, environment: Environment, clock: Clock) {
    this.#store = store;
    this.#environment = environment;
    this.#clock = clock;
  }

  /**
   * Throws a Problem of status 401 unless the token is that of an active key of this environment.
   * The store's revision is read before the lookup: a change between the two is noticed the next
   * time.
   */
  check(token: string, revision = this.#store.revision()): MaybePromise<ApiKey> {
    if (revision !== this.#revision) {
      this.#cached.clear();
      this.#revision = revision;
    }
    const cached = this.#cached.get(token);
    if (cached !== undefined) return this.#judge(cached);

    const environment = tokenEnvironment(token);
    // A malformed key gets the same response as an unknown one.
    if (environment === undefined) throw new Problem("key_invalid");
    if (environment !== this.#environment) {
      throw new Problem("key_wrong_environment", {
        detail: `This is a ${environment} key, and this is ${this.#environment}.`,
      });
    }
    return then(this.#store.findByHash(hashToken(token)), (key) => {
      if (key === undefined) throw new Problem("key_invalid");
      if (revision === this.#revision) this.#cache(token, key);
      return this.#judge(key);
    });
  }

  /** The key of a token that was checked before and is still active; undefined for all others. */
  recall(token: string, revision: number, nowMs: number): ApiKey | undefined {
    const key = revision === this.#revision ? this.#cached.get(token) : undefined;
    return key !== undefined && keyState(key, nowMs) === "active" ? key : undefined;
  }

  #cache(token: string, key: ApiKey): void {
    if (this.#cached.size >= cachedMax) this.#cached.clear();
    this.#cached.set(token, key);
  }

  #judge(key: ApiKey): ApiKey {
    const state = keyState(key, this.#clock.now());
    if (state === "revoked") throw new Problem("key_revoked");
    if (state === "expired") throw new Problem("key_expired");
    return key;
  }
}
