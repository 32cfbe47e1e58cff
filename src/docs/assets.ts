/** Styles, scripts, fonts and the search index: files whose names change with their content. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { bundle } from "./bundle.ts";
import { favicon } from "./icons.ts";

/** The names of the files below the base path. */
export interface Assets {
  readonly styles: string;
  readonly script: string;
  readonly early: string;
  readonly sansFont: string;
  readonly favicon: string;
  readonly searchIndex: string;
}

export type Emit = (path: string, bytes: Uint8Array) => void | Promise<void>;

const fonts = {
  sans: "@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2",
  mono: "@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2",
};

/** In the order of the cascade. */
const styleSheets = [
  "tokens",
  "base",
  "layout",
  "navigation",
  "prose",
  "code",
  "reference",
  "tryIt",
  "search",
  "print",
];

const landingStyleSheets = ["tokens", "base", "layout", "prose", "code", "reference", "landing"];

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Files of these names never change: whoever serves them may say so. */
export const hashedForm = /^assets\/[a-z]+-[0-9a-f]{12}\.[a-z0-9]+$/;

export async function emitAssets(searchIndex: string, emit: Emit): Promise<Assets> {
  const named = namesByContent(emit);
  return {
    ...(await emitLook(styleSheets, named)),
    script: await named("site", "js", await script("site", "esm")),
    searchIndex: await named("search", "json", bytesOf(searchIndex)),
  };
}

export type LandingAssets = Omit<Assets, "searchIndex">;

/** The landing page looks like the site, and needs less. */
export async function emitLandingAssets(emit: Emit): Promise<LandingAssets> {
  const named = namesByContent(emit);
  return {
    ...(await emitLook(landingStyleSheets, named)),
    script: await named("landing", "js", await script("landing", "esm")),
  };
}

type Named = (name: string, extension: string, bytes: Uint8Array) => Promise<string>;

function namesByContent(emit: Emit): Named {
  return async (name, extension, bytes) => {
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
    const path = `assets/${name}-${hash}.${extension}`;
    await emit(path, bytes);
    return path;
  };
}

async function emitLook(sheets: readonly string[], named: Named) {
  const require = createRequire(import.meta.url);
  const font = (file: string) => new Uint8Array(readFileSync(require.resolve(file)));
  const sansFont = await named("sans", "woff2", font(fonts.sans));
  const monoFont = await named("mono", "woff2", font(fonts.mono));
  return {
    sansFont,
    styles: await named("site", "css", bytesOf(styles(sheets, sansFont, monoFont))),
    early: await named("early", "js", await script("early", "iife")),
    favicon: await named("favicon", "svg", bytesOf(favicon)),
  };
}

const script = (name: string, format: "esm" | "iife") =>
  bundle(new URL(`browser/${name}.ts`, import.meta.url), format);

function styles(sheets: readonly string[], sansFont: string, monoFont: string): string {
  const beside = (path: string) => path.replace(/^assets\//, "");
  return sheets
    .map((name) => readFileSync(new URL(`styles/${name}.css`, import.meta.url), "utf8"))
    .join("\n")
    .replaceAll("sans.woff2", beside(sansFont))
    .replaceAll("mono.woff2", beside(monoFont))
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\n\s*/g, "\n")
    .trim();
}
