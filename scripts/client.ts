// Writes the client as other programs use it into dist/client/: one ES module for Node.js 20 and
// browsers, and its types, which refer to nothing outside. Run by `npm run client`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const entry = join(root, "src/client/client.ts");

export interface Built {
  /** The module itself. */
  readonly module: string;
  /** Where its types begin. */
  readonly types: string;
  readonly bytes: number;
  readonly gzipBytes: number;
}

/** Empties the folder first, so that nothing of an older build stays. */
export async function buildClient(folder: string): Promise<Built> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const code = await bundle();
  const module = join(folder, "client.js");
  writeFileSync(module, code);
  const types = join(folder, "types");
  declare(types);
  return {
    module,
    types: join(types, "client/client.d.ts"),
    bytes: code.byteLength,
    gzipBytes: gzipSync(code, { level: 9 }).byteLength,
  };
}

async function bundle(): Promise<Uint8Array> {
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: "browser",
    format: "esm",
    minify: true,
    throw: true,
  });
  const [output] = outputs;
  if (output === undefined || outputs.length > 1) throw new Error("The bundle is not one file.");
  return new Uint8Array(await output.arrayBuffer());
}

/**
 * Compiles with the web's types alone: a use of Node's or Bun's own interfaces in the client ends
 * the build.
 */
function declare(folder: string): void {
  const program = ts.createProgram([entry], {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(root, "src"),
    outDir: folder,
  });
  const faults = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  if (faults.length > 0) {
    throw new Error(
      ts.formatDiagnostics(faults, {
        getCanonicalFileName: (name) => name,
        getCurrentDirectory: () => root,
        getNewLine: () => "\n",
      }),
    );
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(folder, name);
    // The compiler leaves .ts in the imports of declarations; a package holds no such files.
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'));
  }
}

if (import.meta.main) {
  const { bytes, gzipBytes } = await buildClient(join(root, "dist/client"));
  console.log(`dist/client/client.js: ${bytes} bytes, ${gzipBytes} with gzip`);
}
