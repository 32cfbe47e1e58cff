/** Passwords as they are stored: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`, each with its cost. */
import { argon2, timingSafeEqual } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/problems.ts";
import { Semaphore, SemaphoreFull } from "../core/semaphore.ts";
import { normalizePassword } from "./password.ts";

/** How much work a hash is. Memory in KiB. */
export interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's choice for argon2id (docs/decisions/0038). A stored hash of another cost is replaced. */
export const currentCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };

/** Off the main thread. */
export type Derive = (password: Uint8Array, salt: Uint8Array, cost: Cost) => Promise<Uint8Array>;

const saltBytes = 16;
const hashBytes = 32;
/** Each takes a core and the memory of its cost. */
const hashingAtOnceMax = 2;
const hashingWaitingMax = 32;
const busySeconds = 2;

const argon2id: Derive = (message, nonce, cost) =>
  new Promise((resolve, reject) => {
    const parameters = { message, nonce, ...cost, tagLength: hashBytes };
    argon2("argon2id", parameters, (cause, hash) => (cause ? reject(cause) : resolve(hash)));
  });

interface StoredHash {
  readonly cost: Cost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

export class Passwords {
  readonly #clock: Clock;
  readonly #derive: Derive;
  readonly #hashing = new Semaphore(hashingAtOnceMax, hashingWaitingMax);
  /** Nobody's: what is compared with where there is no password, so that it takes as long. */
  readonly #nobodys: StoredHash;

  constructor(clock: Clock, derive: Derive = argon2id) {
    this.#clock = clock;
    this.#derive = derive;
    this.#nobodys = {
      cost: currentCost,
      salt: clock.random(saltBytes),
      hash: clock.random(hashBytes),
    };
  }

  async hash(password: string): Promise<string> {
    const salt = this.#clock.random(saltBytes);
    return formatHash({
      cost: currentCost,
      salt,
      hash: await this.#derived(password, salt, currentCost),
    });
  }

  /** Does the same work whether there is a password to compare with or not. */
  async matches(password: string, stored: string | undefined): Promise<boolean> {
    const { cost, salt, hash } = stored === undefined ? this.#nobodys : parseHash(stored);
    const same = timingSafeEqual(await this.#derived(password, salt, cost), hash);
    return same && stored !== undefined;
  }

  async #derived(password: string, salt: Uint8Array, cost: Cost): Promise<Uint8Array> {
    // Nobody's password is empty, so what is too long matches none, after the same work.
    const bytes = Buffer.from(normalizePassword(password) ?? "");
    return this.#hashing
      .run(() => this.#derive(bytes, salt, cost))
      .catch((cause: unknown) => {
        if (!(cause instanceof SemaphoreFull)) throw cause;
        const message = "Too many people are signing in right now. Try again in a moment.";
        throw new Problem("sign_in_busy", { detail: message, retryAfterSeconds: busySeconds });
      });
  }
}

/** Whether a stored password should be hashed anew when it is next typed. */
export function needsRehash(stored: string): boolean {
  const { memory, passes, parallelism } = parseHash(stored).cost;
  return (
    memory !== currentCost.memory ||
    passes !== currentCost.passes ||
    parallelism !== currentCost.parallelism
  );
}

function formatHash({ cost: { memory, passes, parallelism }, salt, hash }: StoredHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

function parseHash(text: string): StoredHash {
  const [, memory, passes, parallelism, salt = "", hash = ""] = form.exec(text) ?? [];
  const bytes = Buffer.from(hash, "base64");
  // Without what it says, which is nobody's business.
  if (bytes.length !== hashBytes) throw new Error("A stored password has an unknown form.");
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    hash: bytes,
  };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
