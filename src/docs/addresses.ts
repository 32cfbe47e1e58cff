/** The URLs of the site. All links are root-relative, below one base path. */

/** The path of a page: `""` is the home page, `"guide/keys"` is at `guide/keys/`. */
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

/** The file that is served for the URL of a page. */
export function fileOfPage(path: PagePath): string {
  return path === "" ? "index.html" : `${path}/index.html`;
}

/** The Markdown of a page with subpages is in their folder, so that relative links work. */
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

/** The path of a source in the repository: `docs/guide/keys.md`, `CHANGELOG.md`. */
export type SourcePath = string;

const web = /^(?:https?|mailto):/i;

/** Throws for a broken link, so that the build fails. */
export function linkFrom(source: SourcePath, pages: ReadonlySet<string>, addresses: Addresses) {
  return (href: string): string => {
    if (web.test(href) || href.startsWith("#")) return href;
    const [path = "", anchor] = href.split("#");
    const target = sitePath(new URL(path, `file:///${source}`).pathname.slice(1));
    const page = target === undefined ? undefined : pageOfTwin(target);
    if (page === undefined || !pages.has(page)) {
      throw new Error(`${source} links to ${href}, and no page of the site has that.`);
    }
    return addresses.page(page, anchor);
  };
}

/** Throws for a picture that is not there. */
export function pictureFrom(
  source: SourcePath,
  pictures: ReadonlySet<string>,
  addresses: Addresses,
) {
  return (href: string): string => {
    const { protocol, host, pathname } = new URL(href, `file:///${source}`);
    const path = sitePath(pathname.slice(1));
    if (path === undefined || protocol !== "file:" || host !== "" || !pictures.has(path)) {
      throw new Error(`${source} shows ${href}, and the site has no such picture.`);
    }
    return addresses.file(path);
  };
}

/** The path of a source on the site, or undefined if it is not part of it. */
export function sitePath(source: SourcePath): string | undefined {
  if (source === "CHANGELOG.md") return "changelog.md";
  return /^docs\/(.+)$/.exec(source)?.[1];
}

/** The changelog is beside `docs/`, but its page is within, so its links change. */
export function changelogTwin(text: string): string {
  return text.replaceAll("](docs/", "](");
}
