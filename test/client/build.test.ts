/** The client as other programs get it: packed, installed, compiled against and run on Node.js. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { buildClient } from "../../scripts/client.ts";
import { typeCheckFiles } from "../../testkit/typeCheck.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { installOffline, type Packed, pack } from "../scripts/npmPackage.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const run = promisify(execFile);
const packedBytesMax = 21_000;

const folder = mkdtempSync(join(tmpdir(), "petstore-client-"));
const project = join(folder, "project");
const installed = (file: string) =>
  readFileSync(join(project, "node_modules/petstore-client", file), "utf8");
let packed: Packed;
let running: TestService;

beforeAll(async () => {
  buildClient(join(folder, "client"));
  packed = await pack(join(folder, "client"), folder);
  await installOffline(packed.tarball, project);
  running = await startTestService();
});
afterAll(async () => {
  await running.stop();
  rmSync(folder, { recursive: true });
});

const onNode = (file: string, ...options: string[]) =>
  run("node", [...options, file], {
    cwd: project,
    env: { PATH: process.env["PATH"], BASE_URL: running.base, API_KEY: running.token },
  });

const strictest = {
  module: "nodenext",
  lib: ["esnext", "dom", "dom.iterable"],
  skipDefaultLibCheck: true,
  exactOptionalPropertyTypes: true,
};

/** Strictly, with the types of one kind of platform alone. Checks the declarations of the package too. */
function compile(files: readonly string[], options: Readonly<Record<string, unknown>> = {}): void {
  expect(typeCheckFiles(project, files, { ...strictest, ...options })).toEqual([]);
}

/** For what TypeScript 7 knows no more, and what many still have. */
function compileWithTypeScript5(file: string, options: ts.CompilerOptions): void {
  const { options: read, errors } = ts.convertCompilerOptionsFromJson(
    { ...strictest, strict: true, noEmit: true, target: "esnext", types: [] },
    project,
  );
  const program = ts.createProgram([join(project, file)], { ...read, ...options });
  const all = [...errors, ...ts.getPreEmitDiagnostics(program)];
  expect(all.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual(
    [],
  );
}

const node = { lib: ["esnext"], types: ["node"], skipLibCheck: true };

describe("the package", () => {
  test("holds the two builds, their types, one source map and nothing else", () => {
    expect(packed.files).toEqual([
      "LICENSE",
      "README.md",
      "cjs/client.d.ts",
      "cjs/client.js",
      "cjs/package.json",
      "client.d.ts",
      "client.js",
      "client.js.map",
      "package.json",
    ]);
    expect(packed.bytes).toBeLessThan(packedBytesMax);
  });

  test("has the version and licence of the service, and brings nothing along", () => {
    const { version, license } = JSON.parse(read("package.json"));
    const manifest = JSON.parse(installed("package.json"));
    expect(manifest).toMatchObject({ name: "petstore-client", version, license });
    expect(Object.keys(manifest).filter((key) => /dependencies|scripts/i.test(key))).toEqual([]);
    expect(readdirSync(join(project, "node_modules")).filter((name) => name[0] !== ".")).toEqual([
      "petstore-client",
    ]);
  });

  test("holds no contract, and imports nothing", () => {
    for (const file of ["client.js", "cjs/client.js"]) {
      expect(installed(file)).not.toMatch(/\bimport\b|\brequire\b/);
      expect(installed(file)).not.toContain("operationId");
    }
  });
});

describe("its types", () => {
  const program = `import { isPetStoreError, type NewPet, type Page, type Pet, PetStoreClient } from "petstore-client";
    export async function main() {
      const client = new PetStoreClient({ baseUrl: "https://api.example/v1", apiKey: "pet_live_…" });
      const status: "sold" | undefined = undefined as "sold" | undefined;
      const minimal: NewPet = { name: "Bella", categoryId: 3 };
      const page: Page<Pet> = await client.listPets({ status, id: [1, 2n] });
      const id: bigint | undefined = page.items[0]?.id;
      const { body, headers } = await client.call("createPet", { body: minimal });
      const created: Pet = body;
      headers.get("location") satisfies string | null;
      const ifNoneMatch = headers.get("etag") ?? undefined;
      const again = await client.call("listPets", { query: { id: [created.id] }, ifNoneMatch });
      const first: Pet | undefined = again.body?.[0];
      await client.call("deletePet", { path: { petId: created.id }, ifMatch: ifNoneMatch });
      // @ts-expect-error: not where nothing is read
      await client.call("createPet", { body: minimal, ifNoneMatch: "a" });
      try {
        await client.placeOrder({ petId: first?.id ?? created.id });
      } catch (error) {
        if (isPetStoreError(error, "pet_not_found")) error.code satisfies "pet_not_found";
      }
      // @ts-expect-error: a status that the contract does not have
      await client.listPets({ status: "lost" });
      // @ts-expect-error: a body without its name
      await client.createPet({ categoryId: 3 });
      // @ts-expect-error: an operation that does not exist
      await client.call("feedPet", {});
      // @ts-expect-error: a path parameter that is left out
      await client.call("getPet", {});
      // @ts-expect-error: no such code
      isPetStoreError(undefined, "pet_no_found");
      return id;
    }
    `;

  test("resolve under node10 and refer to nothing outside", () => {
    writeFileSync(join(project, "types10.ts"), program);
    const { CommonJS: module } = ts.ModuleKind;
    const { Node10: moduleResolution } = ts.ModuleResolutionKind;
    compileWithTypeScript5("types10.ts", { module, moduleResolution });
  });

  test.each([
    ["nodenext, from ESM and from CommonJS", ["types.mts", "types.cts"], {}],
    ["bundler", ["typesBundler.ts"], { module: "esnext", moduleResolution: "bundler" }],
  ])("resolve under %s and refer to nothing outside", (_name, files, resolution) => {
    for (const file of files) writeFileSync(join(project, file), program);
    compile(files, resolution);
  });

  test("are the same for both builds: a client of one goes where the other's is expected", async () => {
    writeFileSync(
      join(project, "library.cts"),
      `import { type PetStoreClient } from "petstore-client";
      export declare function use(client: PetStoreClient): void;`,
    );
    writeFileSync(
      join(project, "both.mts"),
      `import { PetStoreClient } from "petstore-client";
      import { use } from "./library.cjs";
      use(new PetStoreClient({ baseUrl: "https://api.example/v1", apiKey: "pet_live_…" }));`,
    );
    compile(["both.mts"]);
  });
});

describe("on Node.js", () => {
  const body = `
    const client = new PetStoreClient({ baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY });
    async function main() {
      const ends = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n];
      const ids = [];
      for (const categoryId of ends) {
        ids.push((await client.createPet({ name: "A \\"9007199254740993\\"", categoryId })).id);
      }
      const seen = [];
      for await (const pet of client.pets({ id: ids, limit: 1 })) seen.push(String(pet.categoryId));
      const refused = await client.getPet(2n ** 63n - 1n).catch((error) => isPetStoreError(error, "pet_not_found"));
      console.log(JSON.stringify({ seen, refused }));
    }
    main();`;

  test.each([
    [
      "an ES module",
      "run.mjs",
      'import { isPetStoreError, PetStoreClient } from "petstore-client";',
    ],
    [
      "a CommonJS module",
      "run.cjs",
      'const { isPetStoreError, PetStoreClient } = require("petstore-client");',
    ],
  ])(
    "%s calls the service, with identifiers at both ends of int64",
    async (_name, file, imports) => {
      writeFileSync(join(project, file), imports + body);
      const { stdout, stderr } = await onNode(file);
      expect(JSON.parse(stdout)).toEqual({
        seen: ["-9223372036854775808", "9223372036854775807", "9007199254740993"],
        refused: true,
      });
      expect(stderr).toContain("Pet Store: getPet is deprecated and ends on 2030-12-05.");
    },
  );

  test("an error of one build is an instance of the other's class, and of no subclass", async () => {
    writeFileSync(
      join(project, "both.mjs"),
      `import { createRequire } from "node:module";
      import * as esm from "petstore-client";
      const cjs = createRequire(import.meta.url)("petstore-client");
      const judge = (error) => [esm, cjs].map((build) => [
        error instanceof build.PetStoreError,
        build.isPetStoreError(error, "pet_not_found"),
        error instanceof build.PetStoreUnreachable,
        error instanceof class extends build.PetStoreError {},
      ]);
      const options = { baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY, onDeprecation() {} };
      const refused = await new cjs.PetStoreClient(options).getPet(0).catch(judge);
      const nobody = async () => { throw new Error("nobody") };
      const unreachable = await new cjs.PetStoreClient({ ...options, retries: 0, fetch: nobody }).getPet(0).catch(judge);
      console.log(JSON.stringify({ same: esm.PetStoreError === cjs.PetStoreError, refused, unreachable, other: judge(new Error()) }));
      `,
    );
    const { stdout } = await onNode("both.mjs");
    const [refused, unreachable, other] = [
      [true, true, false, false],
      [false, false, true, false],
      [false, false, false, false],
    ];
    expect(JSON.parse(stdout)).toEqual({
      same: false,
      refused: [refused, refused],
      unreachable: [unreachable, unreachable],
      other: [other, other],
    });
  });

  test.each([
    ["ESM", "trace.mjs", 'import { PetStoreClient } from "petstore-client";', "client.js"],
    [
      "CommonJS",
      "trace.cjs",
      'const { PetStoreClient } = require("petstore-client");',
      "cjs/client.js",
    ],
  ])(
    "a stack trace of the %s build names functions and their lines, of the build and of the source",
    async (_name, file, imports, build) => {
      writeFileSync(
        join(project, file),
        `${imports}
      const { BASE_URL: baseUrl, API_KEY: apiKey } = process.env;
      new PetStoreClient({ baseUrl, apiKey }).listPets({ limit: 0 }).catch((error) => console.log(error.stack));`,
      );
      // With a source map, Node.js leaves out the class of a method.
      const placesIn = (stack: string) =>
        [
          ...stack.matchAll(
            /at (?:async )?(?:\w+\.)?(\S+) \(.*petstore-client(?::\/\/)?\/(\S+?):(\d+):\d+\)/g,
          ),
        ].map(([, name, path = "", line]) => ({ name, path, line: Number(line) }));
      const plain = placesIn((await onNode(file)).stdout);
      expect(plain[0]).toMatchObject({ name: "failure", path: build });
      const mapped = placesIn((await onNode(file, "--enable-source-maps")).stdout);
      expect(mapped[0]).toMatchObject({ name: "failure", path: "src/client/response.ts" });
      expect(mapped.map(({ name }) => name)).toEqual(plain.map(({ name }) => name));
      const erased = (text: string) => text.replace(/^\s*(?:export )?/, "").slice(0, 12);
      for (const [index, { path, line }] of mapped.entries()) {
        const code = installed(build).split("\n")[(plain[index]?.line ?? 0) - 1] ?? "";
        const source = read(path).split("\n")[line - 1] ?? "";
        expect(erased(source)).toBe(erased(code));
      }
    },
  );

  test("the source map holds its sources, in the lines of the files that they are", () => {
    const { sources, sourcesContent } = JSON.parse(installed("client.js.map"));
    expect(sources.length).toBeGreaterThan(5);
    for (const [index, source] of sources.entries()) {
      const original = read(new URL(source).pathname).split("\n");
      const lines: string[] = sourcesContent[index].split("\n");
      expect(lines).toHaveLength(original.length);
      // A line without a type in it is there to the letter, up to a comment.
      const kept = lines.filter((line, at) => line !== "" && original[at]?.startsWith(line));
      expect(kept.length).toBeGreaterThan(lines.filter((line) => line !== "").length / 2);
    }
  });
});

describe("what is written about it", () => {
  test.each([
    ["docs/guide/client.md", 6],
    ["scripts/client/README.md", 1],
  ])("the examples of %s compile and run on Node.js", async (page, examplesMin) => {
    const examples = [...read(page).matchAll(/```ts\n(.*?)```/gs)];
    expect(examples.length).toBeGreaterThanOrEqual(examplesMin);
    const program = examples.map(([, code]) => code).join("\n");
    writeFileSync(join(project, "page.ts"), program);
    writeFileSync(join(project, "page.js"), program);
    compile(["page.ts"], node);
    const { stdout, stderr } = await onNode("page.js");
    expect(stderr).toBe("");
    expect(stdout).toContain("Bella");
    if (examplesMin === 1) return;
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
