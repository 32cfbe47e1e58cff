import type { CommitReport } from "../stores.ts";
import { Buckets } from "./buckets.ts";
import type { Family, Sample } from "./metricsText.ts";
import { latencyBounds, RequestCounts } from "./requestCounts.ts";

export interface RequestMetrics {
  /** Without an operation: a request that reached none. */
  observe(operation: string | undefined, status: number, seconds: number): void;
}

export interface Metrics extends RequestMetrics {
  commit(report: CommitReport): void;
  families(): Promise<readonly Family[]>;
  /** All but what the store has to be asked for. */
  counted(): readonly Family[];
}

type StoreSize = () => Promise<Readonly<Record<string, number>>>;

export function createMetrics(storeSize: StoreSize): Metrics {
  const requests = new RequestCounts();
  const commitWrites = new Buckets([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
  const commitDuration = new Buckets(latencyBounds);

  function counted(): Family[] {
    return [
      ...processFamilies(),
      {
        name: "petstore_requests_total",
        type: "counter",
        help: "Requests answered, by operation and status.",
        samples: requests.totals(),
      },
      {
        name: "petstore_request_duration_seconds",
        type: "histogram",
        help: "From the first byte of the request handled to the answer handed over, by operation.",
        samples: requests.durations(),
      },
      {
        name: "petstore_commit_writes",
        type: "histogram",
        help: "Writes that shared one durable commit.",
        samples: commitWrites.samples(),
      },
      {
        name: "petstore_commit_duration_seconds",
        type: "histogram",
        help: "From the begin of a commit's transaction to its being on disk.",
        samples: commitDuration.samples(),
      },
    ];
  }

  async function families(): Promise<Family[]> {
    return [
      ...counted(),
      {
        name: "petstore_store_bytes",
        type: "gauge",
        help: "Bytes that the store takes, by part.",
        together: "max",
        samples: Object.entries(await storeSize()).map(([part, value]) => ({
          labels: { part },
          value,
        })),
      },
    ];
  }

  return {
    observe(operation = "none", status, seconds) {
      requests.observe(operation, status, seconds);
    },
    commit({ writes, durationMs }) {
      commitWrites.observe(writes);
      commitDuration.observe(durationMs / 1000);
    },
    families,
    counted,
  };
}

/** By their conventional names. */
export function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage();
  const one = (value: number): Sample[] => [{ value }];
  return [
    {
      name: "process_resident_memory_bytes",
      type: "gauge",
      help: "Memory that the process holds.",
      samples: one(process.memoryUsage.rss()),
    },
    {
      name: "process_start_time_seconds",
      type: "gauge",
      help: "When the process started, in seconds since 1970.",
      together: "min",
      samples: one(Math.round(performance.timeOrigin / 1000)),
    },
    {
      name: "process_cpu_seconds_total",
      type: "counter",
      help: "Processor time that the process has used.",
      samples: one((user + system) / 1e6),
    },
  ];
}
