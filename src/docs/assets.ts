/** Styles, scripts, fonts and the search index: files whose names change with their content. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type BrowserScriptName, browserScript, font, projectFile } from "../core/runtimeFiles.ts";
import { favicon } from "./document.ts";

/** The names of the files that a page loads, below the base path. */
export interface PageAssets {
  readonly styles: string;
  readonly script: string;
  readonly early: string;
  readonly sansFont: string;
  readonly favicon: string;
}

export interface Assets extends PageAssets {
  readonly searchIndex: string;
}

export type Emit = (path: string, bytes: Uint8Array) => void | Promise<void>;

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
const inDocs = (sheet: string) => `src/docs/styles/${sheet}.css`;

/** Files with such names never change, so they can be cached for good. */
export const hashedForm = /^assets\/[a-z]+-[0-9a-f]{12}\.[a-z0-9]+$/;

export async function emitAssets(searchIndex: string, emit: Emit): Promise<Assets> {
  return {
    ...(await emitPageAssets("site", styleSheets.map(inDocs), emit)),
    searchIndex: await emitHashed("search", "json", bytesOf(searchIndex), emit),
  };
}

/** The landing page needs only some of the styles. */
export function emitLandingAssets(emit: Emit): Promise<PageAssets> {
  return emitPageAssets("landing", landingStyleSheets.map(inDocs), emit);
}

/**
 * `sheets` are paths from the project's root, in the order of the cascade. `script` replaces the one
 * of the name.
 */
export async function emitPageAssets(
  name: BrowserScriptName,
  sheets: readonly string[],
  emit: Emit,
  script?: Uint8Array,
): Promise<PageAssets> {
  const sansFont = await emitHashed("sans", "woff2", font("sans"), emit);
  const monoFont = await emitHashed("mono", "woff2", font("mono"), emit);
  return {
    sansFont,
    styles: await emitHashed(name, "css", bytesOf(styles(sheets, sansFont, monoFont)), emit),
    // Applies the remembered theme before the first paint.
    early: await emitHashed("early", "js", await browserScript("early"), emit),
    script: await emitHashed(name, "js", script ?? (await browserScript(name)), emit),
    favicon: await emitHashed("favicon", "svg", bytesOf(favicon), emit),
  };
}

async function emitHashed(name: string, extension: string, bytes: Uint8Array, emit: Emit) {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const path = `assets/${name}-${hash}.${extension}`;
  await emit(path, bytes);
  return path;
}

function styles(sheets: readonly string[], sansFont: string, monoFont: string): string {
  const beside = (path: string) => path.replace(/^assets\//, "");
  return sheets
    .map((sheet) => readFileSync(projectFile(sheet), "utf8"))
    .join("\n")
    .replaceAll("sans.woff2", beside(sansFont))
    .replaceAll("mono.woff2", beside(monoFont))
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\n\s*/g, "\n")
    .trim();
}
