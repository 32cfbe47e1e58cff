/** Has the compiler check a project, as `npm test` has it check this one. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const tsc = fileURLToPath(new URL("../node_modules/typescript7/bin/tsc", import.meta.url));

export interface Checked {
  /** Everything that was read, libraries too, as absolute paths. */
  readonly files: readonly string[];
  readonly errors: readonly string[];
}

/** `project` is a tsconfig.json, or the folder that has one. */
export function typeCheck(project: string): Checked {
  // One thread takes the least of the processor in all, and others want it too.
  const args = ["--project", project, "--noEmit", "--listFiles", "--singleThreaded"];
  const lines = outputOf([...args, "--pretty", "false"])
    .trimEnd()
    .split("\n");
  const isFile = (line: string) => /^(?:\/|[A-Z]:).*\.(?:[cm]?tsx?|json)$/.test(line);
  return { files: lines.filter(isFile), errors: lines.filter((line) => !isFile(line)) };
}

/** Files of a folder under options of their own, which begin strict and with no types but the language's. */
export function typeCheckFiles(
  folder: string,
  files: readonly string[],
  options: Readonly<Record<string, unknown>>,
): readonly string[] {
  const project = join(folder, "tsconfig.json");
  const compilerOptions = {
    target: "esnext",
    lib: ["esnext"],
    strict: true,
    types: [],
    typeRoots: [fileURLToPath(new URL("../node_modules/@types", import.meta.url))],
    ...options,
  };
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  return typeCheck(project).errors;
}

function outputOf(args: readonly string[]): string {
  try {
    return execFileSync(tsc, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
  } catch (cause) {
    // It ends with a status of its own where it found something, and says it on its output.
    const { status, stdout } = cause as { status?: number | null; stdout?: string };
    if (typeof status === "number" && stdout !== undefined && stdout !== "") return stdout;
    throw cause;
  }
}
