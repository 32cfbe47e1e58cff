/**
 * The listener in a process with few descriptors. Prints its port, and then for each line that it
 * reads how much of its time it has used the processor for since, as a fraction.
 */
import { createInterface } from "node:readline";
import { systemClock } from "../../src/core/clock.ts";
import { listen } from "../../src/wire/listener.ts";

/** Long enough to tell waiting from spinning, on a machine that is busy with other things too. */
const measuredMs = 1_500;

const { port } = await listen(
  { host: "127.0.0.1", port: 0 },
  {
    // What holds its connection waits for a response that does not come.
    handle: ({ path }) =>
      path === "/hold" ? new Promise(() => {}) : { status: 200, headers: {}, body: "here" },
    failed: () => ({ status: 500, headers: {} }),
    refuse: () => ({ status: 400, headers: {} }),
  },
  systemClock,
);
console.log(port);

createInterface({ input: process.stdin }).on("line", () => {
  const cpu = process.cpuUsage();
  const elapsed = systemClock.elapsed();
  systemClock.after(measuredMs, () => {
    const { user, system } = process.cpuUsage(cpu);
    console.log((user + system) / 1_000 / (systemClock.elapsed() - elapsed));
  });
});
