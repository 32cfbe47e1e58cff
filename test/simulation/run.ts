/** A long run by hand: `bun test/simulation/run.ts --seed N --domains D --hours H [--family F] [--trace WORD]`. */
import { parseArgs } from "node:util";
import { memoryStores } from "../../testkit/memoryStores.ts";
import { simulate } from "./simulation.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    domains: { type: "string", default: "2000" },
    hours: { type: "string", default: "48" },
    family: { type: "string" },
    trace: { type: "string" },
  },
});
const { trace } = values;
const begunAt = performance.now();
const report = await simulate({
  seed: Number(values.seed),
  domains: Number(values.domains),
  hours: Number(values.hours),
  stores: memoryStores(),
  ...(values.family === undefined ? {} : { family: Number(values.family) }),
  ...(trace === undefined
    ? {}
    : { onTrace: (line: string) => void (line.includes(trace) && console.log(line)) }),
});
const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
for (const [what, count] of [...report.counts].sort(([one], [other]) => (one < other ? -1 : 1))) {
  console.log(`${String(count).padStart(9)}  ${what}`);
}
for (const { atMs, rule, detail } of report.violations.slice(0, 40)) {
  console.log(`violated after ${(atMs / 3_600_000).toFixed(3)} h: ${rule}: ${detail}`);
}
console.log(
  `seed ${report.seed}: ${report.events} events in ${seconds} s, trace ${report.traceHash}, ${report.violationsSeen} violations`,
);
process.exit(report.violationsSeen === 0 ? 0 : 1);
