/** Production beside a staging that is flooded and killed: nothing of it may be felt there. */
import { readFileSync } from "node:fs";
import { pause, startLoad } from "../load.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";
import { newToken, type Victim, within } from "../service.ts";
import { judgeEnd, newStoreFixture } from "../storeFixture.ts";

const floodingClients = 32;
const lifeMsMax = 2_000;
const backMsMax = 60_000;

export const environments: Scenario = {
  name: "environments",
  about: "both environments by one command, and staging flooded with requests and killed",
  async run(context) {
    const { random, tally, seconds } = context;
    const fixture = newStoreFixture(context, "store");
    const settings = { PETSTORE_DATA: fixture.folder, PETSTORE_ENV: "staging" };
    const stagingToken = await newToken(settings);
    const victim = await fixture.open({
      PETSTORE_ENVIRONMENTS: "production,staging",
      PETSTORE_FIRST_KEY: "off",
    });
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
    let flooding = true;
    const floods = Array.from({ length: floodingClients }, async () => {
      while (flooding) tally.fault("request of a flood", await flood(victim, stagingToken));
    });
    try {
      const endMs = performance.now() + seconds * 1_000;
      while (performance.now() < endMs) {
        await pause(random.between(lifeMsMax / 2, lifeMsMax));
        await killStaging(victim, context);
      }
    } finally {
      flooding = false;
      await Promise.all(floods);
      await load.ended();
    }
    try {
      await fixture.judge(victim);
      await judgeEnd(victim, tally);
    } finally {
      await victim.killed();
    }
  },
};

/** The addresses that staging has had, the last one at last: its port is another in each life. */
const addressesOf = (victim: Victim) =>
  [...victim.log().matchAll(/\(staging\) listens on (\S+)/g)].map(([, base = ""]) => base);

async function flood(victim: Victim, token: string): Promise<number> {
  const base = addressesOf(victim).at(-1);
  const authorization = `Bearer ${token}`;
  try {
    const response = await fetch(`${base}/pets?limit=100`, { headers: { authorization } });
    await response.arrayBuffer();
    return 1;
  } catch {
    // It is dead at the moment, as it may be.
    await pause(20);
    return 0;
  }
}

async function killStaging(victim: Victim, { tally }: ScenarioContext): Promise<void> {
  const lives = addressesOf(victim).length;
  const children = readFileSync(`/proc/${victim.pid}/task/${victim.pid}/children`, "utf8");
  // Production was started first, and is never started again.
  process.kill(Math.max(...children.trim().split(" ").map(Number)), "SIGKILL");
  tally.fault("SIGKILL of staging");
  const back = async () => {
    while (addressesOf(victim).length === lives) await pause(20);
  };
  await within(backMsMax, "Staging does not come back", back());
}
