/** The generated clients: how each is made of the contract, compiled, and its program started. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedJar, cacheFolder, type Jar, requireJava } from "../proof/cachedTools.ts";
import { Missing, root, run } from "../proof/run.ts";

type Command = readonly [command: string, ...args: string[]];

export interface GeneratedClient {
  readonly name: string;
  /** As the guide has it: makes the client of `openapi.json` in the folder `client`. */
  readonly command: Command;
  /** The toolchain, and the part of its version that has to be at least this. */
  readonly needs: readonly { ask: Command; version: RegExp; least: number; says: string }[];
  /** Steps that the client cannot take, and why. */
  readonly without?: Readonly<Record<string, string>>;
  /** Compiles the client with its program, and returns the command that runs it. */
  compile(folder: string): Command | Promise<Command>;
}

export const pinned = {
  openapiGenerator: "7.25.0",
  /** In requirements.txt, with what it needs. */
  openapiPythonClient: "0.29.1",
  oapiCodegen: "2.8.2",
};

// The very jar that Maven Central has. PyPI needs no Maven for the other languages.
const generator: Jar = {
  name: "openapi-generator-cli",
  version: pinned.openapiGenerator,
  sha256: "41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae",
  commands: [
    [
      "pip3",
      "download",
      "--quiet",
      "--no-deps",
      "--dest",
      ".",
      `openapi-generator-cli==${pinned.openapiGenerator}`,
    ],
    [
      "python3",
      "-m",
      "zipfile",
      "-e",
      `openapi_generator_cli-${pinned.openapiGenerator}-py3-none-any.whl`,
      ".",
    ],
  ],
  path: "openapi_generator_cli/openapi-generator.jar",
};
const oapiCodegen = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${pinned.oapiCodegen}`;
const oapiRuntime = "github.com/oapi-codegen/runtime@v1.8.0";
/** Debian's, since there is no other registry of PHP packages here. */
const guzzle = "/usr/share/php/GuzzleHttp/autoload.php";

const programs = fileURLToPath(new URL("./programs/", import.meta.url));
const outputShownMax = 4_000;

/** Throws with what the command said unless it succeeds. */
export async function succeed(
  [command, ...args]: Command,
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...(process.env as Record<string, string>), ...more };
  const { code, text } = await run(command, args, folder, env);
  if (code === 0) return text;
  throw new Error(
    `${command} ${args.join(" ")} ended with ${code}:\n${text.slice(-outputShownMax)}`,
  );
}

/** The generators, which are not on the path, by the names that the guide has. */
const generators: Readonly<Record<string, (folder: string) => Promise<Command>>> = {
  async "openapi-generator-cli"() {
    await requireJava();
    return ["java", "-jar", await cachedJar(generator)];
  },
  async "openapi-python-client"(folder) {
    return [await pythonEnvironment(folder), "-m", "openapi_python_client"];
  },
  async "oapi-codegen"() {
    return ["go", "run", oapiCodegen];
  },
};

export async function generate({ command }: GeneratedClient, folder: string): Promise<void> {
  const [name, ...args] = command;
  const start = await generators[name]?.(folder);
  if (start === undefined) throw new Error(`There is no generator ${name}.`);
  mkdirSync(join(folder, "client"));
  await succeed([...start, ...args], folder);
}

const addProgram = (name: string, to: string) => cpSync(join(programs, name), to);

/** The Python of an environment with both clients' packages, made once. */
async function pythonEnvironment(folder: string): Promise<string> {
  const requirements = fileURLToPath(new URL("./requirements.txt", import.meta.url));
  const wanted = await Bun.file(requirements).text();
  const place = join(cacheFolder, `clients-python-${Bun.hash(wanted).toString(36)}`);
  const python = join(place, "bin/python");
  if (existsSync(join(place, "complete"))) return python;
  rmSync(place, { recursive: true, force: true });
  await succeed(["python3", "-m", "venv", place], folder);
  await succeed([python, "-m", "pip", "install", "--quiet", "-r", requirements], folder);
  writeFileSync(join(place, "complete"), "");
  return python;
}

const java = {
  ask: ["java", "-version"],
  version: /version "(\d+)/,
  least: 17,
  says: "Java 17",
} as const;
const python = {
  ask: ["python3", "--version"],
  version: /Python 3\.(\d+)/,
  least: 11,
  says: "Python 3.11",
} as const;
const go = { ask: ["go", "version"], version: /go1\.(\d+)/, least: 23, says: "Go 1.23" } as const;

/** The command of openapi-generator. */
const openapiGenerator = (language: string, ...options: readonly string[]): Command => [
  ...(["openapi-generator-cli", "generate", "-i", "openapi.json", "-o", "client"] as const),
  ...["-g", language, ...options],
];

export const generatedClients: readonly GeneratedClient[] = [
  {
    name: "python",
    command: openapiGenerator("python"),
    needs: [java, python],
    async compile(folder) {
      addProgram("program.py", join(folder, "program.py"));
      return [await pythonEnvironment(folder), "program.py"];
    },
  },
  {
    name: "openapi-python-client",
    command: [
      ...(["openapi-python-client", "generate", "--path", "openapi.json"] as const),
      ...["--output-path", "client", "--overwrite"],
    ],
    needs: [python],
    async compile(folder) {
      addProgram("openapiPythonClient.py", join(folder, "program.py"));
      return [await pythonEnvironment(folder), "program.py"];
    },
  },
  {
    name: "typescript",
    command: openapiGenerator(
      "typescript-fetch",
      "--additional-properties=importFileExtension=.js",
    ),
    needs: [java],
    without: { exact: "its numbers are doubles" },
    async compile(folder) {
      addProgram("program.mts", join(folder, "program.ts"));
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
      const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
      const target = ["--target", "es2022", "--module", "nodenext", "--strict", ...types];
      const compiler = join(root, "node_modules/typescript/bin/tsc");
      await succeed(["node", compiler, ...target, "--outDir", "built", "program.ts"], folder);
      return ["node", "built/program.js"];
    },
  },
  {
    name: "php",
    command: openapiGenerator("php"),
    needs: [
      java,
      { ask: ["php", "--version"], version: /PHP 8\.(\d+)/, least: 1, says: "PHP 8.1" },
    ],
    compile(folder) {
      if (!existsSync(guzzle)) {
        throw new Missing("Guzzle is needed: apt-get install php-guzzlehttp-guzzle");
      }
      addProgram("program.php", join(folder, "program.php"));
      return ["php", "program.php"];
    },
  },
  {
    name: "go",
    // The constructor of Pet is NewPet, and that of Order is NewOrder.
    command: openapiGenerator(
      "go",
      ...["--model-name-mappings", "NewPet=PetInput,NewOrder=OrderInput"],
      ...["--package-name", "petstore", "--git-user-id", "petstore"],
      ...["--git-repo-id", "petstore-client"],
    ),
    needs: [java, go],
    async compile(folder) {
      mkdirSync(join(folder, "client/program"));
      addProgram("program.go", join(folder, "client/program/main.go"));
      await succeed(["go", "build", "-C", "client", "-o", "../run", "./program"], folder);
      return ["./run"];
    },
  },
  {
    name: "oapi-codegen",
    command: [
      ...(["oapi-codegen", "-generate", "types,client", "-package", "petstore"] as const),
      ...["-o", "client/petstore.go", "openapi.json"],
    ],
    needs: [go],
    async compile(folder) {
      addProgram("oapiCodegen.go", join(folder, "main.go"));
      await succeed(["go", "mod", "init", "petstore-client"], folder);
      await succeed(["go", "get", oapiRuntime], folder);
      await succeed(["go", "build", "-o", "run", "."], folder);
      return ["./run"];
    },
  },
  {
    name: "java",
    command: openapiGenerator("java", "--library", "native"),
    needs: [
      { ask: ["javac", "-version"], version: /javac (\d+)/, least: 17, says: "a JDK 17" },
      { ask: ["mvn", "--version"], version: /Maven 3\.(\d+)/, least: 8, says: "Maven 3.8" },
    ],
    async compile(folder) {
      const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";
      const options = [`-DoutputDirectory=${folder}/lib`, "-DincludeScope=compile"];
      await succeed(["mvn", "-q", "-B", "-f", "client", copy, ...options], folder);
      addProgram("Program.java", join(folder, "Program.java"));
      const sources = [...new Bun.Glob("client/src/main/java/**/*.java").scanSync(folder)];
      const compiled = ["-nowarn", "-cp", "lib/*", "-d", "classes", ...sources, "Program.java"];
      await succeed(["javac", ...compiled], folder);
      return ["java", "-cp", "classes:lib/*", "Program"];
    },
  },
  {
    name: "rust",
    command: openapiGenerator("rust", "--package-name", "petstore_client"),
    needs: [
      java,
      { ask: ["cargo", "--version"], version: /cargo 1\.(\d+)/, least: 85, says: "Rust 1.85" },
    ],
    without: { pages: "its functions return no headers" },
    async compile(folder) {
      mkdirSync(join(folder, "src"));
      addProgram("program.rs", join(folder, "src/main.rs"));
      writeFileSync(join(folder, "Cargo.toml"), cargoManifest);
      const target = join(cacheFolder, "clients-rust");
      await succeed(["cargo", "build", "--quiet", "--target-dir", target], folder);
      return [join(target, "debug/program")];
    },
  },
];

// Without TLS, which takes most of the time to compile: the service here speaks plain HTTP.
const cargoManifest = `[package]
name = "program"
version = "1.0.0"
edition = "2021"

[dependencies]
petstore_client = { path = "client", default-features = false }
tokio = { version = "1", features = ["macros", "rt"] }
`;
