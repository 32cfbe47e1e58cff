import { inEpisodes } from "../hostile/episodes.ts";
import { startFaultyNetwork } from "../hostile/faultyNetwork.ts";
import { judgeStore } from "../judge.ts";
import { Ledger } from "../ledger.ts";
import { pause, startLoad } from "../load.ts";
import type { Scenario } from "../scenario.ts";
import { judgeLog, startVictim } from "../service.ts";

/** How long clients may take, once the network is well, to have their open attempts answered. */
const settlingMsMax = 20_000;

export const networkStalls: Scenario = {
  name: "networkStalls",
  about: "a network that delays, stalls, splits, cuts and resets between clients and the service",
  run: inEpisodes(async ({ random, folder, seconds, tally, say }) => {
    const victim = await startVictim({ folder });
    const { base, token } = victim;
    const port = Number(new URL(base).port);
    const network = await startFaultyNetwork(port, random.fork("network"), tally);
    try {
      const ledger = new Ledger();
      const faulty = `http://127.0.0.1:${network.port}/v1`;
      let addresses = [faulty];
      const load = startLoad({
        addresses: () => addresses,
        token,
        random: random.fork("load"),
        ledger,
        tally,
        clients: 24,
        readsMayFail: () => false,
        writesMayFail: () => false,
      });
      await pause(seconds * 1_000);
      network.calm();
      addresses = [base];
      await load.ended();
      await load.settled(settlingMsMax);
      const { acknowledged, lost, reads } = load.seen;
      say(`${reads} reads, ${acknowledged} writes acknowledged, ${lost} requests lost`);
      tally.judge(lost > 0, () => "The network did no harm");
      tally.judge(ledger.unsettled.length === 0, () => {
        return `${ledger.unsettled.length} attempts were never settled`;
      });
      await judgeStore({ base, token, ledger, tally });
      judgeLog(victim, tally, []);
      const ending = await victim.stopped();
      tally.judge(ending === 0, () => `The service ended with ${ending}`);
    } finally {
      await network.close();
      await victim.killed();
    }
  }),
};
