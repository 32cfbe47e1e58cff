/** The pages that are written by hand: guides, errors, changelog. */
import { changelogTwin, type SourcePath } from "./addresses.ts";
import { Html, html, join } from "./html.ts";
import { type Heading, plainText, readMarkdown } from "./markdown.ts";
import { status } from "./parts.ts";
import { type Page, type PageKind, proseOf, type Site, shortened } from "./site.ts";

export interface Article {
  readonly path: string;
  readonly kind: PageKind;
  readonly source: SourcePath;
  readonly text: string;
}

export function articlePage(site: Site, { path, kind, source, text }: Article): Page {
  const { body, headings } = proseOf(site, path, source)(text);
  const title = titleOf(text, source);
  return {
    path,
    kind,
    title,
    // The list after a colon is not part of the description.
    description: shortened(firstParagraph(text)).replace(/:$/, "."),
    intro: undefined,
    body: kind === "error" ? withFacts(site, body) : body,
    side: contentsOf(headings),
    headings,
    markdown: kind === "changelog" ? changelogTwin(text) : text,
  };
}

export function titleOf(text: string, source: SourcePath): string {
  const [first] = readMarkdown(text);
  if (first?.type !== "heading" || first.depth !== 1) {
    throw new Error(`${source} must begin with its title: # Title`);
  }
  return plainText(first.tokens);
}

function firstParagraph(text: string): string {
  const paragraph = readMarkdown(text).find(
    (token) => token.type === "paragraph" && !token.raw.startsWith("HTTP status:"),
  );
  return paragraph?.type === "paragraph" ? plainText(paragraph.tokens) : "";
}

const factsForm = /<p>HTTP status: (\d{3}) · Operations: ([^<]*)<\/p>/;

/** The line under an error's title, with its operations as links. */
function withFacts(site: Site, body: Html): Html {
  const [line, code = "", operations = ""] = factsForm.exec(body.text) ?? [];
  if (line === undefined) return body;
  const names = operations
    .split(", ")
    .map((name) =>
      site.operations.has(name)
        ? html`<a href="${site.addresses.page(`reference/${name}`)}"><code>${name}</code></a>`
        : name,
    );
  const facts = html`<p class="facts">${status(Number(code))}<span>Returned by ${join(names, ", ")}</span></p>`;
  return new Html(body.text.replace(line, () => facts.text));
}

/** The table of contents. Pages of one or two sections need none. */
export function contentsOf(headings: readonly Heading[]) {
  const sections = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (sections.length < 3) return undefined;
  return html`<nav class="contents" aria-label="On this page"><p class="label">On this page</p><ul>${sections.map(
    ({ depth, anchor, text }) =>
      html`<li${depth === 3 && html` class="deeper"`}><a href="#${anchor}">${text}</a></li>\n`,
  )}</ul></nav>`;
}
