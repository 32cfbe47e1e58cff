/** The primary is killed under load, and the standby that has most of its log takes its place. */

import { promoteTheFurthest, startCluster } from "../../testkit/postgresCluster.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { pause } from "../load.ts";
import { lacksPostgres } from "../postgres/lacksPostgres.ts";
import { openPair, withPassword } from "../postgres/pair.ts";
import { randomWord } from "../randomWord.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";

const leftBehindMsMax = 500;

export const postgresFailover: Scenario = {
  name: "postgresFailover",
  about: "the primary killed by SIGKILL under mixed load, one of two synchronous standbys promoted",
  lacks: lacksPostgres,
  async run(context) {
    const endMs = performance.now() + context.seconds * 1_000;
    for (let count = 0; count === 0 || performance.now() < endMs; count++) {
      await failOver(context, context.random.fork(`cluster ${count}`), `cluster-${count}`);
    }
  },
};

/** A cluster fails over once: afterwards it has no standby left to lose. */
async function failOver(
  context: ScenarioContext,
  random: SeededRandom,
  name: string,
): Promise<void> {
  const { tally, say } = context;
  const password = randomWord(random);
  const cluster = await startCluster();
  try {
    const address = withPassword(cluster.address, password);
    const pair = await openPair(context, name, { addresses: [address, address], password });
    try {
      const [primary, ...standbys] = cluster.nodes;
      await pair.storm(async () => {
        if (random.happens(0.5)) {
          // From here on it lacks acknowledged writes, so promoting it would lose them.
          await random.oneOf(standbys).follow(undefined);
          tally.fault("standby left behind");
          await pause(random.between(0, leftBehindMsMax));
        }
        await primary.kill();
        tally.fault("primary killed");
        const promoted = await promoteTheFurthest(standbys);
        say(`The ${promoted.name} server took the place of the primary.`);
      });
      await pair.calm();
      await pair.judge();
      await pair.end();
    } finally {
      await pair.killed();
    }
  } finally {
    await cluster.remove();
  }
}
