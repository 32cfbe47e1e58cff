/** Where everything of the site is. All links are root-relative, below one base path. */

/** A page by where it stands: `""` is the home page, `"guide/keys"` is at `guide/keys/`. */
export type PagePath = string;

export interface Addresses {
  readonly basePath: string;
  page(path: PagePath, anchor?: string): string;
  file(path: string): string;
}

const basePathForm = /^\/(?:[A-Za-z0-9._~-]+\/)*$/;

export function createAddresses(basePath: string): Addresses {
  if (!basePathForm.test(basePath)) {
    throw new Error(`basePath must begin and end with a slash, such as /docs/, and is ${basePath}`);
  }
  return {
    basePath,
    page: (path, anchor) =>
      basePath + (path === "" ? "" : `${path}/`) + (anchor === undefined ? "" : `#${anchor}`),
    file: (path) => basePath + path,
  };
}

/** The file that a server finds for the address of a page. */
export function fileOfPage(path: PagePath): string {
  return path === "" ? "index.html" : `${path}/index.html`;
}

/** A page with others below it keeps its Markdown among them, so that relative links hold. */
const overviews: readonly PagePath[] = ["", "errors", "reference", "guide"];

export function twinOfPage(path: PagePath): string {
  if (!overviews.includes(path)) return `${path}.md`;
  return path === "" ? "README.md" : `${path}/README.md`;
}

/** The page whose Markdown has this name, or undefined. */
export function pageOfTwin(file: string): PagePath | undefined {
  if (file === "README.md") return "";
  return /^(.+)\/README\.md$/.exec(file)?.[1] ?? /^(.+)\.md$/.exec(file)?.[1];
}

/** The anchor of a heading, as GitHub makes it, so that links work in both places. */
export function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}
