// What `npm run conformance` runs: the service as a process of its own, and against it two tools
// that know nothing of our code. Specmatic makes requests of the contract, good and bad ones, and
// Redocly walks the workflows of openapi/petstore.arazzo.yaml. It closes with `N passed, N failed`.
import { type Counted, Missing } from "./conformance/run.ts";
import { startService } from "./conformance/service.ts";
import { runSpecmatic, specmatic } from "./conformance/specmatic.ts";
import { runWorkflows } from "./conformance/workflows.ts";

async function counted(title: string, tool: () => Promise<Counted>): Promise<Counted> {
  console.log(`\n${title}`);
  const startedMs = performance.now();
  const total = await tool().catch((cause: unknown): Counted => {
    console.error(`FAILED: ${cause instanceof Missing ? cause.message : cause}`);
    return { passed: 0, failed: 1 };
  });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${title}: ${total.passed} passed, ${total.failed} failed, in ${seconds} s`);
  return total;
}

const { service, live } = await startService();
console.log(`The service listens on ${live.base}.`);

const totals = [
  await counted(`Specmatic ${specmatic.version}, requests made of the contract`, () =>
    runSpecmatic(live),
  ),
  await counted("Redocly, workflows of openapi/petstore.arazzo.yaml", () => runWorkflows(live)),
];
const ended = await service.end("SIGTERM");
const passed = totals.reduce((sum, total) => sum + total.passed, 0);
let failed = totals.reduce((sum, total) => sum + total.failed, 0);
if (ended !== 0) {
  console.error(`The service ended with ${ended}: ${service.stderr()}`);
  failed++;
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
