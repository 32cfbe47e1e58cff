/** What the samples of a run say: one row for each thing that must not grow, and for what does by design. */
import type { ProcessSample, Sample } from "./sample.ts";
import { type Judged, judgeGrowth, medians, type Point, quantile, type Verdict } from "./slope.ts";

export interface Run {
  readonly startedAt: string;
  readonly hours: number;
  readonly rate: number;
  readonly seed: number;
  readonly machine: string;
  readonly samples: readonly Sample[];
  /** Bytes of each table after the warm-up and at the end. */
  readonly tablesBefore: Readonly<Record<string, number>>;
  readonly tablesAfter: Readonly<Record<string, number>>;
  readonly judged: number;
  readonly violations: readonly string[];
}

export interface ReportRow {
  readonly what: string;
  readonly unit: "MB" | "ms" | "rows" | "";
  readonly judged: Judged;
  readonly verdict: Verdict | "by design";
  /** Why it may grow, or what else there is to say. */
  readonly note: string;
}

/** The first part of a run fills caches, pools and tables that have a fixed size. */
export const warmUpShare = 0.1;
/** Of the life of the last processes: a runtime takes longer than that to find its level. */
const processWarmUpShare = 1 / 3;
const parts = 30;
const megabyte = 1e6;
/** What may be gained per hour, as a share of the level. */
const limits = { memory: 0.02, count: 0.02, latency: 0.1 };
/** Beyond that share: what is too little to be told from chance. */
const slack = { megabytes: 0.5, count: 1, latencyMs: 0.5 };
/** Fewer answers in a part of the time have no 99th percentile. */
const answersMin = 50;

/** The tables that keep what was written, and for how long they do. */
export const keptByDesign: Readonly<Record<string, string>> = {
  events: "kept for PETSTORE_EVENTS_DAYS, here one day",
  webhook_deliveries: "the last 10,000 of each endpoint, for 30 days",
  audit_log: "kept for good",
  orders: "kept for good",
  idempotency_keys: "kept for 24 hours",
  keys: "revoked keys stay listed",
  key_uses: "one row for each key, operation and day, for 400 days",
  certificates: "kept for 30 days after they end",
  ca_attempts: "kept for 8 days",
  challenges: "kept for an hour",
  domain_timeline: "the last entries of each domain",
  pet_changes: "the last 4,096",
};

export function reportOf(run: Run): ReportRow[] {
  const { samples } = run;
  const end = samples.at(-1)?.seconds ?? 0;
  const warm = samples.filter(({ seconds }) => seconds >= end * warmUpShare);
  return [
    ...memoryRows(warm, end),
    ...countRows(warm, end),
    ...diskRows(warm, run),
    ...latencyRows(warm),
  ];
}

export const passes = ({ verdict }: ReportRow) => verdict === "flat" || verdict === "by design";

const sumOf = (processes: readonly ProcessSample[], field: keyof ProcessSample) =>
  processes.reduce((sum, process) => sum + process[field], 0);

const pointsOf = (samples: readonly Sample[], value: (sample: Sample) => number): Point[] =>
  samples.map((sample) => ({ hours: sample.seconds / 3_600, value: value(sample) }));

function row(
  what: string,
  unit: ReportRow["unit"],
  points: readonly Point[],
  [share, least]: readonly [share: number, least: number],
  note = "",
): ReportRow {
  const judged = judgeGrowth(medians(points, parts), share, least);
  return { what, unit, judged, verdict: judged.verdict, note };
}

const generationOf = ({ serving }: Sample) =>
  serving
    .map(({ pid }) => pid)
    .toSorted()
    .join();

/** The processes that served last, from when they had found their level. */
export function lastGeneration(samples: readonly Sample[], end: number): Sample[] {
  const last = samples.at(-1);
  const own = samples.filter((each) => last && generationOf(each) === generationOf(last));
  const from = own[0]?.seconds ?? 0;
  return own.filter(({ seconds }) => seconds >= from + (end - from) * processWarmUpShare);
}

/** By RSS: the PSS of a process also changes with others on the machine that run the same program. */
function memoryRows(samples: readonly Sample[], end: number): ReportRow[] {
  const limit = [limits.memory, slack.megabytes] as const;
  const last = lastGeneration(samples, end);
  const supervisor = (each: Sample | undefined) => (each?.supervisor.rssBytes ?? 0) / megabyte;
  const gained = supervisor(last[0]) - supervisor(samples[0]);
  const reloads = (last[0]?.reloads ?? 0) - (samples[0]?.reloads ?? 0);
  const note = `since the last reload, ${spanText(last)}`;
  return [
    row(
      "memory of the supervisor",
      "MB",
      pointsOf(last, supervisor),
      limit,
      `${note}; ${signed(gained)} MB in ${reloads} reloads before`,
    ),
    row(
      "memory of the serving processes",
      "MB",
      pointsOf(last, ({ serving }) => sumOf(serving, "rssBytes") / megabyte),
      limit,
      note,
    ),
  ];
}

const spanText = (samples: readonly Sample[]) =>
  `${Math.round(((samples.at(-1)?.seconds ?? 0) - (samples[0]?.seconds ?? 0)) / 60)} minutes`;

function countRows(samples: readonly Sample[], end: number): ReportRow[] {
  const last = lastGeneration(samples, end);
  const limit = [limits.count, slack.count] as const;
  const fields = { openFiles: "open files", sockets: "sockets", threads: "threads" } as const;
  return Object.entries(fields).flatMap(([name, what]) => {
    const field = name as keyof typeof fields;
    return [
      row(
        `${what} of the supervisor`,
        "",
        pointsOf(samples, ({ supervisor }) => supervisor[field]),
        limit,
      ),
      row(
        `${what} of the serving processes`,
        "",
        pointsOf(last, ({ serving }) => sumOf(serving, field)),
        limit,
      ),
    ];
  });
}

function diskRows(samples: readonly Sample[], run: Run): ReportRow[] {
  const counted = samples.filter(({ rows }) => rows !== undefined);
  const tables = Object.keys(counted.at(-1)?.rows ?? {});
  const wal = pointsOf(samples, ({ disk }) => disk.wal / megabyte);
  return [
    row("write-ahead log", "MB", wal, [limits.memory, slack.megabytes]),
    restOfDatabase(samples, run),
    ...tables.flatMap((table) => {
      const points = pointsOf(counted, ({ rows }) => rows?.[table] ?? 0);
      const judged = row(`rows of ${table}`, "rows", points, [limits.count, slack.count]);
      const reason = keptByDesign[table];
      if (reason === undefined) return judged.verdict === "flat" ? [] : [judged];
      const bytes = (run.tablesAfter[table] ?? 0) - (run.tablesBefore[table] ?? 0);
      const more = (points.at(-1)?.value ?? 0) - (points[0]?.value ?? 0);
      const note = `${reason}; ${signed(bytes / megabyte)} MB for ${figure(more)} rows`;
      return [{ ...judged, verdict: "by design" as const, note }];
    }),
  ];
}

/** What of the database is not in a table that keeps what was written: pets, indexes, free pages. */
function restOfDatabase(samples: readonly Sample[], { tablesBefore, tablesAfter }: Run): ReportRow {
  const rest = (tables: Readonly<Record<string, number>>) =>
    Object.entries(tables)
      .filter(([table]) => !(table in keptByDesign))
      .reduce((sum, [, bytes]) => sum + bytes / megabyte, 0);
  const [before, after] = [rest(tablesBefore), rest(tablesAfter)];
  const hours = ((samples.at(-1)?.seconds ?? 0) - (samples[0]?.seconds ?? 0)) / 3_600;
  const perHour = (after - before) / hours;
  const isFlat = after - before <= before * limits.memory + slack.megabytes;
  return {
    what: "database, without what it keeps",
    unit: "MB",
    judged: {
      level: before,
      slope: { perHour, low: perHour, high: perHour },
      verdict: isFlat ? "flat" : "grows",
    },
    verdict: isFlat ? "flat" : "grows",
    note: "at the end, against after the warm-up",
  };
}

function latencyRows(samples: readonly Sample[]): ReportRow[] {
  const operations = new Set(samples.flatMap(({ tookMs }) => Object.keys(tookMs)));
  return [...operations].toSorted().flatMap((operation) => {
    const answers = samples.flatMap(({ seconds, tookMs }) =>
      (tookMs[operation] ?? []).map((value) => ({ hours: seconds / 3_600, value })),
    );
    if (answers.length < parts) return [];
    const limit = [limits.latency, slack.latencyMs] as const;
    const p50 = latencyRow(`p50 of ${operation}`, answers, 0.5, limit);
    if (answers.length < parts * answersMin) return [p50];
    return [p50, latencyRow(`p99 of ${operation}`, answers, 0.99, limit)];
  });
}

function latencyRow(
  what: string,
  answers: readonly Point[],
  share: number,
  [relative, least]: readonly [number, number],
): ReportRow {
  const judged = judgeGrowth(quantiles(answers, share), relative, least);
  return { what, unit: "ms", judged, verdict: judged.verdict, note: `${answers.length} answers` };
}

/** A quantile of each part of the time. */
export function quantiles(points: readonly Point[], share: number): Point[] {
  const first = points[0]?.hours ?? 0;
  const span = (points.at(-1)?.hours ?? 0) - first;
  if (span === 0) return [];
  const byPart = Map.groupBy(points, ({ hours }) =>
    Math.min(Math.floor(((hours - first) / span) * parts), parts - 1),
  );
  return [...byPart].map(([part, each]) => ({
    hours: first + (span * (part + 0.5)) / parts,
    value: quantile(
      each.map(({ value }) => value).toSorted((one, other) => one - other),
      share,
    ),
  }));
}

export function tableText(rows: readonly ReportRow[]): string {
  const cells = [
    ["What", "Level", "Per hour", "95 % between", "Verdict", ""],
    ...rows.map(({ what, unit, judged: { level, slope }, verdict, note }) => [
      what,
      `${figure(level)} ${unit}`.trim(),
      slope === undefined ? "" : signed(slope.perHour),
      slope === undefined ? "" : `${signed(slope.low)} … ${signed(slope.high)}`,
      verdict,
      note,
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((at) =>
    Math.max(...cells.map((each) => each[at]?.length ?? 0)),
  );
  return cells
    .map((each) =>
      each
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export const figure = (value: number) =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
const signed = (value: number) => `${value < 0 ? "−" : "+"}${figure(Math.abs(value))}`;
