/** The interleaved comparison: every contestant does every work in every round. */
import type { Contestant, Measured, Running } from "./contestants/contestant.ts";
import { median, medianRatio, rotated } from "./figures.ts";
import { say } from "./say.ts";
import { type WorkName, workTitles } from "./works.ts";

export interface Entry {
  readonly contestant: Contestant;
  readonly running: Running;
}

export interface Figures extends Measured {
  readonly work: WorkName;
  readonly contestant: string;
  readonly round: number;
}

export interface RoundsPlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

export async function playRounds(
  entries: readonly Entry[],
  works: readonly WorkName[],
  { rounds, seconds, warmUpSeconds }: RoundsPlan,
): Promise<Figures[]> {
  const figures: Figures[] = [];
  for (const work of works) {
    say(`warming up for ${workTitles[work]}`);
    for (const { running } of doing(work, entries)) {
      await running.measure(work, warmUpOf(work, warmUpSeconds));
    }
  }
  for (let round = 1; round <= rounds; round++) {
    for (const [index, work] of works.entries()) {
      // The order matters: a later contestant may find a busier disk or a warmer CPU.
      for (const { contestant, running } of rotated(doing(work, entries), round + index)) {
        const measured = await running.measure(work, seconds);
        figures.push({ work, contestant: contestant.name, round, ...measured });
        const rate = Math.round(measured.requestsPerSecond).toLocaleString("en");
        const faults = measured.faults === 0 ? "" : `, ${measured.faults} FAULTS`;
        say(
          `round ${round} of ${rounds}: ${workTitles[work]}, ${contestant.name}: ${rate}/s${faults}`,
        );
      }
    }
  }
  return figures;
}

/** Creates are not rehearsed for long: each of them makes the store larger. */
function warmUpOf(work: WorkName, seconds: number): number {
  return work === "createPet" ? 1 : seconds;
}

function doing(work: WorkName, entries: readonly Entry[]): Entry[] {
  return entries.filter(({ contestant }) => contestant.works.includes(work));
}

export interface Summary extends Measured {
  readonly work: WorkName;
  readonly contestant: string;
}

/** The median of the rounds, for each figure separately. */
export function summarise(figures: readonly Figures[]): Summary[] {
  return [...groupedBy(figures, ({ work, contestant }) => `${work} ${contestant}`).values()].map(
    (group) => {
      const middle = (of: (figure: Figures) => number) => median(group.map(of));
      const [first] = group;
      if (first === undefined) throw new Error("A group has at least one figure.");
      return {
        work: first.work,
        contestant: first.contestant,
        requests: middle((figure) => figure.requests),
        requestsPerSecond: middle((figure) => figure.requestsPerSecond),
        p50Ms: middle((figure) => figure.p50Ms),
        p99Ms: middle((figure) => figure.p99Ms),
        cpuUsPerRequest: middle((figure) => figure.cpuUsPerRequest),
        memoryMb: middle((figure) => figure.memoryMb),
        faults: group.reduce((sum, figure) => sum + figure.faults, 0),
        ...(first.ordersPerSecond !== undefined && {
          ordersPerSecond: middle((figure) => figure.ordersPerSecond ?? Number.NaN),
        }),
      };
    },
  );
}

/** How many times the throughput of `theirs` that of `mine` is; undefined where either has none. */
export function ratioOf(
  figures: readonly Figures[],
  work: WorkName,
  mine: string,
  theirs: string,
): number | undefined {
  return ratioBetween(ratesOf(figures, mine, work), ratesOf(figures, theirs, work));
}

/** How many times one contestant's throughput of `other` that of `work` is. */
export function ratioOfWorks(
  figures: readonly Figures[],
  contestant: string,
  work: WorkName,
  other: WorkName,
): number | undefined {
  return ratioBetween(ratesOf(figures, contestant, work), ratesOf(figures, contestant, other));
}

type Rates = ReadonlyMap<number, number>;

/** By round. */
function ratesOf(figures: readonly Figures[], contestant: string, work: WorkName): Rates {
  const own = figures.filter((figure) => figure.work === work && figure.contestant === contestant);
  return new Map(own.map(({ round, requestsPerSecond }) => [round, requestsPerSecond]));
}

function ratioBetween(mine: Rates, theirs: Rates): number | undefined {
  const ratio = medianRatio(mine, theirs);
  return Number.isNaN(ratio) ? undefined : ratio;
}

function groupedBy<T>(items: readonly T[], name: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(name(item));
    if (group === undefined) groups.set(name(item), [item]);
    else group.push(item);
  }
  return groups;
}
