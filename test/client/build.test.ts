/** The client as other programs get it: built, installed, compiled against and run on Node.js. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Built, buildClient } from "../../scripts/client.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const run = promisify(execFile);
const gzipBytesMax = 6_000;

const folder = mkdtempSync(join(tmpdir(), "petstore-client-"));
const installed = join(folder, "node_modules/petstore");
let built: Built;
let running: TestService;

beforeAll(async () => {
  built = await buildClient(join(installed, "dist/client"));
  const { name, type, exports } = JSON.parse(read("package.json"));
  writeFileSync(join(installed, "package.json"), JSON.stringify({ name, type, exports }));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  running = await startTestService();
});
afterAll(async () => {
  await running.stop();
  rmSync(folder, { recursive: true });
});

const onNode = (file: string) =>
  run("node", [file], {
    cwd: folder,
    env: { PATH: process.env.PATH, BASE_URL: running.base, API_KEY: running.token },
  });

interface Setting {
  readonly lib: readonly string[];
  readonly types: readonly string[];
  /** Whether to take declarations as they are. */
  readonly skipLibCheck: boolean;
}

/** Strictly, with the types of one kind of platform alone. */
async function compile(file: string, setting: Setting): Promise<void> {
  const compilerOptions = {
    ...setting,
    typeRoots: [join(root, "node_modules/@types")],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    target: "esnext",
    module: "nodenext",
  };
  const project = join(folder, `${file}.json`);
  writeFileSync(project, JSON.stringify({ compilerOptions, files: [file] }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  await run("node", [tsc, "--project", project]).catch((cause) => {
    throw new Error(cause.stdout);
  });
}

const browser = { lib: ["esnext", "dom", "dom.iterable"], types: [], skipLibCheck: false };
const node = { lib: ["esnext"], types: ["node"], skipLibCheck: true };

describe("the built client", () => {
  test("is one small module that holds no contract and imports nothing", () => {
    const code = readFileSync(built.module, "utf8");
    expect(built.gzipBytes).toBeLessThan(gzipBytesMax);
    expect(code).not.toMatch(/\bimport\b/);
    expect(code).not.toContain("operationId");
  });

  test("comes with types that refer to nothing outside", async () => {
    writeFileSync(
      join(folder, "types.ts"),
      `import { isPetStoreError, type NewPet, type Page, type Pet, PetStoreClient } from "petstore/client";
      const client = new PetStoreClient({ baseUrl: "https://api.example/v1", apiKey: "pet_live_…" });
      const status: "sold" | undefined = undefined as "sold" | undefined;
      const minimal: NewPet = { name: "Bella", categoryId: 3 };
      const page: Page<Pet> = await client.listPets({ status, id: [1, 2n] });
      const id: bigint | undefined = page.items[0]?.id;
      const created: Pet = (await client.call("createPet", { body: minimal })).body;
      try {
        await client.placeOrder({ petId: created.id });
      } catch (error) {
        if (isPetStoreError(error, "pet_not_found")) error.code satisfies "pet_not_found";
      }
      // @ts-expect-error: a status that the contract does not have
      await client.listPets({ status: "lost" });
      // @ts-expect-error: a body without its name
      await client.createPet({ categoryId: 3 });
      // @ts-expect-error: an operation that does not exist
      await client.call("deletePet", {});
      // @ts-expect-error: a path parameter that is left out
      await client.call("getPet", {});
      // @ts-expect-error: no such code
      isPetStoreError(undefined, "pet_no_found");
      export { id };
      `,
    );
    await compile("types.ts", browser);
  });

  test("runs on Node.js, with identifiers at both ends of int64", async () => {
    writeFileSync(
      join(folder, "run.js"),
      `import { isPetStoreError, PetStoreClient } from "petstore/client";
      const client = new PetStoreClient({ baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY });
      const ends = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n];
      for (const categoryId of ends) await client.createPet({ name: "A \\"9007199254740993\\"", categoryId });
      const seen = [];
      for await (const pet of client.pets({ limit: 1 })) seen.push(String(pet.categoryId));
      const refused = await client.getPet(2n ** 63n - 1n).catch((error) => isPetStoreError(error, "pet_not_found"));
      console.log(JSON.stringify({ seen, refused }));
      `,
    );
    const { stdout, stderr } = await onNode("run.js");
    expect(JSON.parse(stdout)).toEqual({
      seen: ["-9223372036854775808", "9223372036854775807", "9007199254740993"],
      refused: true,
    });
    expect(stderr).toContain("Pet Store: getPet is deprecated and ends on 2030-12-05.");
  });

  test("does what the guide says: its examples compile and run on Node.js", async () => {
    const examples = [...read("docs/guide/client.md").matchAll(/```ts\n(.*?)```/gs)];
    expect(examples.length).toBeGreaterThan(5);
    const program = examples.map(([, code]) => code).join("\n");
    writeFileSync(join(folder, "guide.ts"), program);
    writeFileSync(join(folder, "guide.js"), program);
    await compile("guide.ts", node);
    const { stdout, stderr } = await onNode("guide.js");
    expect(stderr).toBe("");
    expect(stdout).toContain("name: 'Bella', categoryId: 3n, status: 'available'");
    expect(stdout.match(/^true$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/^name .+ \S+$/m);
  });
});

describe("the client's room", () => {
  const files = readdirSync(join(root, "src/client")).map((name) => `src/client/${name}`);
  for (const file of files) {
    test(`${file} takes only types from outside, and those from the contract`, () => {
      const imports = read(file).matchAll(/^(import|export) (type )?[^;]*?from "([^"]+)";/gms);
      const strangers = [...imports]
        .filter(([, , , from = ""]) => !/^\.\/\w+\.ts$/.test(from))
        .map(([, , type, from]) => [type, from]);
      for (const stranger of strangers) {
        expect(stranger).toEqual(["type ", "../contract/generated/types.ts"]);
      }
    });
  }
});
