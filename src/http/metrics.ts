import type { CommitReport } from "../storage/stores.ts";

export interface RequestMetrics {
  /** Undefined for a request that reached no operation. */
  observe(operation: string | undefined, status: number, seconds: number): void;
}

export interface Metrics extends RequestMetrics {
  commit(report: CommitReport): void;
  families(): Promise<readonly Family[]>;
  /** All except those that need a query to the store. */
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

/** In seconds. */
const latencyBounds = [
  0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];
const statusesMax = 600;

interface Counted {
  readonly byStatus: Float64Array;
  readonly latencies: Buckets;
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

/** A histogram in plain numbers, since it is updated for every request. */
class Buckets {
  readonly #bounds: readonly number[];
  /** One for each bound, and one for larger values. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** A value belongs to the first bound that it does not exceed. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let at = 0;
    while (value > (this.#bounds[at] ?? Number.POSITIVE_INFINITY)) at++;
    (this.#counts[at] as number)++;
    this.#sum += value;
  }

  /** Buckets are cumulative. */
  samples(labels: NonNullable<Sample["labels"]> = {}): Sample[] {
    let value = 0;
    const buckets = [...this.#counts].map((count, at) => {
      value += count;
      const le = this.#bounds[at] ?? "+Inf";
      return { suffix: "_bucket", labels: { le, ...labels }, value };
    });
    return [
      ...buckets,
      { suffix: "_sum", labels, value: this.#sum },
      { suffix: "_count", labels, value },
    ];
  }
}

export interface Sample {
  /** The suffix of the family's name: `_sum`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric with its samples. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** How the samples of several processes are combined; by default their sum. */
  readonly together?: "min" | "max";
  readonly samples: readonly Sample[];
}

export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

/** In the text format of Prometheus (exposition format 0.0.4). */
export function metricsText(families: readonly Family[]): string {
  return families.map(familyText).join("\n");
}

/** Combines the same families of several processes. */
export function sumFamilies(all: readonly (readonly Family[])[]): Family[] {
  const families = new Map<string, { family: Family; samples: Map<string, Sample> }>();
  for (const family of all.flat()) {
    const known = families.get(family.name) ?? { family, samples: new Map<string, Sample>() };
    families.set(family.name, known);
    for (const sample of family.samples) {
      const name = JSON.stringify([sample.suffix, sample.labels]);
      const before = known.samples.get(name)?.value;
      const value = before === undefined ? sample.value : joined(family, before, sample.value);
      known.samples.set(name, { ...sample, value });
    }
  }
  return [...families.values()].map(({ family, samples }) => ({
    ...family,
    samples: [...samples.values()],
  }));
}

function joined({ together }: Family, one: number, other: number): number {
  return together === undefined ? one + other : Math[together](one, other);
}

function familyText({ name, type, help, samples }: Family): string {
  const lines = [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${name} ${type}`,
    ...samples.map((sample) => sampleLine(name, sample)),
  ];
  return `${lines.join("\n")}\n`;
}

function sampleLine(name: string, { suffix = "", labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(`${text}`)}"`);
  return `${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
