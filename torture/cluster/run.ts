// `npm run cluster`: three database servers with Patroni and etcd, three processes of the service and
// HAProxy. Faults, chosen by a seed, are judged as those of `npm run torture` are. Needs root on Linux.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { readOptions, UsageError } from "../options.ts";
import { randomWord } from "../randomWord.ts";
import { Tally } from "../tally.ts";
import { Cluster } from "./cluster.ts";
import { faults } from "./faults.ts";
import { missing } from "./missing.ts";
import { type Outcome, outcomeTable } from "./outcomes.ts";
import { Round } from "./round.ts";
import { openServices } from "./services.ts";

const restore = { name: "pointInTimeRestore" } as const;
const flags = ["--list-servers", "--asynchronous"] as const;

function optionsOrExit() {
  const args = process.argv.slice(2);
  try {
    const valued = args.filter((arg) => !flags.some((flag) => flag === arg));
    const options = readOptions([...valued], [...faults, restore]);
    const has = (flag: (typeof flags)[number]) => args.includes(flag);
    return { ...options, listServers: has("--list-servers"), asynchronous: has("--asynchronous") };
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    console.error(`${cause.message} ${flags.map((flag) => `[${flag}]`).join(" ")}`);
    process.exit(2);
  }
}

const options = optionsOrExit();
const { seed, minutes, chosen, json } = options;
const lack = missing({ existsSync, isRoot: process.getuid?.() === 0 });
if (lack !== undefined) {
  console.error(lack);
  process.exit(2);
}
if (options.program !== undefined) process.env["PETSTORE_PROGRAM"] = options.program;
const say = (line: string) => (json ? console.error(line) : console.log(line));
const random = new SeededRandom(seed);
const [password, secret] = [randomWord(random.fork("password")), randomWord(random.fork("secret"))];
const folder = mkdtempSync(join(tmpdir(), "petstore-cluster-"));
const tally = new Tally();
const cluster = new Cluster({ folder, password, asynchronous: options.asynchronous });
let leavesTraces = false;
process.on("exit", () => {
  cluster.network.close();
  if (!leavesTraces) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => process.exit(1));

say(`Seed ${seed}: ${chosen.map(({ name }) => name).join(", ")}; at least ${minutes} minutes.`);
const outcomes: Outcome[] = [];
try {
  await cluster.start();
  const { listServers } = options;
  const services = await openServices({ cluster, folder, password, secret, listServers });
  say("Three servers replicate, and three processes are ready behind HAProxy.");
  const round = new Round({ cluster, services, random, tally, say, secrets: [secret, password] });
  try {
    const endMs = performance.now() + minutes * 60_000;
    const names = new Set(chosen.map(({ name }) => name));
    const strikes = faults.filter(({ name }) => names.has(name));
    for (let turn = 0; turn === 0 || performance.now() < endMs; turn++) {
      const order = random.fork(`turn ${turn}`).shuffled(strikes);
      for (const fault of order) {
        if (turn > 0 && performance.now() > endMs) break;
        outcomes.push(await round.strike(fault, `${turn} ${fault.name}`));
        if (tally.violations.length > 0) break;
      }
      if (strikes.length === 0 || tally.violations.length > 0) break;
    }
    if (names.has(restore.name) && tally.violations.length === 0) await round.restore();
    await round.end();
  } finally {
    await services.killed();
  }
} catch (cause) {
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  tally.judge(false, () => `The run failed: ${text}`);
}
for (const violation of tally.violations.slice(0, 20)) say(`  VIOLATION: ${violation}`);
const { judged, violations } = tally;
if (json) {
  console.log(JSON.stringify({ seed, minutes, outcomes, judged, violations: violations.length }));
} else {
  console.log(`\n${outcomeTable(outcomes)}`);
}
say(`${outcomes.length} faults, ${judged} judged, ${violations.length} violations`);
leavesTraces = violations.length > 0;
if (leavesTraces) say(`FAILED. What is left of it: ${folder}`);
process.exit(leavesTraces ? 1 : 0);
