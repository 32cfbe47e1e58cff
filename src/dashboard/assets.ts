/** Styles, scripts and fonts: files whose names change with their content. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Emit } from "../docs/assets.ts";
import { bundle } from "../docs/bundle.ts";
import { favicon } from "../docs/icons.ts";

export interface DashboardAssets {
  readonly styles: string;
  readonly script: string;
  readonly early: string;
  readonly sansFont: string;
  readonly favicon: string;
}

const fonts = {
  sans: "@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2",
  mono: "@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2",
};

/** In the order of the cascade. The first two are those of the documentation: one look for both. */
const sheets = [
  "../docs/styles/tokens.css",
  "../docs/styles/base.css",
  "styles/frame.css",
  "styles/parts.css",
  "styles/forms.css",
  "styles/tables.css",
  "styles/screens.css",
  "styles/domains.css",
];

const here = (path: string) => new URL(path, import.meta.url);

export async function emitDashboardAssets(emit: Emit): Promise<DashboardAssets> {
  const named = namesByContent(emit);
  const { resolve } = createRequire(import.meta.url);
  const sansFont = await named("sans", "woff2", readFileSync(resolve(fonts.sans)));
  const monoFont = await named("mono", "woff2", readFileSync(resolve(fonts.mono)));
  return {
    sansFont,
    styles: await named("dashboard", "css", Buffer.from(styles(sansFont, monoFont))),
    // The theme that is remembered is the same one, before anything is drawn.
    early: await named("early", "js", await bundle(here("../docs/browser/early.ts"), "iife")),
    script: await named("dashboard", "js", await bundle(here("browser/main.tsx"), "esm")),
    favicon: await named("favicon", "svg", Buffer.from(favicon)),
  };
}

function namesByContent(emit: Emit) {
  return async (name: string, extension: string, content: Uint8Array): Promise<string> => {
    const bytes = new Uint8Array(content);
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
    const path = `assets/${name}-${hash}.${extension}`;
    await emit(path, bytes);
    return path;
  };
}

function styles(sansFont: string, monoFont: string): string {
  const beside = (path: string) => path.replace(/^assets\//, "");
  return sheets
    .map((sheet) => readFileSync(here(sheet), "utf8"))
    .join("\n")
    .replaceAll("sans.woff2", beside(sansFont))
    .replaceAll("mono.woff2", beside(monoFont))
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\n\s*/g, "\n")
    .trim();
}
