/** PostgreSQL is stopped or killed and started again, while clients of two processes read and write. */
import { type PostgresServer, startPostgres } from "../../testkit/postgresServer.ts";
import { pause } from "../load.ts";
import { lacksPostgres } from "../postgres/lacksPostgres.ts";
import { strikeInRounds, withPassword } from "../postgres/pair.ts";
import { randomWord } from "../randomWord.ts";
import type { Scenario } from "../scenario.ts";

const awayMsMax = 1_000;
const startAttemptsMax = 100;
const startAgainMs = 100;

const ways = ["fast", "immediate", "kill"] as const;

export const postgresRestart: Scenario = {
  name: "postgresRestart",
  about: "PostgreSQL stopped fast, immediately or by SIGKILL under mixed load, and started again",
  lacks: lacksPostgres,
  async run(context) {
    const { tally, say } = context;
    const password = randomWord(context.random.fork("password"));
    const server = await startPostgres();
    let strikes = 0;
    try {
      await strikeInRounds(context, {
        async open(name) {
          const address = withPassword(await server.database(name), password);
          return { addresses: [address, address], password };
        },
        async strike(random) {
          // Each in turn, so that a short run has seen all of them.
          const way = ways[strikes++ % ways.length] as (typeof ways)[number];
          say(`PostgreSQL is ended: ${way}.`);
          await server.stop(way);
          tally.fault(`PostgreSQL ended: ${way}`);
          await pause(random.between(0, awayMsMax));
          await startAgain(server);
        },
      });
    } finally {
      await server.remove();
    }
  },
};

/** After a kill, others of its processes may not have noticed yet, and keep its memory to themselves. */
async function startAgain(server: PostgresServer): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await server.start();
    } catch (cause) {
      if (attempt === startAttemptsMax) throw cause;
      await pause(startAgainMs);
    }
  }
}
