/**
 * The files that the program reads at run time: from the checkout or, in the executable, from what
 * `npm run build` embedded. No other part of the program depends on which of the two it runs in.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** What is read unchanged, by paths from the root of the project. */
export const projectPaths = [
  "CHANGELOG.md",
  "docs/errors",
  "docs/guide",
  "src/dashboard/styles",
  "src/docs/styles",
] as const;

export const fonts = {
  sans: "@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2",
  mono: "@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2",
} as const;
export type FontName = keyof typeof fonts;

/** What pages load, each bundled from its entry into one file. */
export const browserScripts = {
  early: { entry: "src/docs/browser/early.ts", format: "iife" },
  site: { entry: "src/docs/browser/site.ts", format: "esm" },
  landing: { entry: "src/docs/browser/landing.ts", format: "esm" },
  dashboard: { entry: "src/dashboard/browser/main.tsx", format: "esm" },
} as const;
export type BrowserScriptName = keyof typeof browserScripts;

/** Where the three kinds are below the folder that is embedded. */
export const embeddedFolder = "embedded";
export const embeddedFont = (name: FontName) => `fonts/${name}.woff2`;
export const embeddedScript = (name: BrowserScriptName) => `scripts/${name}.js`;

// The bundler puts every module into the root of the executable's file system.
const embedded = Bun.isStandaloneExecutable
  ? new URL(`./${embeddedFolder}/`, import.meta.url)
  : undefined;
const root = embedded ?? new URL("../../", import.meta.url);

/**
 * The command with which the program starts itself. Looked up at start-up: its file may be replaced
 * by a newer release while it runs.
 */
export const ownCommand: readonly [file: string, ...args: string[]] = embedded
  ? [process.execPath]
  : [process.execPath, Bun.fileURLToPath(new URL("../main.ts", import.meta.url))];

/** A file or folder that is one of `projectPaths`, or below one. */
export const projectFile = (path: string): URL => new URL(path, root);

export function font(name: FontName): Uint8Array {
  // An installed package may share its node_modules with others, so its place is looked up.
  const file = embedded
    ? new URL(embeddedFont(name), embedded)
    : createRequire(import.meta.url).resolve(fonts[name]);
  return new Uint8Array(readFileSync(file));
}

/** The same sources give the same bytes. */
export async function browserScript(name: BrowserScriptName): Promise<Uint8Array> {
  if (embedded) return new Uint8Array(readFileSync(new URL(embeddedScript(name), embedded)));
  const { entry, format } = browserScripts[name];
  const { outputs } = await Bun.build({
    entrypoints: [Bun.fileURLToPath(projectFile(entry))],
    target: "browser",
    format,
    minify: true,
    throw: true,
  });
  const [output] = outputs;
  if (output === undefined || outputs.length > 1) throw new Error("The bundle is not one file.");
  return new Uint8Array(await output.arrayBuffer());
}
