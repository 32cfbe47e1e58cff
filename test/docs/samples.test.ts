/** The samples are programs: they compile, and they do what they say on a real service. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readContract } from "../../src/docs/contract.ts";
import { samplesOf } from "../../src/docs/samples.ts";
import { verdictOn } from "../../testkit/describeUnless.ts";
import { typeCheckFiles } from "../../testkit/typeCheck.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { document, root } from "./built.ts";

const run = promisify(execFile);
const { operations } = readContract(document);
/** On a service of its own each. Each operation finds what the one before it left. */
const stories = [
  [
    ...["createPet", "listPets", "getPet", "listCategories", "placeOrder", "listOrders"],
    ...["getOrder", "approveOrder", "deliverOrder", "listEvents"],
  ],
  ["createPet", "placeOrder", "cancelOrder", "updatePet", "deletePet"],
  ["createCategory", "updateCategory", "deleteCategory"],
];
const told = [...new Set(stories.flat())];
const sample = (id: string, language: string) => {
  const operation = operations.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`The contract lacks ${id}.`);
  return samplesOf(operation).find((one) => one.language === language)?.text ?? "";
};

const folder = mkdtempSync(join(tmpdir(), "petstore-samples-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("every operation has its place in the story", () => {
  expect(operations.map(({ id }) => id).toSorted()).toEqual(told.toSorted());
});

test("the TypeScript samples compile against the client", () => {
  const files = told.map((id) => {
    const file = join(folder, `${id}.ts`);
    writeFileSync(file, sample(id, "typescript"));
    return file;
  });
  const errors = typeCheckFiles(folder, files, {
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["esnext", "dom", "dom.iterable"],
    types: ["bun"],
    paths: { "petstore-client": [fileURLToPath(new URL("src/client/client.ts", root))] },
    skipLibCheck: true,
    allowImportingTsExtensions: true,
  });
  expect(errors).toEqual([]);
});

/** The first on the path may be one that Debian's packages do not serve. */
const python = ["python3", "/usr/bin/python3"].find(
  (command) => spawnSync(command, ["-c", "import requests"]).status === 0,
);

/** What the samples of a language need of the machine, where they need more than npm brings. */
const missing: Record<string, string | undefined> = {
  curl: Bun.which("curl") === null ? "no curl here" : undefined,
  python: python === undefined ? "no python3 with requests here" : undefined,
};

describe.each([
  [
    "curl",
    (text: string) => ["bash", "-c", text.replace(/^curl /, "curl --silent --fail-with-body ")],
  ],
  ["python", (text: string) => [python ?? "python3", "-c", text]],
  [
    "typescript",
    (text: string) => {
      const linked = text.replace(
        '"petstore-client"',
        JSON.stringify(fileURLToPath(new URL("src/client/client.ts", root))),
      );
      mkdirSync(join(folder, "run"), { recursive: true });
      writeFileSync(join(folder, "run/sample.ts"), linked);
      return [process.execPath, join(folder, "run/sample.ts")];
    },
  ],
] as const)("the %s samples", (language, commandFor) => {
  const isSkipped = verdictOn(missing[language]) === "skip";
  const reason = isSkipped ? ` (skipped: ${missing[language]})` : "";
  let services: TestService[];
  beforeAll(async () => {
    services = await Promise.all(stories.map(() => startTestService()));
  });
  afterAll(() => Promise.all(services.map((running) => running.stop())));

  test.skipIf(isSkipped)(`run in the order of their stories${reason}`, async () => {
    const said: Record<string, string> = {};
    const steps = stories.flatMap((story, index) =>
      story.map((id) => ({ id, running: services[index] as TestService })),
    );
    for (const { id, running } of steps) {
      const [command = "", ...args] = commandFor(sample(id, language));
      const { stdout } = await run(command, args, {
        env: { PATH: process.env["PATH"], BASE_URL: running.base, API_KEY: running.token },
      });
      said[id] = stdout;
    }
    expect(said["listPets"]).toContain("Bella");
    expect(said["getPet"]).toContain("Bella");
    expect(said["placeOrder"]).toContain("placed");
    expect(said["approveOrder"]).toContain("approved");
    expect(said["deliverOrder"]).toContain("delivered");
    expect(said["cancelOrder"]).toContain("cancelled");
    expect(said["updatePet"]).toContain("Stella");
    expect(said["deletePet"]).toBe("");
    expect(said["createCategory"]).toContain("Dogs");
    expect(said["updateCategory"]).toContain("Hounds");
    expect(said["deleteCategory"]).toBe("");
  });
});
