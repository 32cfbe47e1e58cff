/** The site as the repository has it, built into memory, and what its pages consist of. */
import { readFileSync } from "node:fs";
import type { ApiDocument } from "../../src/contract/document.ts";
import { buildDocs, type DocsInput } from "../../src/docs/build.ts";

export const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

export const document: ApiDocument = JSON.parse(read("src/contract/generated/document.json"));
export const changelog = read("CHANGELOG.md");
export const docsFolder = new URL("docs/", root);

export type Files = Map<string, Uint8Array>;

export async function build(changes: Partial<DocsInput> = {}): Promise<Files> {
  const files: Files = new Map();
  await buildDocs({
    document,
    docsFolder,
    changelog,
    baseUrl: "/v1",
    emit: (path, bytes) => {
      if (files.has(path)) throw new Error(`${path} was emitted twice.`);
      files.set(path, bytes);
    },
    ...changes,
  });
  return files;
}

export function textOf(files: Files, path: string): string {
  const bytes = files.get(path);
  if (bytes === undefined) throw new Error(`The site has no ${path}.`);
  return new TextDecoder().decode(bytes);
}

export const pagesOf = (files: Files) => [...files.keys()].filter((path) => path.endsWith(".html"));

export interface Element {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
}

export function elementsOf(page: string): Element[] {
  const elements: Element[] = [];
  new HTMLRewriter()
    .on("*", {
      element: ({ tagName, attributes }) => {
        elements.push({ tag: tagName, attributes: new Map([...attributes] as [string, string][]) });
      },
    })
    .transform(page);
  return elements;
}

/** The file that a server sends for an address below the base path. */
export function fileAt(address: string, basePath = "/docs/"): string {
  const path = address.slice(basePath.length);
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}
