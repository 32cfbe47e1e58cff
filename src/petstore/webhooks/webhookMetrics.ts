/** Counts attempts to deliver events, and measures how long a delivery took. */
import { Histogram, type MetricsRegistry } from "../../core/metrics.ts";
import type { Delivery, DeliveryState } from "./webhooks.ts";

/** In seconds. Retries go on for three days. */
const delayBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400, 259_200];
const outcomes = { delivered: "delivered", pending: "retried", failed: "failed" } as const;

export class WebhookMetrics {
  readonly #attempts;
  readonly #delays;

  constructor(registry: MetricsRegistry) {
    const attempts = registry.counter(
      "petstore_webhook_attempts_total",
      "Attempts to deliver an event: delivered, to be retried, or failed for good.",
    );
    const at = (state: DeliveryState) => attempts.at({ outcome: outcomes[state] });
    this.#attempts = {
      delivered: at("delivered"),
      pending: at("pending"),
      failed: at("failed"),
    } satisfies Record<DeliveryState, unknown>;
    this.#delays = registry.histogram(
      "petstore_webhook_delivery_delay_seconds",
      "From an event to its delivery, retries included.",
      new Histogram(delayBounds),
    );
  }

  /** `state` is what the attempt has led to. */
  attempted({ body, attempts, tries }: Delivery, state: DeliveryState, nowMs: number): void {
    this.#attempts[state].value++;
    // What was replayed was wanted again, and is not late.
    if (state !== "delivered" || attempts.length > tries) return;
    const [, timestamp = ""] = timestampOf.exec(body) ?? [];
    const delayMs = nowMs - Date.parse(timestamp);
    // The clock may have been set back.
    if (delayMs >= 0) this.#delays.observe(delayMs / 1000);
  }
}

/** The first one: data comes after it. */
const timestampOf = /"timestamp":"([^"]+)"/;
