/** The process is killed at whatever instant, while clients read and write. */
import { pause, startLoad } from "../load.ts";
import type { Scenario } from "../scenario.ts";
import type { Victim } from "../service.ts";
import { judgeEnd, newShop } from "../shop.ts";

const lifeMsMax = 1_500;
const startMsMax = 200;

export const sigkill: Scenario = {
  name: "sigkill",
  about: "SIGKILL at random instants under mixed load",
  async run(stage) {
    const { random, tally, seconds } = stage;
    const endMs = performance.now() + seconds * 1_000;
    let shop = newShop(stage, "shop-0");
    let victim: Victim | undefined;
    try {
      for (let round = 0; round === 0 || performance.now() < endMs; round++) {
        if (random.happens(0.4)) {
          await shop.openAndKill(random.between(0, startMsMax));
          tally.fault("SIGKILL at the start");
        }
        const living = await shop.open();
        victim = living;
        await shop.judge(living);
        if (shop.isFull()) {
          await judgeEnd(living, tally);
          shop = newShop(stage, `shop-${round}`);
          continue;
        }
        let dying = false;
        const load = startLoad({
          addresses: () => (dying ? [] : [living.base]),
          token: living.token,
          random: random.fork(`round ${round}`),
          ledger: shop.ledger,
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
      victim = await shop.open();
      await shop.judge(victim);
      await judgeEnd(victim, tally);
    } finally {
      await victim?.killed();
    }
  },
};
