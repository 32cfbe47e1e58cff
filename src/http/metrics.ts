import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { CommitReport } from "../stores.ts";

export interface RequestMetrics {
  /** Without an operation: a request that reached none. */
  observe(operation: string | undefined, status: number, seconds: number): void;
}

export interface Metrics extends RequestMetrics {
  commit(report: CommitReport): void;
  /** The Prometheus text and its media type. */
  render(): Promise<{ readonly text: string; readonly contentType: string }>;
}

const latencySeconds = [
  0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

export function createMetrics(storeSize: () => Promise<Readonly<Record<string, number>>>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  processMetrics(registry);
  const requests = new Counter({
    name: "petstore_requests_total",
    help: "Requests answered, by operation and status.",
    labelNames: ["operation", "status"],
    registers,
  });
  const duration = new Histogram({
    name: "petstore_request_duration_seconds",
    help: "From the first byte of the request handled to the answer handed over, by operation.",
    labelNames: ["operation"],
    buckets: latencySeconds,
    registers,
  });
  const commitWrites = new Histogram({
    name: "petstore_commit_writes",
    help: "Writes that shared one durable commit.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    registers,
  });
  const commitDuration = new Histogram({
    name: "petstore_commit_duration_seconds",
    help: "From the begin of a commit's transaction to its being on disk.",
    buckets: latencySeconds,
    registers,
  });
  new Gauge({
    name: "petstore_store_bytes",
    help: "Bytes that the store takes, by part.",
    labelNames: ["part"],
    registers,
    async collect() {
      for (const [part, bytes] of Object.entries(await storeSize())) this.set({ part }, bytes);
    },
  });

  // Looking a label set up costs more than counting, so each pair is looked up once.
  const counters = new Map<string, Counter.Internal>();
  const histograms = new Map<string, Histogram.Internal<"operation">>();

  return {
    observe(operation = "none", status, seconds) {
      const name = `${operation} ${status}`;
      let counter = counters.get(name);
      let histogram = histograms.get(operation);
      if (counter === undefined || histogram === undefined) {
        counter = requests.labels(operation, String(status));
        histogram = duration.labels(operation);
        counters.set(name, counter);
        histograms.set(operation, histogram);
      }
      counter.inc();
      histogram.observe(seconds);
    },
    commit({ writes, durationMs }) {
      commitWrites.observe(writes);
      commitDuration.observe(durationMs / 1000);
    },
    async render() {
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}

/** The conventional names. The library's own collectors report V8's figures, which Bun has not. */
function processMetrics(registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Memory that the process holds.",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: "process_start_time_seconds",
    help: "When the process started, in seconds since 1970.",
    registers,
  }).set(Math.round(performance.timeOrigin / 1000));
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time that the process has used.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}
