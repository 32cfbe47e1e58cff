/** Every sync takes its time: writes wait for it, and nothing else does. */
import { diskCounts, faultyDisk, lacksFaultyDisk, setFaults } from "../../testkit/faultyDisk.ts";
import { pause, startLoad } from "../load.ts";
import type { Scenario } from "../scenario.ts";
import { judgeEnd, newStoreFixture } from "../storeFixture.ts";

const delayMsMin = 2;
const delayMsMax = 200;
const delayedMsMax = 800;

export const slowDisk: Scenario = {
  name: "slowDisk",
  about: `every sync takes ${delayMsMin} to ${delayMsMax} ms, under mixed load`,
  lacks: lacksFaultyDisk,
  async run(context) {
    const { random, tally, seconds } = context;
    const fixture = newStoreFixture(context, "store");
    const first = await fixture.open();
    await first.stopped();
    const control = `${fixture.folder}.control`;
    const victim = await fixture.open(faultyDisk({ folder: fixture.folder, control }));
    const load = startLoad({
      addresses: () => [victim.base],
      token: victim.token,
      random: random.fork("load"),
      ledger: fixture.ledger,
      tally,
      mayBreak: () => false,
      readsMayFail: () => false,
      writesMayFail: () => false,
    });
    try {
      const endMs = performance.now() + seconds * 1_000;
      while (performance.now() < endMs) {
        // As often a little as a lot.
        const delayMs = random.between(delayMsMin, random.oneOf([10, 50, delayMsMax + 1]));
        setFaults(control, { syncDelayMs: delayMs });
        await pause(random.between(delayedMsMax / 2, delayedMsMax));
      }
      await load.ended();
      tally.fault("sync slowed", diskCounts(control).syncs);
      const { reads, slowReads, acknowledged } = load.seen;
      context.say(`${acknowledged} writes; ${slowReads} of ${reads} reads took longer than 100 ms`);
      setFaults(control, { syncDelayMs: 0 });
      await fixture.judge(victim);
      await judgeEnd(victim, tally);
    } finally {
      await load.ended();
      await victim.killed();
    }
  },
};
