/** Pages before they are framed, and what they share. */
import {
  type Addresses,
  linkFrom,
  type PagePath,
  pictureFrom,
  type SourcePath,
} from "./addresses.ts";
import type { Contract, Operation } from "./contract.ts";
import type { Html } from "./html.ts";
import { type Heading, renderMarkdown } from "./markdown.ts";

export type PageKind = "home" | "guide" | "reference" | "error" | "changelog";

export interface Page {
  readonly path: PagePath;
  readonly kind: PageKind;
  /** Plain text, also the heading. */
  readonly title: string;
  /** One sentence or two, plain text. */
  readonly description: string;
  /** The beginning of the main column with the h1. On a narrow screen, `side` follows it. */
  readonly intro: Html | undefined;
  /** The rest of the main column. */
  readonly body: Html;
  /** The right column, if there is room. */
  readonly side: Html | undefined;
  readonly headings: readonly Heading[];
  /** The same content as Markdown. */
  readonly markdown: string;
}

export interface Site {
  readonly contract: Contract;
  readonly addresses: Addresses;
  /** The API's base URL: absolute, or a path on the site's own origin. */
  readonly baseUrl: string;
  /** Absolute, for samples. */
  readonly shownBaseUrl: string;
  readonly operations: ReadonlyMap<string, Operation>;
  /** Codes that have a page. */
  readonly errorCodes: ReadonlySet<string>;
  readonly pagePaths: ReadonlySet<PagePath>;
  /** Of the site: `guide/soak.svg`. */
  readonly picturePaths: ReadonlySet<string>;
}

export const operationPath = (id: string): PagePath => `reference/${id}`;
export const errorPath = (code: string): PagePath => `errors/${code}`;

/** Renders the Markdown of a page. The links in it begin at its source. */
export const proseOf = (site: Site, page: PagePath, source: SourcePath) => (text: string) =>
  renderMarkdown(text, {
    link: linkFrom(source, site.pagePaths, site.addresses),
    codeLink: codeLinks(site, page),
    picture: pictureFrom(source, site.picturePaths, site.addresses),
  });

/** The page about an error code or an operation that prose names in `code`. */
function codeLinks(site: Site, from: PagePath) {
  return (code: string): string | undefined => {
    const path = site.errorCodes.has(code)
      ? errorPath(code)
      : site.operations.has(code)
        ? operationPath(code)
        : undefined;
    return path === undefined || path === from ? undefined : site.addresses.page(path);
  };
}

const descriptionLengthMax = 170;

/** The beginning of a text, cut after a sentence or a word. */
export function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= descriptionLengthMax) return line;
  const cut = line.slice(0, descriptionLengthMax);
  const sentence = cut.lastIndexOf(". ");
  return sentence > 60 ? cut.slice(0, sentence + 1) : `${cut.slice(0, cut.lastIndexOf(" "))} …`;
}
