import { hash } from "node:crypto";
import type { OperationId } from "../contract/operations.ts";
import { Problem } from "../core/problems.ts";
import type { IdempotentRequest } from "../petstore/idempotency/idempotency.ts";
import type { RequestHeaders } from "../wire/message.ts";

const idempotencyKeyForm = /^[!-~]{1,255}$/;

/** Undefined where the client sent none. */
export function readIdempotencyKey(request: RequestHeaders): string | undefined {
  const idempotencyKey = request.header("idempotency-key");
  if (idempotencyKey === undefined) return undefined;
  if (idempotencyKeyForm.test(idempotencyKey)) return idempotencyKey;
  throw new Problem("parameter_invalid", {
    detail: "Idempotency-Key must be 1 to 255 visible ASCII characters without spaces.",
  });
}

/** The same for requests that ask for the same, however their JSON is laid out. */
export function fingerprint(operation: OperationId, path: unknown, body: unknown): string {
  const asked = JSON.stringify([operation, path, body], (_name, value) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
  return hash("sha256", asked, "base64url");
}

/** Refuses a repetition while the first is in flight here; the store settles all other cases. */
export class InFlightRequests {
  readonly #inFlight = new Set<string>();

  async run<T>(
    { keyId, idempotencyKey }: IdempotentRequest,
    work: () => T | Promise<T>,
  ): Promise<T> {
    const name = `${keyId} ${idempotencyKey}`;
    if (this.#inFlight.has(name)) {
      throw new Problem("idempotency_in_flight", { retryAfterSeconds: 1 });
    }
    this.#inFlight.add(name);
    try {
      return await work();
    } finally {
      this.#inFlight.delete(name);
    }
  }
}
