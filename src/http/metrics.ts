/** Requests and commits, counted. */
import { Histogram, type MetricsRegistry, type Sample } from "../core/metrics.ts";
import type { CommitReport } from "../storage/stores.ts";

export interface RequestMetrics {
  /** Undefined for a request that reached no operation. */
  observe(operation: string | undefined, status: number, seconds: number): void;
}

export interface Metrics extends RequestMetrics {
  commit(report: CommitReport): void;
}

export function createMetrics(registry: MetricsRegistry): Metrics {
  const requests = new RequestCounts();
  registry.counted("petstore_requests_total", "Requests answered, by operation and status.", () =>
    requests.totals(),
  );
  registry.histogram(
    "petstore_request_duration_seconds",
    "From the first byte of the request handled to the answer handed over, by operation.",
    requests,
  );
  const commitWrites = registry.histogram(
    "petstore_commit_writes",
    "Writes that shared one durable commit.",
    new Histogram([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]),
  );
  const commitDuration = registry.histogram(
    "petstore_commit_duration_seconds",
    "From the begin of a commit's transaction to its being on disk.",
    new Histogram(latencyBounds),
  );
  return {
    observe(operation = "none", status, seconds) {
      requests.observe(operation, status, seconds);
    },
    commit({ writes, durationMs }) {
      commitWrites.observe(writes);
      commitDuration.observe(durationMs / 1000);
    },
  };
}

/** In seconds. */
const latencyBounds = [
  0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];
const statusesMax = 600;

interface Counted {
  readonly byStatus: Float64Array;
  readonly latencies: Histogram;
}

/** Requests by operation, status and duration. */
class RequestCounts {
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

  /** The durations. */
  samples(): Sample[] {
    return [...this.#counted].flatMap(([operation, { latencies }]) =>
      latencies.samples({ operation }),
    );
  }

  #begin(operation: string): Counted {
    const counted = {
      byStatus: new Float64Array(statusesMax),
      latencies: new Histogram(latencyBounds),
    };
    this.#counted.set(operation, counted);
    return counted;
  }
}
