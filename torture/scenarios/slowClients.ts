import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { inEpisodes } from "../hostile/episodes.ts";
import { growthOf, mebibytes } from "../hostile/memory.ts";
import { comesDownTo, openFilesOf } from "../hostile/openFiles.ts";
import { besideOrdinaryLoad } from "../hostile/ordinary.ts";
import { type SlowClient, slowKinds, startSlowClient } from "../hostile/slowClient.ts";
import { pause } from "../load.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { type Victim, within } from "../service.ts";

const eachKind = 15;
const vanishingConnections = 20;
const stepMs = 100;
const shortMsMax = 6_000;
/** Longer than the listener waits for anybody: 30 seconds, as counted by its coarse timer. */
const letGoMsMax = 40_000;
const closingMsMax = 10_000;
/** Sockets of the honest clients come and go. */
const spareFiles = 12;
/** What further waves may add to what the first ones left: nothing but noise. */
const growthBytesMax = 64 * 1024 ** 2;

const vanishing = fileURLToPath(new URL("../hostile/vanishing.ts", import.meta.url));

/** Starts a client of its own process that is stopped once it has asked, as if its machine was gone. */
async function vanish({ origin, token }: Victim): Promise<ChildProcess> {
  const { port } = new URL(origin);
  const child = spawn(process.execPath, [vanishing, port, `${vanishingConnections}`], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  child.stdin.end(token);
  await within(30_000, "The vanishing client does not start", once(child.stdout, "data"));
  child.kill("SIGSTOP");
  return child;
}

async function wave(
  context: ScenarioContext,
  victim: Victim,
  name: string,
  ms: number,
): Promise<void> {
  const { random, tally } = context;
  const before = openFilesOf(victim.pid);
  const place = { port: Number(new URL(victim.origin).port), token: victim.token };
  const gone = await vanish(victim);
  const clients: SlowClient[] = slowKinds.flatMap((kind) =>
    Array.from({ length: eachKind }, (_, at) =>
      startSlowClient(kind, place, random.fork(`${name} ${kind} ${at}`)),
    ),
  );
  for (const { kind } of clients) tally.fault(`client: ${kind}`);
  tally.fault("client: vanished", vanishingConnections);
  try {
    const endMs = performance.now() + ms;
    while (performance.now() < endMs) await pause(stepMs);
    for (const client of clients) {
      tally.judge(client.fault() === undefined, () => `${client.kind}: ${client.fault()}`);
    }
    if (ms >= letGoMsMax) judgeLettingGo(context, victim, clients, before);
  } finally {
    for (const client of clients) client.close();
    gone.kill("SIGKILL");
  }
  const closed = await comesDownTo(before + spareFiles, victim.pid, closingMsMax);
  tally.judge(closed, () => {
    return `${openFilesOf(victim.pid)} files are open after a wave, ${before} were before it`;
  });
}

/** A client that sent or read nothing for so long has been disconnected. */
function judgeLettingGo(
  context: ScenarioContext,
  victim: Victim,
  clients: SlowClient[],
  before: number,
) {
  const { tally, say } = context;
  for (const client of clients.filter(({ falls }) => falls === "silent")) {
    tally.judge(client.letGo(), () => `${client.kind} is held on to`);
  }
  // Those that got their answer late are waited for again, and those that do not read see no end.
  const waitedFor = clients.filter(({ falls, letGo }) => falls === "slowly" && !letGo()).length;
  const held = openFilesOf(victim.pid) - before - waitedFor;
  say(`after ${letGoMsMax / 1_000} s ${Math.max(0, held)} connections are held on to`);
  tally.judge(
    held <= spareFiles,
    () => `${held} connections that nobody reads from are held on to`,
  );
}

export const slowClients: Scenario = {
  name: "slowClients",
  about: "slow headers and bodies, clients that never read, half-open connections",
  run: inEpisodes((context) =>
    besideOrdinaryLoad(context, { clients: 4 }, async ({ victim, until }) => {
      const { seconds, tally, say } = context;
      const start = victim.rssBytes();
      // With time enough for it, one wave stays until the listener must have lost patience.
      const shortMs = Math.min(shortMsMax, (seconds * 1_000) / 3);
      await wave(context, victim, "first", shortMs);
      const levels = [victim.rssBytes()];
      const long = seconds * 1_000 >= letGoMsMax;
      await wave(context, victim, "second", long ? letGoMsMax : shortMs);
      levels.push(victim.rssBytes());
      while (until()) {
        await wave(context, victim, `wave ${levels.length + 1}`, shortMs / 2);
        levels.push(victim.rssBytes());
      }
      const told = [start, ...levels].map(mebibytes).join(", ");
      say(`memory: ${told} MiB`);
      tally.judge(growthOf(levels) <= growthBytesMax, () => `Memory goes on growing: ${told} MiB`);
    }),
  ),
};
