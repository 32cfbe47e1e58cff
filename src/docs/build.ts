/** The documentation as a static site, from the contract and the Markdown of the repository. */
import { readdirSync, readFileSync } from "node:fs";
import type { ApiDocument } from "../contract/document.ts";
import { createAddresses, fileOfPage, twinOfPage } from "./addresses.ts";
import { type Article, articlePage } from "./articles.ts";
import { type Emit, emitAssets } from "./assets.ts";
import { readContract } from "./contract.ts";
import { framed, notFound } from "./frame.ts";
import { homePage } from "./homePage.ts";
import { llms, searchIndex } from "./indexes.ts";
import { inOrder } from "./navigation.ts";
import { operationPage } from "./operationPage.ts";
import { referencePage } from "./referencePage.ts";
import { operationPath, type Page, type Site } from "./site.ts";

export interface DocsInput {
  /** The contract. */
  readonly document: ApiDocument;
  /** The folder with `guide/` and `errors/`. */
  readonly docsFolder: URL;
  /** The text of the changelog. */
  readonly changelog: string;
  /** The API's base URL: absolute, or a path such as `/v1` on the site's own origin. */
  readonly baseUrl: string;
  /** The path of the site: `/docs/` by default, `/` on a host of its own. */
  readonly basePath?: string | undefined;
  /** Takes each file, by its path below the base path. The same input gives the same files. */
  readonly emit: Emit;
}

export interface Built {
  readonly pages: number;
  readonly files: number;
  readonly bytes: number;
}

export async function buildDocs(input: DocsInput): Promise<Built> {
  let files = 0;
  let bytes = 0;
  const emit: Emit = async (path, content) => {
    files++;
    bytes += content.byteLength;
    await input.emit(path, content);
  };
  const emitText = (path: string, text: string) => emit(path, new TextEncoder().encode(text));

  const articles = readArticles(input);
  const pictures = readPictures(input);
  const site = describeSite(input, articles, new Set(pictures.keys()));
  const { guides, errors, pages } = makePages(site, articles);
  const assets = await emitAssets(searchIndex(site, pages), emit);
  const parts = { guides, errors, assets };
  for (const page of pages) {
    await emitText(fileOfPage(page.path), framed(site, page, parts));
    await emitText(twinOfPage(page.path), page.markdown);
  }
  for (const [path, content] of pictures) await emit(path, content);
  await emitText("404.html", notFound(site, parts));
  await emitText("llms.txt", llms(site, pages));
  await emitText("openapi.json", `${JSON.stringify(input.document, null, 2)}\n`);
  return { pages: pages.length, files, bytes };
}

function makePages(site: Site, articles: readonly Article[]) {
  const made = articles.map((article) => articlePage(site, article));
  const guides = inOrder(made.filter(({ kind }) => kind === "guide"));
  const errors = made.filter(({ path }) => path.startsWith("errors/"));
  const others = made.filter(({ kind }) => kind !== "guide");
  const pages: Page[] = [
    homePage(site, guides),
    ...guides,
    referencePage(site),
    ...site.contract.operations.map((operation) => operationPage(site, operation)),
    ...others,
  ];
  return { guides, errors, pages };
}

function describeSite(
  input: DocsInput,
  articles: readonly Article[],
  picturePaths: ReadonlySet<string>,
): Site {
  const contract = readContract(input.document);
  const { baseUrl } = input;
  if (!/^(?:https?:\/)?\/\S+$/.test(baseUrl)) {
    throw new Error(`baseUrl must be an address of http or https, or a path, and is ${baseUrl}`);
  }
  return {
    contract,
    addresses: createAddresses(input.basePath ?? "/docs/"),
    baseUrl,
    shownBaseUrl: baseUrl.startsWith("/") ? (contract.servers[0]?.url ?? baseUrl) : baseUrl,
    operations: new Map(contract.operations.map((operation) => [operation.id, operation])),
    errorCodes: new Set(articles.flatMap(({ path }) => /^errors\/(.+)$/.exec(path)?.[1] ?? [])),
    pagePaths: new Set([
      "",
      "reference",
      ...contract.operations.map(({ id }) => operationPath(id)),
      ...articles.map(({ path }) => path),
    ]),
    picturePaths,
  };
}

const folderOf = ({ docsFolder }: DocsInput) => new URL(docsFolder.href.replace(/\/?$/, "/"));

/** The charts beside the guides, by their paths on the site. */
function readPictures(input: DocsInput): Map<string, Uint8Array> {
  const folder = new URL("guide/", folderOf(input));
  const names = readdirSync(folder).filter((name) => name.endsWith(".svg"));
  return new Map(
    names
      .sort()
      .map((name) => [`guide/${name}`, new Uint8Array(readFileSync(new URL(name, folder)))]),
  );
}

function readArticles(input: DocsInput): Article[] {
  const { changelog } = input;
  const folder = folderOf(input);
  const below = (name: string, kind: "guide" | "error") =>
    readdirSync(new URL(`${name}/`, folder))
      .filter((file) => file.endsWith(".md"))
      .sort()
      .map((file): Article => {
        const overview = file === "README.md";
        return {
          path: overview ? name : `${name}/${file.slice(0, -3)}`,
          kind,
          source: `docs/${name}/${file}`,
          text: readFileSync(new URL(`${name}/${file}`, folder), "utf8"),
        };
      });
  return [
    ...below("guide", "guide"),
    ...below("errors", "error"),
    { path: "changelog", kind: "changelog", source: "CHANGELOG.md", text: changelog },
  ];
}
