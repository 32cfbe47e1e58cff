/** Sends a request until it has a final response, or until its attempts or its time are used up. */
import { PetStoreUnreachable, type Redact, safeCause } from "./errors.ts";
import type { OperationId } from "./operations.ts";
import type { Platform } from "./platform.ts";
import { isTemporary, pauseMs, readRetryAfter } from "./response.ts";

/** As `PetStoreOptions` describes them. */
export type Limits = Readonly<Record<"retries" | "timeoutMs" | "totalMs", number>>;

/** Any of these may be sent twice: it only reads, or its Idempotency-Key makes it happen once. */
export interface OutgoingRequest {
  readonly operation: OperationId;
  readonly method: string;
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Takes the key out of what is said about this request. */
  readonly redact: Redact;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly retryAfterMs: number | undefined;
  readonly attempts: number;
}

type Outcome =
  | { readonly kind: "responded"; readonly status: number; headers: Headers; text: string }
  | { readonly kind: "late"; readonly limitMs: number }
  | { readonly kind: "unreachable"; readonly cause: unknown };

/** Whatever the status of the response is. Throws PetStoreUnreachable, or the reason of an abort. */
export async function send(
  request: OutgoingRequest,
  limits: Limits,
  platform: Platform,
): Promise<ReceivedResponse> {
  const startedAtMs = platform.now();
  const leftMs = () => limits.totalMs - (platform.now() - startedAtMs);
  for (let attempts = 1; ; attempts++) {
    const outcome = await attempt(request, Math.min(limits.timeoutMs, leftMs()), platform);
    const retryAfter = outcome.kind === "responded" ? outcome.headers.get("retry-after") : null;
    const retryAfterMs = readRetryAfter(retryAfter, platform.now());
    const response =
      outcome.kind === "responded" ? { ...outcome, retryAfterMs, attempts } : undefined;
    if (response !== undefined && !isTemporary(response.status, response.text)) return response;
    const delayMs = pauseMs(attempts, retryAfterMs, platform.random());
    if (attempts > limits.retries || delayMs >= leftMs()) {
      if (response !== undefined) return response;
      throw unreachable(request, outcome, attempts);
    }
    await platform.sleep(delayMs, request.signal);
  }
}

async function attempt(
  request: OutgoingRequest,
  limitMs: number,
  platform: Platform,
): Promise<Outcome> {
  const { address, method, headers, body, signal } = request;
  signal?.throwIfAborted();
  const ending = new AbortController();
  let late = false;
  const cancel = platform.after(limitMs, () => {
    late = true;
    ending.abort();
  });
  const end = () => ending.abort(signal?.reason);
  signal?.addEventListener("abort", end, { once: true });
  try {
    const response = await platform.fetch(address, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal: ending.signal,
      // The key goes where it was meant to go, and no cookie goes with it.
      redirect: "manual",
      credentials: "omit",
    });
    const text = await response.text();
    return { kind: "responded", status: response.status, headers: response.headers, text };
  } catch (cause) {
    signal?.throwIfAborted();
    return late ? { kind: "late", limitMs } : { kind: "unreachable", cause };
  } finally {
    cancel();
    signal?.removeEventListener("abort", end);
  }
}

function unreachable(
  { operation, idempotencyKey, address, redact }: OutgoingRequest,
  outcome: Outcome,
  attempts: number,
): PetStoreUnreachable {
  const cause = outcome.kind === "unreachable" ? safeCause(outcome.cause, redact) : undefined;
  const why =
    outcome.kind === "late"
      ? `no answer within ${outcome.limitMs} ms`
      : (cause?.message ?? "no answer").replace(/\.$/, "");
  const times = attempts === 1 ? "once" : `${attempts} times`;
  const message = `${operation}: ${new URL(address).origin} could not be reached, tried ${times}: ${why}.`;
  return new PetStoreUnreachable(message, { operation, attempts, idempotencyKey }, cause);
}
