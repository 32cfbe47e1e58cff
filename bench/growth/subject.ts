/** What there may be many of, and how the cost of using it is compared between few and many. */
import type { Arena } from "../arena.ts";
import { median, medianRatio, rotated } from "../figures.ts";
import type { Options } from "../options.ts";
import { say } from "../say.ts";
import { figure } from "../table.ts";

export interface Subject {
  /** What `--growth` takes, and what the sizes count. */
  readonly name: string;
  /** From few to many. */
  readonly sizes: readonly number[];
  readonly figures: Readonly<Record<string, Figure>>;
  start(size: number, arena: Arena): Promise<Specimen>;
}

export interface Figure {
  /** With its unit. */
  readonly title: string;
  /** In every round unless said: once before the rounds, or once after them. */
  readonly once?: "before" | "after";
}

/** A service with so many of them. */
export interface Specimen {
  /** How to take a figure, each with about so many seconds of load. */
  readonly take: Readonly<Record<string, (seconds: number) => Promise<number>>>;
  stop(): Promise<void>;
}

export interface Growth {
  readonly name: string;
  readonly sizes: readonly number[];
  readonly figures: readonly MeasuredFigure[];
}

export interface MeasuredFigure {
  readonly name: string;
  readonly title: string;
  /** By size: the median of the rounds. */
  readonly values: readonly number[];
  /** By size: against the fewest, the median of the ratios within each round. */
  readonly ratios: readonly number[];
}

/** Enough for processor time that Linux counts in hundredths of a second. */
const secondsMax = 2;
const warmUpSeconds = 1;

/** By figure and size, the values by round. */
type Taken = ReadonlyMap<string, readonly Map<number, number>[]>;

export async function measureSubject(
  subject: Subject,
  arena: Arena,
  options: Pick<Options, "rounds" | "seconds" | "short">,
): Promise<Growth> {
  const sizes = options.short ? subject.sizes.slice(0, 2) : subject.sizes;
  const names = Object.keys(subject.figures);
  const taken: Taken = new Map(names.map((name) => [name, sizes.map(() => new Map())]));
  const specimens: Specimen[] = [];
  try {
    for (const size of sizes) {
      say(`preparing ${size.toLocaleString("en")} ${subject.name}`);
      specimens.push(await subject.start(size, arena));
    }
    const seconds = Math.min(options.seconds, secondsMax);
    const take = async (name: string, at: number, round: number) => {
      const value = await specimens[at]?.take[name]?.(seconds);
      if (value === undefined) throw new Error(`Nothing takes the figure ${name}.`);
      taken.get(name)?.[at]?.set(round, value);
      const size = (sizes[at] ?? 0).toLocaleString("en");
      say(`${size} ${subject.name}: ${subject.figures[name]?.title} ${figure(value)}`);
    };
    const places = [...sizes.keys()];
    const during = (when: Figure["once"]) =>
      names.filter((name) => subject.figures[name]?.once === when);
    for (const name of during("before")) for (const at of places) await take(name, at, 1);
    for (const name of during(undefined)) {
      for (const specimen of specimens) await specimen.take[name]?.(warmUpSeconds);
    }
    for (let round = 1; round <= options.rounds; round++) {
      for (const [index, name] of during(undefined).entries()) {
        for (const at of rotated(places, round + index)) await take(name, at, round);
      }
    }
    for (const name of during("after")) for (const at of places) await take(name, at, 1);
  } finally {
    for (const specimen of specimens) await specimen.stop();
  }
  return summed(subject, sizes, taken);
}

export function summed(
  { name, figures }: Pick<Subject, "name" | "figures">,
  sizes: readonly number[],
  taken: Taken,
): Growth {
  const measured = Object.entries(figures).map(([name, { title }]) => {
    const bySize = taken.get(name) ?? [];
    const [fewest = new Map<number, number>()] = bySize;
    return {
      name,
      title,
      values: bySize.map((rounds) => median([...rounds.values()])),
      ratios: bySize.map((rounds) => medianRatio(rounds, fewest)),
    };
  });
  return { name, sizes, figures: measured };
}
