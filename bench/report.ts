/** The whole of a run as text, for the terminal and for bench/results/. */
import { judge } from "./goals.ts";
import { machineText } from "./machine.ts";
import type { Results } from "./results.ts";
import { ratioOf, summarise } from "./rounds.ts";
import { figure, markdownTable, plainTable, type Table } from "./table.ts";
import { type WorkName, workTitles } from "./works.ts";

const shortRunSays =
  "For a quiet machine and the whole run. This short one fails only where something is broken.";

interface Section {
  readonly title: string;
  readonly prose: readonly string[];
  readonly table?: Table;
}

export function plainReport(results: Results): string {
  return sections(results)
    .map(({ title, prose, table }) => {
      const text = prose.map((line) => `  ${line}\n`).join("");
      return `${title}\n${text}${table === undefined ? "" : plainTable(table)}`;
    })
    .join("\n");
}

export function markdownReport(results: Results, chart: string | undefined): string {
  const [head, ...rest] = sections(results).map(({ title, prose, table }) => {
    const text = prose.map((line) => `${line}\n\n`).join("");
    return `## ${title}\n\n${text}${table === undefined ? "" : `${markdownTable(table)}\n`}`;
  });
  const says =
    results.figures.length > 0 ? "Throughput of each contestant" : "The figures as a chart";
  const picture = chart === undefined ? "" : `![${says}](${chart})\n\n`;
  return (
    `# Measured on ${results.startedAt.slice(0, 10)}\n\n${head}${picture}${rest.join("")}`.trimEnd() +
    "\n"
  );
}

function sections(results: Results): Section[] {
  const works = [...new Set(results.figures.map(({ work }) => work))];
  return [
    machineSection(results),
    goalsSection(results),
    ...works.map((work) => workSection(results, work)),
    ...contestantsSection(results),
    ...results.parts.map(({ title, method, columns, rows }) => ({
      title,
      prose: [method],
      table: { columns, rows },
    })),
  ];
}

function machineSection({ machine, command, options }: Results): Section {
  const { pets, rounds, seconds, warmUpSeconds } = options;
  return {
    title: "The run",
    prose: [
      `${machineText(machine)}.`,
      `Made by \`${command}\`: ${pets.toLocaleString("en")} pets, ${rounds === 1 ? "1 round" : `${rounds} rounds`} of ${seconds} s for each figure, 64 connections of wrk on the same machine, after ${warmUpSeconds} s of each work that reads to warm everybody up. Medians of the rounds; a ratio is taken within each round.`,
    ],
  };
}

/** What a partial run did not look at, it need not list. */
function goalsSection(results: Results): Section {
  const verdicts = judge(results).filter(
    ({ reached }) => results.options.complete || reached !== undefined,
  );
  const rows = verdicts.map(({ what, bound, value, reached }) => [
    what,
    bound,
    figure(value),
    reached === undefined ? "not measured" : reached ? "✓ reached" : "✗ missed",
  ]);
  const prose = results.options.short ? [shortRunSays] : [];
  return { title: "Goals", prose, table: { columns: ["work", "goal", "here", ""], rows } };
}

/** In the order of choice, and what they are called at the head of a column. */
export const yardsticks = {
  nginx: "nginx",
  bareSqlite: "bare loop",
  fastify: "Fastify",
  ours: "ours",
} as const;
export type Yardstick = keyof typeof yardsticks;

/** Whom the others are compared with: nginx, and where it cannot take part, the bare loop. */
export function yardstickOf(results: Results, work: WorkName): Yardstick {
  const present = new Set(
    results.figures.filter((each) => each.work === work).map((each) => each.contestant),
  );
  return (Object.keys(yardsticks) as Yardstick[]).find((name) => present.has(name)) ?? "ours";
}

function workSection(results: Results, work: WorkName): Section {
  const yardstick = yardstickOf(results, work);
  const order = results.contestants.map(({ name }) => name);
  const summaries = summarise(results.figures)
    .filter((summary) => summary.work === work)
    .sort((a, b) => order.indexOf(a.contestant) - order.indexOf(b.contestant));
  const rows = summaries.map((each) => [
    titleOf(results, each.contestant) + (each.faults > 0 ? ` (${each.faults} faults)` : ""),
    figure(each.requestsPerSecond),
    figure(ratioOf(results.figures, work, each.contestant, yardstick)),
    figure(each.p50Ms),
    figure(each.p99Ms),
    figure(each.cpuUsPerRequest),
    figure(each.memoryMb),
    ...(each.ordersPerSecond === undefined ? [] : [figure(each.ordersPerSecond)]),
  ]);
  const hasOrders = summaries.some((each) => each.ordersPerSecond !== undefined);
  const columns = [
    "contestant",
    "requests/s",
    `÷ ${yardsticks[yardstick]}`,
    "p50 ms",
    "p99 ms",
    "CPU µs/request",
    "memory MB",
    ...(hasOrders ? ["orders/s"] : []),
  ];
  const prose = order.includes("ours") ? howOursAnswers(work, results.options.pets) : [];
  return { title: workTitles[work], prose, table: { columns, rows } };
}

/** Where the figures of ours come from: a kept answer costs much less than one that is made. */
function howOursAnswers(work: WorkName, pets: number): string[] {
  switch (work) {
    case "createPet":
      return [];
    case "getPetAny":
      return [
        `Drawn from all ${pets.toLocaleString("en")} pets: ours caches about 20,000 responses, and has to read what else is asked for from its database. nginx is asked for any of the 10,000 files that it serves, and not for any of a million.`,
      ];
    case "getPetAmongOrders":
      return [
        "Each order changes a pet, which ends the cached responses that depend on it, and no others. The pets that are ordered are none of those that are read. Processor time is that of reads and orders together.",
      ];
    default:
      return [
        "Ours gives these from the finished answers that it keeps: nothing changes a stored pet during this work.",
      ];
  }
}

export function titleOf({ contestants }: Pick<Results, "contestants">, name: string): string {
  return contestants.find((each) => each.name === name)?.title ?? name;
}

function contestantsSection({ contestants }: Results): Section[] {
  if (contestants.length === 0) return [];
  const rows = contestants.map(({ title, version, leavesOut, absent }) => [
    title,
    version,
    absent === undefined ? leavesOut.join("; ") || "nothing" : `not measured: ${absent}`,
  ]);
  return [
    {
      title: "Contestants, and what each leaves out",
      prose: [],
      table: { columns: ["contestant", "version", "leaves out"], rows },
    },
  ];
}
