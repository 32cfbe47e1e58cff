/** What passes between two processes and PostgreSQL is stalled, delayed, torn and cut. */
import { startPostgres } from "../../testkit/postgresServer.ts";
import type { SeededRandom } from "../../testkit/seededRandom.ts";
import { pause } from "../load.ts";
import { FaultyRoute } from "../postgres/faultyRoute.ts";
import { lacksPostgres } from "../postgres/lacksPostgres.ts";
import { strikeInRounds, withPassword } from "../postgres/pair.ts";
import { randomWord } from "../randomWord.ts";
import type { Scenario, ScenarioContext } from "../scenario.ts";

const stallMsMax = 1_500;
/** Longer than a process waits for a connection to come about. */
const longStallMs = 4_000;
const delayMsMax = 40;
const delayedMs = 800;
const tornTimes = 5;
const betweenMs = 60;
const longRunSeconds = 40;

type Strike = (
  route: FaultyRoute,
  random: SeededRandom,
  tally: ScenarioContext["tally"],
) => Promise<void>;

const strikes: Readonly<Record<string, Strike>> = {
  async stall(route, random, tally) {
    tally.fault("stall");
    await route.stall(random.happens(0.1) ? longStallMs : random.between(50, stallMsMax));
  },
  async cut(route, _chance, tally) {
    tally.fault("connection cut", route.cut());
  },
  async delay(route, random, tally) {
    tally.fault("delay");
    await route.delay(random.between(1, delayMsMax), delayedMs);
  },
  async tear(route, random, tally) {
    for (let time = 0; time < tornTimes; time++) {
      route.tear(random.between(0, 60));
      tally.fault("answer torn");
      await pause(betweenMs);
    }
  },
  async forget(route, _chance, tally) {
    tally.fault("connection forgotten", route.forget());
  },
  async refuse(route, random, tally) {
    tally.fault("refused for a while");
    await route.refuse(random.between(50, stallMsMax));
  },
};

export const postgresStalls: Scenario = {
  name: "postgresStalls",
  about: "the way to PostgreSQL stalls, delays, tears answers, cuts connections and refuses them",
  lacks: lacksPostgres,
  async run(context) {
    const { tally, say, seconds } = context;
    const password = randomWord(context.random.fork("password"));
    const server = await startPostgres();
    const routes = [await FaultyRoute.to(server.port), await FaultyRoute.to(server.port)] as const;
    // Until a process gives up a connection on which nothing comes, 12 seconds go by.
    const names = Object.keys(strikes).filter(
      (name) => name !== "forget" || seconds >= longRunSeconds,
    );
    let count = 0;
    try {
      await strikeInRounds(context, {
        async open(name) {
          const address = withPassword(await server.database(name), password);
          const by = ({ port }: FaultyRoute) => address.replace(`:${server.port}/`, `:${port}/`);
          return { addresses: [by(routes[0]), by(routes[1])], password };
        },
        async strike(random) {
          const name = names[count++ % names.length] as string;
          // Often only one of the two: the other one must not be drawn in.
          const struck = random.happens(0.5) ? routes : [random.oneOf(routes)];
          say(`${name}, for ${struck.length} of 2 processes.`);
          await Promise.all(struck.map((route) => strikes[name]?.(route, random, tally)));
        },
      });
    } finally {
      for (const route of routes) route.close();
      await server.remove();
    }
  },
};
