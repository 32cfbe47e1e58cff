/** What we want to reach, and what must never happen. */
import type { Results } from "./results.ts";
import { ratioOf, ratioOfWorks } from "./rounds.ts";
import { ordersPerSecond, type WorkName } from "./works.ts";

export interface Verdict {
  readonly what: string;
  readonly bound: string;
  /** Undefined where this run did not measure it. */
  readonly value: number | undefined;
  readonly reached: boolean | undefined;
}

type Measure = (results: Results) => number | undefined;

interface Goal {
  readonly what: string;
  readonly unit: string;
  readonly least?: number;
  readonly most?: number;
  readonly measure: Measure;
}

const throughput =
  (work: WorkName, theirs: string): Measure =>
  ({ figures }) =>
    ratioOf(figures, work, "ours", theirs);

const fact =
  (part: string, name: string): Measure =>
  ({ parts }) =>
    parts.find((each) => each.name === part)?.facts[name];

const ofNginx = (what: string, least: number, measure: Measure): Goal => ({
  what,
  unit: "× nginx",
  least,
  measure,
});

const goals: readonly Goal[] = [
  ofNginx("getPet", 1, throughput("getPet", "nginx")),
  ofNginx("listPets, plain", 1, throughput("listPlain", "nginx")),
  ofNginx("listPets, by status", 1, throughput("listByStatus", "nginx")),
  ofNginx("listPets, deep by cursor", 1, throughput("listDeep", "nginx")),
  ofNginx("getPet, any of all pets", 0.5, throughput("getPetAny", "nginx")),
  {
    what: "getPet, any of all pets",
    unit: "× Fastify",
    least: 2.5,
    measure: throughput("getPetAny", "fastify"),
  },
  {
    what: `getPet while ${ordersPerSecond} orders a second are placed`,
    unit: "× without orders",
    least: 0.8,
    measure: ({ figures }) => ratioOfWorks(figures, "ours", "getPetAmongOrders", "getPet"),
  },
  {
    what: "createPet, durable",
    unit: "× a bare SQLite loop",
    least: 0.8,
    measure: throughput("createPet", "bareSqlite"),
  },
  {
    what: "createPet, durable",
    unit: "× Fastify",
    least: 8,
    measure: throughput("createPet", "fastify"),
  },
  {
    what: "getPet's p99 under saturated writes",
    unit: "× idle",
    most: 2,
    measure: fact("underWrites", "getPet"),
  },
  {
    what: "listPets' p99 under saturated writes",
    unit: "× idle",
    most: 2,
    measure: fact("underWrites", "listDeep"),
  },
  {
    what: "getPet's p99 under saturated writes, disk at 2 ms",
    unit: "× idle",
    most: 2,
    measure: fact("underWrites", "getPetSlowDisk"),
  },
  {
    what: "listPets' p99 under saturated writes, disk at 2 ms",
    unit: "× idle",
    most: 2,
    measure: fact("underWrites", "listDeepSlowDisk"),
  },
  {
    what: "listPets read from the store, most pets against fewest",
    unit: "× the time",
    most: 1.2,
    measure: fact("growth", "timeRatio"),
  },
  {
    what: "memory with most pets",
    unit: "MB",
    most: 150,
    measure: fact("growth", "memoryMb"),
  },
  {
    what: "start to first answer",
    unit: "ms",
    most: 100,
    measure: fact("coldStart", "ours"),
  },
  {
    what: "createPet beside a webhook endpoint for all events",
    unit: "× without one",
    least: 0.85,
    measure: fact("webhooks", "createRatio"),
  },
  {
    what: "webhooks delivered to a receiver on loopback",
    unit: "a second",
    least: 5_000,
    measure: fact("webhooks", "deliveriesPerSecond"),
  },
  {
    what: "listPets read from the store, beside a million events",
    unit: "× without events",
    least: 0.95,
    measure: fact("webhooks", "listRatio"),
  },
  ofNginx("HTTPS page at the edge, HTTP/1.1", 1, fact("edge", "http1")),
  ofNginx("HTTPS page at the edge, HTTP/2", 0.35, fact("edge", "http2")),
  {
    what: "PostgreSQL: getPet",
    unit: "× pgbench -S -M prepared",
    least: 0.6,
    measure: fact("postgres", "getPetOfPgbench"),
  },
  {
    what: "PostgreSQL: getPet, any of all pets",
    unit: "× pgbench -S -M prepared",
    least: 0.6,
    measure: fact("postgres", "getPetAnyOfPgbench"),
  },
];

export function judge(results: Results): Verdict[] {
  return goals.map((goal) => judgeOne(goal, goal.measure(results)));
}

function judgeOne({ what, unit, least, most }: Goal, value: number | undefined): Verdict {
  const bound = least === undefined ? `≤ ${most} ${unit}` : `≥ ${least} ${unit}`;
  if (value === undefined) return { what, bound, value, reached: undefined };
  return {
    what,
    bound,
    value,
    reached: value >= (least ?? -Infinity) && value <= (most ?? Infinity),
  };
}

/** Machines are noisy and shared: below these something is broken, not slow. */
export const getPetOfNginxMin = 0.3;
export const listOfNginxMin = 0.15;
export const createOfFastifyMin = 2;

/** What no noise explains, each as a sentence. Empty where all is well. */
export function grossRegressions(results: Results): string[] {
  const found: string[] = [];
  const expect = (work: WorkName, theirs: string, least: number) => {
    const ratio = ratioOf(results.figures, work, "ours", theirs);
    if (ratio !== undefined && ratio < least) {
      found.push(`${work} is ${ratio.toFixed(2)} × ${theirs}, and never below ${least}.`);
    }
  };
  expect("getPet", "nginx", getPetOfNginxMin);
  expect("listPlain", "nginx", listOfNginxMin);
  expect("createPet", "fastify", createOfFastifyMin);
  const faults = results.figures
    .filter(({ contestant }) => contestant === "ours")
    .reduce((sum, figure) => sum + figure.faults, 0);
  if (faults > 0) found.push(`${faults} requests to ours were refused or broken off.`);
  return found;
}
