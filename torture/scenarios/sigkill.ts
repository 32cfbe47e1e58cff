/** The process is killed at whatever instant, while clients read and write. */
import { pause, startLoad } from "../load.ts";
import type { Scenario } from "../scenario.ts";
import type { Victim } from "../service.ts";
import { judgeEnd, newStoreFixture } from "../storeFixture.ts";

const lifeMsMax = 1_500;
const startMsMax = 200;
/** Longer than the command takes, so that some are not cut off. */
const commandMsMax = 400;

export const sigkill: Scenario = {
  name: "sigkill",
  about: "SIGKILL at random instants under mixed load",
  async run(context) {
    const { random, tally, seconds } = context;
    const endMs = performance.now() + seconds * 1_000;
    let fixture = newStoreFixture(context, "store-0");
    let victim: Victim | undefined;
    try {
      for (let round = 0; round === 0 || performance.now() < endMs; round++) {
        if (random.happens(0.4)) {
          await fixture.openAndKill(random.between(0, startMsMax));
          tally.fault("SIGKILL at the start");
        }
        if (random.happens(0.3)) {
          await fixture.createKeyAndKill(random.between(0, commandMsMax));
          tally.fault("SIGKILL of a command");
        }
        const living = await fixture.open();
        victim = living;
        await fixture.judge(living);
        if (fixture.isFull()) {
          await judgeEnd(living, tally);
          fixture = newStoreFixture(context, `store-${round}`);
          continue;
        }
        let dying = false;
        const load = startLoad({
          addresses: () => (dying ? [] : [living.base]),
          token: living.token,
          random: random.fork(`round ${round}`),
          ledger: fixture.ledger,
          tally,
          mayBreak: () => dying,
          readsMayFail: () => false,
          writesMayFail: () => false,
        });
        await pause(random.between(0, lifeMsMax));
        dying = true;
        await living.killed();
        tally.fault("SIGKILL");
        await load.ended();
        tally.fault("request cut off", load.seen.lost);
      }
      victim = await fixture.open();
      await fixture.judge(victim);
      await judgeEnd(victim, tally);
    } finally {
      await victim?.killed();
    }
  },
};
