import { hash } from "node:crypto";
import type { OperationId } from "../contract/operations.ts";
import type { Once } from "../once.ts";
import { Problem } from "../problems.ts";
import type { RequestHeaders } from "../wire/message.ts";

const markForm = /^[!-~]{1,255}$/;

/** The mark that a client put on its attempt; undefined where it put none. */
export function readMark(request: RequestHeaders): string | undefined {
  const mark = request.header("idempotency-key");
  if (mark === undefined) return undefined;
  if (markForm.test(mark)) return mark;
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

/** Refuses an attempt while the same one is under way here; the store settles all other cases. */
export class AttemptsUnderWay {
  readonly #names = new Set<string>();

  async run<T>({ keyId, mark }: Once, work: () => T | Promise<T>): Promise<T> {
    const name = `${keyId} ${mark}`;
    if (this.#names.has(name)) {
      throw new Problem("idempotency_in_flight", { headers: { "retry-after": "1" } });
    }
    this.#names.add(name);
    try {
      return await work();
    } finally {
      this.#names.delete(name);
    }
  }
}
