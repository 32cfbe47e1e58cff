import { inEpisodes } from "../hostile/episodes.ts";
import { gather } from "../hostile/idleCrowd.ts";
import { growthOf, mebibytes } from "../hostile/memory.ts";
import { comesDownTo, openFilesMax, openFilesOf } from "../hostile/openFiles.ts";
import { besideOrdinaryLoad } from "../hostile/ordinary.ts";
import { pause } from "../load.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import type { Victim } from "../service.ts";

const crowdSize = 10_000;
/** For everything else that the service and this process have open. */
const otherFiles = 500;
const togetherMin = 9_500;
const gatheringMsMax = 7_000;
const roundsMin = 2;
const closingMsMax = 20_000;
const restMs = 1_000;
/** For the honest clients, whose sockets come and go. */
const spareFiles = 60;
/** What ten thousand connections may leave behind the first time: buffers that are kept for others. */
const firstGrowthBytesMax = 256 * 1024 ** 2;
/** What they may add once more: less than 7 KiB each, beside what the honest load warms up. */
const furtherGrowthBytesMax = 64 * 1024 ** 2;

async function round(context: ScenarioContext, victim: Victim, number: number): Promise<number> {
  const { random, tally, say } = context;
  const before = openFilesOf(victim.pid);
  const port = Number(new URL(victim.origin).port);
  const options = { port, token: victim.token, size: crowdSize };
  const startedMs = performance.now();
  const crowd = await gather(options, random.fork(`round ${number}`));
  const tookMs = performance.now() - startedMs;
  await pause(restMs);
  const together = openFilesOf(victim.pid) - before;
  // A machine on which it takes longer has lost the first ones to the listener's impatience.
  tally.judge(together >= togetherMin || tookMs > gatheringMsMax, () => {
    return `Of ${crowd.connected} connections ${together} were there at once`;
  });
  const crowded = victim.rssBytes();
  crowd.leave();
  tally.fault("idle connections", crowd.connected);
  tally.judge(crowd.refused === 0, () => `${crowd.refused} connections were not let in`);
  tally.judge(crowd.faults.length === 0, () => `Idle clients heard ${crowd.faults[0]}`);
  const closed = await comesDownTo(before + spareFiles, victim.pid, closingMsMax);
  tally.judge(closed, () => {
    return `${openFilesOf(victim.pid)} files are open after all have left, ${before} were before`;
  });
  await pause(restMs);
  const rss = victim.rssBytes();
  say(
    `${crowd.connected} came in ${Math.round(tookMs)} ms, ${together} at once; ${mebibytes(crowded)} MiB with them, ${mebibytes(rss)} without`,
  );
  return rss;
}

export const idleConnections: Scenario = {
  name: "idleConnections",
  about: "ten thousand connections that say nothing, or half of something, again and again",
  lacks() {
    const needed = crowdSize + otherFiles;
    const max = openFilesMax();
    return max >= needed ? undefined : `${needed} open files; the limit is ${max} (ulimit -Hn)`;
  },
  run: inEpisodes((context) =>
    besideOrdinaryLoad(context, { clients: 4 }, async ({ victim, until }) => {
      const { tally } = context;
      const start = victim.rssBytes();
      const levels = [await round(context, victim, 1)];
      const [first = 0] = levels;
      tally.judge(first - start <= firstGrowthBytesMax, () => {
        return `Memory stays at ${mebibytes(first)} MiB, after ${mebibytes(start)} before`;
      });
      while (levels.length < roundsMin || until()) {
        levels.push(await round(context, victim, levels.length + 1));
      }
      tally.judge(growthOf(levels) <= furtherGrowthBytesMax, () => {
        return `Memory goes on growing: ${levels.map(mebibytes).join(", ")} MiB`;
      });
    }),
  ),
};
