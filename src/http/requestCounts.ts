import { Buckets } from "./buckets.ts";
import type { Sample } from "./metricsText.ts";

/** In seconds. */
export const latencyBounds = [
  0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];
const statusesMax = 600;

interface Counted {
  readonly byStatus: Float64Array;
  readonly latencies: Buckets;
}

/** Requests by operation, status and duration. */
export class RequestCounts {
  readonly #counted = new Map<string, Counted>();

  observe(operation: string, status: number, seconds: number): void {
    const counted = this.#counted.get(operation) ?? this.#begin(operation);
    (counted.byStatus[status] as number)++;
    counted.latencies.observe(seconds);
  }

  totals(): Sample[] {
    return [...this.#counted].flatMap(([operation, { byStatus }]) =>
      [...byStatus.entries()]
        .filter(([, value]) => value > 0)
        .map(([status, value]) => ({ labels: { operation, status }, value })),
    );
  }

  durations(): Sample[] {
    return [...this.#counted].flatMap(([operation, { latencies }]) =>
      latencies.samples({ operation }),
    );
  }

  #begin(operation: string): Counted {
    const counted = {
      byStatus: new Float64Array(statusesMax),
      latencies: new Buckets(latencyBounds),
    };
    this.#counted.set(operation, counted);
    return counted;
  }
}
