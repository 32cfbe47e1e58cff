/** What is measured, in the text form that Prometheus reads (exposition format 0.0.4). */

export interface Sample {
  /** What the family's name goes on with: `_sum`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Samples of one meaning. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** What the samples of several processes make together; their sum unless said. */
  readonly together?: "min" | "max";
  readonly samples: readonly Sample[];
}

export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

export function metricsText(families: readonly Family[]): string {
  return families.map(familyText).join("\n");
}

/** The same families of several processes as one. */
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
