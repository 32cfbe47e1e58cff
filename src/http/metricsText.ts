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
  readonly samples: readonly Sample[];
}

export const metricsType = "text/plain; version=0.0.4; charset=utf-8";

export function metricsText(families: readonly Family[]): string {
  return families.map(familyText).join("\n");
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
