/** The listener of the service on whatever runs this; prints its port. */
import { systemClock } from "../../src/core/clock.ts";
import { listen } from "../../src/wire/listener.ts";

const { port } = await listen(
  { host: "127.0.0.1", port: 0 },
  {
    async handle(request) {
      const body = Buffer.from(await request.body(1_000)).toString();
      return { status: 200, headers: {}, body: `${request.method} ${request.path} ${body}` };
    },
    failed: () => ({ status: 500, headers: {} }),
    refuse: (error) => ({ status: 400, headers: {}, body: error }),
  },
  systemClock,
);
process.stdout.write(`${port} ${typeof Bun}\n`);
