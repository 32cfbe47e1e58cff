// What `npm run conformance` runs: the service as a process of its own, and against it two tools
// that know nothing of our code. Specmatic makes requests of the contract, good and bad ones, and
// Redocly walks the workflows of openapi/petstore.arazzo.yaml. It closes with `N passed, N failed`.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { petstore, startProcess } from "../test/end-to-end/process.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "petstore-conformance-"));
const toolMsMax = 300_000;
const failuresShownMax = 5;
const bodyShownLengthMax = 500;

/** Animals 1 to 5, which the examples of the contract and the workflows speak of. */
const petsSeeded = 5;

// Not a development dependency: 77 MB that only this run needs. The hash is that of the jar.
const specmatic = {
  version: "2.55.1",
  sha256: "07a1ae4b861c6b4dab67a4a1407c58f28db306b3b7732eda92148bce8f2729b9",
};
const javaMajorMin = 17;

interface Counted {
  passed: number;
  failed: number;
}

interface Live {
  readonly base: string;
  readonly key: string;
}

/** What a tool needs and does not find; told as it is, without a stack. */
class Missing extends Error {}

const children = new Set<ChildProcess>();

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
) {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: toolMsMax,
    killSignal: "SIGKILL",
  });
  children.add(child);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, "close");
  children.delete(child);
  return { code: code as number | null, text };
}

async function requireJava(): Promise<void> {
  const { text } = await run("java", ["-version"], scratch).catch(() => ({ text: "" }));
  const major = Number(/version "(\d+)/.exec(text)?.[1] ?? 0);
  if (major >= javaMajorMin) return;
  const found = major === 0 ? "none was found" : `this is ${text.split("\n")[0]}`;
  throw new Missing(
    `Java ${javaMajorMin} or newer is needed: apt-get install default-jre-headless (${found})`,
  );
}

const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** The jar, fetched once into the user's cache and held to its hash every time. */
async function specmaticJar(): Promise<string> {
  const { version } = specmatic;
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "petstore");
  const jar = join(cache, `specmatic-${version}.jar`);
  if (existsSync(jar) && sha256(jar) === specmatic.sha256) return jar;

  console.log(`Fetching specmatic@${version} from npm into ${cache}`);
  mkdirSync(cache, { recursive: true });
  // Unpacked beside its place, so that the rename is one step and no half jar is ever found there.
  const folder = mkdtempSync(join(cache, "fetching-"));
  try {
    const packed = await run(
      "npm",
      ["pack", "--ignore-scripts", "--silent", `specmatic@${version}`],
      folder,
    );
    const unpacked = await run(
      "tar",
      ["-xzf", `specmatic-${version}.tgz`, "package/specmatic.jar"],
      folder,
    );
    const fetched = join(folder, "package/specmatic.jar");
    if (packed.code !== 0 || unpacked.code !== 0) {
      throw new Missing(
        `specmatic@${version} could not be fetched: ${packed.text}${unpacked.text}`,
      );
    }
    if (sha256(fetched) !== specmatic.sha256) {
      throw new Missing(
        `specmatic@${version} is not the jar whose hash scripts/conformance.ts holds.`,
      );
    }
    renameSync(fetched, jar);
    return jar;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The contract as Specmatic can take it. What it leaves out here, the workflows or tests cover. */
function contractForSpecmatic(): string {
  const contract = parse(readFileSync(join(root, "openapi/petstore.yaml"), "utf8"));
  // Only the service can make a cursor. A random one is refused, as it must be, which fails every
  // good request and hides what is wrong with the bad ones. The workflow `pages` follows a real one.
  const { get } = contract.paths["/pets"];
  get.parameters = drop(get.parameters, { $ref: "#/components/parameters/cursor" });
  // Specmatic reads \u0000 in a pattern as the letters u and 0, and so makes names with U+0000.
  // This pattern allows a part of the same names, and still does with the `_` at its end by which
  // Specmatic breaks a pattern, so that no good name is sent as a bad one.
  const { name } = contract.components.schemas.NewPet.properties;
  if (name.pattern === undefined) throw new Error("NewPet.name has no pattern to replace.");
  name.pattern = "^[!-~][!-\ud7a3]*$";
  return stringify(contract);
}

/** Fails when there was nothing to drop, so that no exception outlives its reason. */
function drop(list: readonly { $ref?: string }[], { $ref }: { $ref: string }) {
  const rest = list.filter((entry) => entry.$ref !== $ref);
  if (rest.length !== list.length - 1) throw new Error(`The contract no longer refers to ${$ref}.`);
  return rest;
}

async function runSpecmatic({ base, key }: Live): Promise<Counted> {
  await requireJava();
  const jar = await specmaticJar();
  // Specmatic writes reports into the folder it runs in.
  const folder = join(scratch, "specmatic");
  mkdirSync(folder);
  writeFileSync(join(folder, "petstore.yaml"), contractForSpecmatic());
  const { code, text } = await run(
    "java",
    ["-jar", jar, "test", "petstore.yaml", `--testBaseURL=${base}`, "--junitReportDir=junit"],
    folder,
    // Specmatic takes the key from the variable that is named like the security scheme.
    { apiKey: key, SPECMATIC_GENERATIVE_TESTS: "true" },
  );
  const report = join(folder, "junit/TEST-junit-jupiter.xml");
  if (!existsSync(report)) throw new Error(`Specmatic ended with ${code} and no report:\n${text}`);
  const counted = countSpecmatic(readFileSync(report, "utf8"));
  if (counted.failed > 0) console.log(failuresOf(text.replaceAll(key, "$API_KEY")));
  if (code !== 0 && counted.failed === 0) throw new Error(`Specmatic ended with ${code}:\n${text}`);
  return counted;
}

const operations = {
  "GET /pets": "listPets",
  "POST /pets": "createPet",
  "GET /pets/(petId:number)": "getPet",
};

/** Counts the tests of each operation; one that has no good or no bad requests has failed. */
function countSpecmatic(report: string): Counted {
  const total: Counted = { passed: 0, failed: 0 };
  const cases = report
    .split("<testcase ")
    .slice(1)
    .map((text) => ({
      name: / name="([^"]*)"/.exec(text)?.[1] ?? "",
      failed: /<(failure|error)\b/.test(text),
    }));
  for (const [place, operation] of Object.entries(operations)) {
    for (const [sign, kind] of [
      ["+ve", "good"],
      ["-ve", "bad"],
    ]) {
      const these = cases.filter(({ name }) => name.includes(`${sign}  Scenario: ${place} -&gt; `));
      const failed = these.filter((test) => test.failed).length;
      console.log(`  ${operation}: ${these.length} ${kind} requests, ${failed} failed`);
      total.passed += these.length - failed;
      total.failed += these.length === 0 ? 1 : failed;
    }
  }
  const sorted = total.passed + total.failed;
  if (sorted < cases.length) {
    console.log(`  ${cases.length - sorted} tests belong to no known operation`);
    total.failed += cases.length - sorted;
  }
  return total;
}

/** The first exchanges that went wrong, each with its request, its response and the reason. */
function failuresOf(log: string): string {
  const blocks = log
    .split("--------------------")
    .filter((block) => /Scenario: .* has FAILED/.test(block));
  return blocks
    .slice(0, failuresShownMax)
    .map((block) => block.trimEnd())
    .join("\n");
}

interface WalkedStep {
  readonly stepId: string;
  readonly workflowId: string;
  readonly status: string;
  readonly request?: { readonly method: string; readonly url: string };
  readonly response?: { readonly statusCode: number; readonly body: unknown };
  readonly checks: readonly {
    readonly name: string;
    readonly passed: boolean;
    readonly condition?: string;
  }[];
}

interface Walked {
  readonly files: Readonly<
    Record<string, { executedWorkflows: readonly { executedSteps: readonly WalkedStep[] }[] }>
  >;
}

interface Workflows {
  readonly workflows: readonly {
    readonly workflowId: string;
    readonly steps: readonly unknown[];
  }[];
}

async function runWorkflows({ base, key }: Live): Promise<Counted> {
  const file = "openapi/petstore.arazzo.yaml";
  const report = join(scratch, "workflows.json");
  const { code, text } = await run("redocly", ["respect", file, "--json-output", report], root, {
    REDOCLY_CLI_RESPECT_SERVER: `petstore=${base}`,
    REDOCLY_CLI_RESPECT_INPUT: `apiKey=${key},cursor=${await cursorAfterTwo({ base, key })}`,
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  });
  if (!existsSync(report)) throw new Error(`Redocly ended with ${code} and no report:\n${text}`);
  const walked = JSON.parse(readFileSync(report, "utf8")) as Walked;
  const steps = Object.values(walked.files).flatMap(({ executedWorkflows }) =>
    executedWorkflows.flatMap(({ executedSteps }) => executedSteps),
  );
  const planned = parse(readFileSync(join(root, file), "utf8")) as Workflows;
  const counted = countSteps(planned, steps);
  if (code !== 0 && counted.failed === 0) throw new Error(`Redocly ended with ${code}:\n${text}`);
  return counted;
}

/** A step that was not reached, because one before it failed, has not passed. */
function countSteps({ workflows }: Workflows, steps: readonly WalkedStep[]): Counted {
  const total: Counted = { passed: 0, failed: 0 };
  for (const { workflowId, steps: planned } of workflows) {
    const walked = steps.filter((step) => step.workflowId === workflowId);
    const passed = walked.filter(({ status }) => status === "success").length;
    const checks = walked.flatMap((step) => step.checks).length;
    console.log(`  ${workflowId}: ${passed} of ${planned.length} steps passed, ${checks} checks`);
    total.passed += passed;
    total.failed += planned.length - passed;
  }
  for (const step of steps) if (step.status !== "success") tellFailure(step);
  return total;
}

function tellFailure({ workflowId, stepId, request, response, checks }: WalkedStep): void {
  const answer = `${response?.statusCode} ${JSON.stringify(response?.body)?.slice(0, bodyShownLengthMax)}`;
  console.log(`  ${workflowId} / ${stepId}: ${request?.method} ${request?.url} answered ${answer}`);
  for (const { name, condition = "", passed } of checks) {
    if (!passed) console.log(`    failed: ${name} ${condition}`);
  }
}

/** The cursor in the Link header of a first page of two, which a workflow cannot cut out itself. */
async function cursorAfterTwo({ base, key }: Live): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${base}/pets?limit=2`, { headers });
  const cursor = /[?&]cursor=([^>&]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  if (cursor === undefined)
    throw new Error(`GET /pets?limit=2 answered ${response.status} and no next page.`);
  return cursor;
}

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

process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true });
});
// Leaving by `exit` lets the handler above stop what was started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const data = { PETSTORE_DATA: join(scratch, "data"), PETSTORE_LOG: "error" };
const made = await petstore(["keys", "create", "--name", "conformance", "--json"], data);
const seeded = await petstore(["pets", "seed", "--count", String(petsSeeded)], data);
if (made.code !== 0 || seeded.code !== 0) throw new Error(`${made.stderr}${seeded.stderr}`);
const service = await startProcess(data);
children.add(service.child);
const live: Live = { base: service.base, key: JSON.parse(made.stdout).key };
console.log(`The service listens on ${live.base}, with pets 1 to ${petsSeeded}.`);

const totals = [
  await counted(`Specmatic ${specmatic.version}, requests made of the contract`, () =>
    runSpecmatic(live),
  ),
  await counted("Redocly, workflows of openapi/petstore.arazzo.yaml", () => runWorkflows(live)),
];
const ended = await service.end("SIGTERM");
children.delete(service.child);
const passed = totals.reduce((sum, total) => sum + total.passed, 0);
let failed = totals.reduce((sum, total) => sum + total.failed, 0);
if (ended !== 0) {
  console.error(`The service ended with ${ended}: ${service.stderr()}`);
  failed++;
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
