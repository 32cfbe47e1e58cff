/**
 * Idempotent writes: a request can carry an idempotency key, and its response is stored under that
 * key in the transaction of its effect. A repetition gets the stored response.
 */
import type { JsonOf } from "../../contract/document.ts";

/** How long a response is stored. */
export const retentionMs = 24 * 3_600_000;

export interface IdempotentRequest {
  /** The id of the API key: idempotency keys of different API keys are independent. */
  readonly keyId: string;
  readonly idempotencyKey: string;
  /** Equal for repetitions of the same request. */
  readonly fingerprint: string;
  readonly nowMs: number;
}

/** The entity that a write created or updated, as the client gets it. */
export interface Done<T> {
  readonly kind: "done" | "replayed";
  readonly id: bigint;
  readonly text: JsonOf<T>;
}

/** The idempotency key was used for another request, so nothing was done. */
export interface Mismatch {
  readonly kind: "mismatch";
}

export interface StoredResponse {
  readonly fingerprint: string;
  readonly entityId: bigint;
  readonly text: string;
  readonly createdAtMs: number;
}

/** Used in the transaction of the effect, which is isolated. */
export interface IdempotencyStore {
  /** Expired ones too. */
  find(request: IdempotentRequest): StoredResponse | undefined;
  /** Replaces an expired one. */
  store(request: IdempotentRequest, response: StoredResponse): void;
}

/** Runs a write, unless it was done before under the same key. A refusal is not stored. */
export function idempotently<T, Refusal extends { readonly kind: string }>(
  store: IdempotencyStore,
  request: IdempotentRequest | undefined,
  write: () => Done<T> | Refusal,
): Done<T> | Mismatch | Refusal {
  if (request === undefined) return write();
  const { fingerprint, nowMs } = request;
  const earlier = store.find(request);
  if (earlier !== undefined && nowMs - earlier.createdAtMs < retentionMs) {
    if (earlier.fingerprint !== fingerprint) return { kind: "mismatch" };
    return { kind: "replayed", id: earlier.entityId, text: earlier.text as JsonOf<T> };
  }
  const outcome = write();
  if (isDone<T>(outcome)) {
    const { id: entityId, text } = outcome;
    store.store(request, { fingerprint, entityId, text, createdAtMs: nowMs });
  }
  return outcome;
}

function isDone<T>(outcome: { readonly kind: string }): outcome is Done<T> {
  return outcome.kind === "done";
}
