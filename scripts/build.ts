// What `npm run build` runs: the program as one executable, with everything that it reads while it
// runs inside. `--target linux-arm64,darwin-arm64` or `--all` builds for other platforms.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type BrowserScriptName,
  browserScript,
  browserScripts,
  embeddedFolder,
  embeddedFont,
  embeddedScript,
  type FontName,
  font,
  fonts,
  projectFile,
  projectPaths,
} from "../src/core/runtimeFiles.ts";
import { checkCodeSignature } from "./build/codeSignature.ts";
import { hostTarget, isTarget, runtimeFor, type Target, targets } from "./build/runtimes.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Threads are modules of their own, which nothing imports. */
export const entryPoints = [
  "src/main.ts",
  "src/docs/publishThread.ts",
  "src/storage/sqlite/copyThread.ts",
  "src/storage/sqlite/writerThread.ts",
];

export interface Built {
  readonly file: string;
  readonly target: Target;
  readonly bytes: number;
  readonly tookMs: number;
}

export async function buildExecutable(file: string, target: Target = hostTarget()): Promise<Built> {
  const startedMs = performance.now();
  const runtime = target === hostTarget() ? undefined : runtimeFor(target);
  mkdirSync(dirname(file), { recursive: true });
  // Beside the file, so that it appears in one step. The bundler leaves its source maps there.
  const stage = mkdtempSync(join(dirname(file), ".build-"));
  const made = join(stage, "petstore");
  try {
    await writeEmbedded(join(stage, embeddedFolder));
    await Bun.build({
      entrypoints: entryPoints.map((path) => join(root, path)),
      target: "bun",
      format: "esm",
      // What is imported lazily is loaded lazily.
      splitting: true,
      bytecode: true,
      // Not minified, so that stack traces have the names of functions. The maps give them the lines.
      sourcemap: "inline",
      // All in one folder, so that `new URL("./writerThread.ts", import.meta.url)` is right in each.
      naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]" },
      throw: true,
      compile: {
        outfile: made,
        target: `bun-${target}`,
        ...(runtime && { executablePath: runtime }),
        assets: [join(stage, embeddedFolder)],
        // Whatever lies in the folder where it is started is none of its business.
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
    });
    if (target.startsWith("darwin-")) checkCodeSignature(readFileSync(made));
    renameSync(made, file);
  } finally {
    rmSync(stage, { recursive: true });
  }
  return {
    file,
    target,
    bytes: statSync(file).size,
    tookMs: Math.round(performance.now() - startedMs),
  };
}

async function writeEmbedded(folder: string): Promise<void> {
  const write = (path: string, bytes: Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  };
  for (const path of projectPaths) {
    cpSync(projectFile(path), join(folder, path), { recursive: true });
  }
  for (const name of Object.keys(fonts) as FontName[]) write(embeddedFont(name), font(name));
  for (const name of Object.keys(browserScripts) as BrowserScriptName[]) {
    write(embeddedScript(name), await browserScript(name));
  }
}

const usage = `npm run build -- [--target <${targets.join(",")}>] [--all] [--json]`;

/** What to build: under its plain name for this machine, or under names that say the target. */
function readTargets(args: readonly string[]): readonly Target[] | undefined {
  const at = args.indexOf("--target");
  const rest = args.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  const strange = rest.find((word) => !["--all", "--json"].includes(word));
  const named = at < 0 ? undefined : (args[at + 1] ?? "").split(",");
  const unknown = named?.find((name) => !isTarget(name));
  if (strange !== undefined || unknown !== undefined) {
    console.error(`${strange ?? `"${unknown}"`} is unknown. ${usage}`);
    process.exit(2);
  }
  return args.includes("--all") ? targets : named?.filter(isTarget);
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  const wanted = readTargets(args);
  const files = wanted?.map((target) => [`dist/petstore-${target}`, target] as const) ?? [
    ["dist/petstore", hostTarget()] as const,
  ];
  const built: Built[] = [];
  for (const [file, target] of files) {
    const one = await buildExecutable(join(root, file), target);
    built.push({ ...one, file: relative(process.cwd(), one.file) });
    if (args.includes("--json")) continue;
    const { bytes, tookMs } = one;
    console.log(`${file}: ${(bytes / 1e6).toFixed(1)} MB in ${(tookMs / 1000).toFixed(1)} s`);
  }
  if (args.includes("--json")) console.log(JSON.stringify(built));
}
