/** Runs the comparison and the parts that were asked for, one after the other. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Arena } from "./arena.ts";
import { bareSqlite } from "./contestants/bareSqlite.ts";
import type { Contestant } from "./contestants/contestant.ts";
import { fastify } from "./contestants/fastify.ts";
import { jsonServer } from "./contestants/jsonServer.ts";
import { nginx } from "./contestants/nginx.ts";
import { ours } from "./contestants/ours.ts";
import { pocketbase } from "./contestants/pocketbase.ts";
import { swaggerPetstore } from "./contestants/swaggerPetstore.ts";
import { describeMachine } from "./machine.ts";
import type { Options, PartName } from "./options.ts";
import { measureColdStart } from "./parts/coldStart.ts";
import { measureEdge } from "./parts/edge.ts";
import { measureGrowth } from "./parts/growth.ts";
import { measureLogging } from "./parts/logging.ts";
import type { Part } from "./parts/part.ts";
import { comparePostgres } from "./parts/postgres.ts";
import { measureProcesses } from "./parts/processes.ts";
import { measureUnderWrites } from "./parts/underWrites.ts";
import { measureWebhooks } from "./parts/webhooks.ts";
import { installPeers } from "./peers.ts";
import type { ContestantCard, PartResult, Results } from "./results.ts";
import { playRounds } from "./rounds.ts";
import { drawSample } from "./sample.ts";
import { say } from "./say.ts";

const all: readonly Contestant[] = [
  ours,
  nginx,
  fastify,
  pocketbase,
  jsonServer,
  swaggerPetstore,
  bareSqlite,
];
const fromNpm: readonly string[] = [fastify.name, pocketbase.name, jsonServer.name];

const partsByName: Readonly<Record<PartName, Part>> = {
  logging: measureLogging,
  coldStart: measureColdStart,
  growth: measureGrowth,
  underWrites: measureUnderWrites,
  processes: measureProcesses,
  webhooks: measureWebhooks,
  edge: measureEdge,
  postgres: comparePostgres,
};

export async function measureAll(options: Options, command: string): Promise<Results> {
  if (options.contestants.some((name) => fromNpm.includes(name))) installPeers();
  const folder = mkdtempSync(join(tmpdir(), "petstore-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const startedAt = new Date().toISOString();
  const machine = describeMachine(folder);
  if (machine.fileSystem === "tmpfs") {
    say(`${folder} is in memory, so that nothing is durable: set TMPDIR to a folder on a disk`);
  }
  const arena = new Arena(folder, drawSample(options.pets));
  const { contestants, absent } = admitted(options);
  const { works } = options;
  const figures =
    works.length === 0
      ? []
      : await arena.during(contestants, (entries) => playRounds(entries, works, options));
  const parts: PartResult[] = [];
  for (const name of options.parts) {
    say(`measuring ${name}`);
    parts.push(await partsByName[name](arena, contestants, options));
  }
  const cards = [...(await Promise.all(contestants.map(cardOf))), ...absent];
  return { startedAt, command, options, machine, contestants: cards, figures, parts };
}

interface Admitted {
  readonly contestants: readonly Contestant[];
  readonly absent: readonly ContestantCard[];
}

function admitted(options: Options): Admitted {
  const contestants: Contestant[] = [];
  const absent: ContestantCard[] = [];
  for (const contestant of all.filter(({ name }) => options.contestants.includes(name))) {
    const lacking = contestant.lacks?.();
    if (lacking === undefined) {
      contestants.push(contestant);
      continue;
    }
    const { name, title, leavesOut } = contestant;
    say(`${title} is not measured: ${lacking}`);
    absent.push({ name, title, leavesOut, version: "–", absent: lacking });
  }
  return { contestants, absent };
}

async function cardOf(contestant: Contestant): Promise<ContestantCard> {
  const { name, title, leavesOut } = contestant;
  return { name, title, leavesOut, version: await contestant.version() };
}
