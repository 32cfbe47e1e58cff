/**
 * Metrics in plain numbers, since some are updated for every request, and their text in the format
 * of Prometheus (decision 46).
 */
import { readdirSync, readFileSync } from "node:fs";

export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  /** The suffix of the family's name: `_sum`. */
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

/** A metric with its samples. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** How the samples of several processes are combined; by default their sum. */
  readonly together?: "min" | "max" | undefined;
  readonly samples: readonly Sample[];
}

/** One count, kept by whoever counts often. */
export interface Count {
  value: number;
}

/** Counts by labels. The values of each label must be few and known: never a name of an owner's. */
export class Counter {
  readonly #counts = new Map<string, { readonly labels: Labels; readonly count: Count }>();

  /** Shown from now on, as 0 until it is counted. */
  at(labels: Labels = {}): Count {
    const name = JSON.stringify(labels);
    const known = this.#counts.get(name) ?? { labels, count: { value: 0 } };
    this.#counts.set(name, known);
    return known.count;
  }

  samples(): Sample[] {
    return [...this.#counts.values()].map(({ labels, count }) => ({ labels, value: count.value }));
  }
}

export class Histogram {
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
  samples(labels: Labels = {}): Sample[] {
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

type Read = () => number | readonly Sample[];

/** What one process counts. Each part registers its own; of the same name, the latest is shown. */
export class MetricsRegistry {
  readonly #families = new Map<string, () => Family>();

  counter(name: string, help: string): Counter {
    const counter = new Counter();
    this.counted(name, help, () => counter.samples());
    return counter;
  }

  /** A count that is kept elsewhere. */
  counted(name: string, help: string, read: Read): void {
    this.#families.set(name, () => ({ name, type: "counter", help, samples: samplesOf(read()) }));
  }

  histogram<T extends { samples(): readonly Sample[] }>(name: string, help: string, kept: T): T {
    this.#families.set(name, () => ({ name, type: "histogram", help, samples: kept.samples() }));
    return kept;
  }

  /** Read whenever the metrics are. */
  gauge(name: string, help: string, read: Read, together?: Family["together"]): void {
    this.#families.set(name, () => gauge(name, help, read(), together));
  }

  families(): Family[] {
    return [...this.#families.values()].map((family) => family());
  }
}

export function gauge(
  name: string,
  help: string,
  read: ReturnType<Read>,
  together?: Family["together"],
): Family {
  return { name, type: "gauge", help, together, samples: samplesOf(read) };
}

function samplesOf(read: ReturnType<Read>): readonly Sample[] {
  return typeof read === "number" ? [{ value: read }] : read;
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

/** Of this process, by their conventional names. */
export function processFamilies(): Family[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const startedSeconds = Math.round(performance.timeOrigin / 1000);
  const cpuSeconds = [{ value: (user + system) / 1e6 }];
  const help = "Processor time that the process has used.";
  return [
    gauge("process_resident_memory_bytes", "Memory that the process holds.", rss),
    gauge("process_heap_bytes", "Memory of the process in use by its objects.", heapUsed),
    gauge(
      "process_start_time_seconds",
      "When the process started, in seconds since 1970.",
      startedSeconds,
      "min",
    ),
    { name: "process_cpu_seconds_total", type: "counter", help, samples: cpuSeconds },
    ...descriptorFamilies(),
  ];
}

/** None where the system does not have them as files. */
function descriptorFamilies(): Family[] {
  try {
    const open = readdirSync("/proc/self/fd").length;
    const [, max] =
      /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    const families = [gauge("process_open_fds", "File descriptors that are open.", open)];
    if (max === undefined) return families;
    return [...families, gauge("process_max_fds", "How many may be open.", Number(max))];
  } catch {
    return [];
  }
}
