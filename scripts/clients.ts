// What `npm run clients` runs: clients that other people's generators make of the contract, as the
// service serves it, each compiled and taken through the same steps against the live service.
// Names limit it to some of them; with --required, a client whose toolchain is absent has failed.
// It closes with `N passed, N failed, N skipped`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type GeneratedClient,
  generate,
  generatedClients,
  succeed,
} from "./clients/generatedClients.ts";
import { Missing, scratch } from "./proof/run.ts";
import { startService } from "./proof/service.ts";

/** What a program prints, one line each, once it has seen it. */
const steps = [
  ...["exact", "pages", "400", "401", "404", "409", "412"],
  ...["cancel", "orders", "repeat", "update", "delete", "events"],
];

const required = process.argv.includes("--required");
const named = process.argv.slice(2).filter((argument) => argument !== "--required");
const unknown = named.filter((name) => !generatedClients.some((client) => client.name === name));
if (unknown.length > 0) {
  const known = generatedClients.map(({ name }) => name).join(", ");
  console.error(`There is no client ${unknown.join(", ")}. There are ${known}.`);
  process.exit(2);
}

const { service, live } = await startService();
const contract = await (await fetch(`${live.base}/openapi.json`)).text();
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const client of generatedClients) {
  if (named.length > 0 && !named.includes(client.name)) continue;
  const startedMs = performance.now();
  const [verdict, said] = await tried(client);
  counts[verdict]++;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${client.name}: ${verdict} in ${seconds} s, ${said}`);
}
const ended = await service.end("SIGTERM");
if (ended !== 0) {
  console.error(`The service ended with ${ended}: ${service.stderr()}`);
  counts.failed++;
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function tried(client: GeneratedClient): Promise<["passed" | "failed" | "skipped", string]> {
  try {
    for (const need of client.needs) await requireTool(need);
    return ["passed", await throughSteps(client)];
  } catch (cause) {
    if (cause instanceof Missing)
      return [required ? "failed" : "skipped", `because ${cause.message}`];
    return ["failed", cause instanceof Error ? cause.message : String(cause)];
  }
}

async function requireTool({ ask, version, least, says }: GeneratedClient["needs"][number]) {
  const text = Bun.which(ask[0]) === null ? "" : await succeed(ask, scratch);
  const found = Number(version.exec(text)?.[1] ?? Number.NaN);
  if (found >= least) return;
  const instead = Number.isNaN(found)
    ? "is not installed"
    : `is needed, not ${text.split("\n")[0]}`;
  throw new Missing(`${says} or newer ${instead}`);
}

async function throughSteps(client: GeneratedClient): Promise<string> {
  const folder = join(scratch, client.name);
  mkdirSync(folder);
  writeFileSync(join(folder, "openapi.json"), contract);
  await generate(client, folder);
  const program = await client.compile(folder);
  const env = { BASE_URL: live.base, API_KEY: live.key, PYTHONPATH: "client" };
  const text = await succeed(program, folder, env);
  const lines = text.split("\n");
  const expected = steps.filter((step) => client.without?.[step] === undefined);
  const absent = expected.filter((step) => !lines.includes(step));
  if (absent.length > 0) throw new Error(`it did not get through ${absent.join(", ")}:\n${text}`);
  const left = Object.entries(client.without ?? {}).map(([step, why]) => `; not ${step}: ${why}`);
  return `${expected.join(", ")}${left.join("")}`;
}
