/**
 * Markdown to HTML by marked, with parts of our own: raw HTML is shown as text, and a part that is
 * not expected ends the build.
 */
import { Marked, Parser, Renderer, type Token, type Tokens } from "marked";
import { slug } from "./addresses.ts";
import { Html, html } from "./html.ts";
import { codeBlock } from "./parts.ts";

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

export interface Rendered {
  readonly body: Html;
  readonly headings: readonly Heading[];
}

export interface MarkdownOptions {
  /** Where a link leads. Throws for one that leads nowhere. */
  readonly link: (href: string) => string;
  /** The page about what a piece of code names, such as an error code. */
  readonly codeLink?: (code: string) => string | undefined;
  /** Where a picture is. Throws for one that is not there; without it, there are none. */
  readonly picture?: (href: string) => string;
}

const reader = new Marked({
  // Looking for underlined headings takes a fifth of the build time, and ours begin with #.
  tokenizer: { lheading: () => undefined },
});

/** Of the pages of one build: each is read for its title, its beginning, its body and the search. */
const known = new Map<string, readonly Token[]>();
const knownMax = 256;

export function readMarkdown(text: string): readonly Token[] {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size === knownMax) known.clear();
  const tokens = reader.lexer(text);
  known.set(text, tokens);
  return tokens;
}

/** A code of up to this length is not broken over two lines. */
const shortCodeMax = 28;

export function renderMarkdown(text: string, options: MarkdownOptions): Rendered {
  const renderer = new PageRenderer(options);
  const body = new Html(new Parser({ renderer }).parse([...readMarkdown(text)]));
  return { body, headings: renderer.headings };
}

class PageRenderer extends Renderer {
  readonly headings: Heading[] = [];
  readonly #links: MarkdownOptions;
  #linkDepth = 0;

  constructor(links: MarkdownOptions) {
    super();
    this.#links = links;
  }

  override html({ text, block }: Tokens.HTML | Tokens.Tag): string {
    return String(block ? html`<p>${text}</p>\n` : html`${text}`);
  }

  /** Unlike marked's own, it escapes text between raw tags too. */
  override text(token: Tokens.Text | Tokens.Escape): string {
    return "tokens" in token && token.tokens
      ? this.parser.parseInline(token.tokens)
      : entities(token.text);
  }

  override image({ type, href, text }: Tokens.Image): string {
    const { picture } = this.#links;
    if (picture === undefined) {
      throw new Error(`Markdown of the kind "${type}" has no place on these pages.`);
    }
    if (text === "")
      throw new Error(`The picture ${href} needs a text for those who cannot see it.`);
    return String(html`<img src="${picture(href)}" alt="${text}" loading="lazy">`);
  }

  override checkbox({ type }: Tokens.Checkbox): string {
    throw new Error(`Markdown of the kind "${type}" has no place on these pages.`);
  }

  override code({ text, lang }: Tokens.Code): string {
    return `${codeBlock(text, lang?.split(/\s/)[0])}\n`;
  }

  override codespan({ text }: Tokens.Codespan): string {
    const href = this.#linkDepth > 0 ? undefined : this.#links.codeLink?.(text);
    const code = html`<code${text.length <= shortCodeMax && html` class="short"`}>${text}</code>`;
    return String(
      href === undefined ? code : html`<a class="code-link" href="${href}">${code}</a>`,
    );
  }

  override link({ href, tokens }: Tokens.Link): string {
    return String(html`<a href="${this.#links.link(href)}">${this.#linked(tokens)}</a>`);
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = plainText(tokens);
    const taken = this.headings.filter(({ anchor }) => anchor.replace(/-\d+$/, "") === slug(text));
    const anchor = slug(text) + (taken.length === 0 ? "" : `-${taken.length}`);
    this.headings.push({ depth, text, anchor });
    return String(heading(depth, anchor, this.#linked(tokens)));
  }

  override table({ header, rows }: Tokens.Table): string {
    const blank = header.every((cell) => cell.text === "");
    const head = header.map(
      (cell) => html`<th scope="col"${right(cell)}>${this.#inline(cell.tokens)}</th>`,
    );
    const body = rows.map(
      (row) =>
        html`<tr>${row.map((cell) => html`<td${right(cell)}>${this.#inline(cell.tokens)}</td>`)}</tr>\n`,
    );
    return String(
      scrolling(
        html`<table>${!blank && html`<thead><tr>${head}</tr></thead>`}<tbody>${body}</tbody></table>`,
      ),
    );
  }

  #inline(tokens: Token[]): Html {
    return new Html(this.parser.parseInline(tokens));
  }

  /** The inside of a link or of a heading, which links to itself: it can contain no other link. */
  #linked(tokens: Token[]): Html {
    this.#linkDepth++;
    const inside = this.#inline(tokens);
    this.#linkDepth--;
    return inside;
  }
}

const right = ({ align }: Tokens.TableCell) => align === "right" && html` class="right"`;

/** A table that scrolls sideways, also by keyboard, so that the page does not. */
export function scrolling(table: Html, label = "Table"): Html {
  return html`<div class="scroll" role="group" aria-label="${label}" tabindex="0">${table}</div>\n`;
}

export function heading(depth: number, anchor: string, inside: Html | string): Html {
  if (depth === 1) return html`<h1>${inside}</h1>\n`;
  const tag = new Html(`h${Math.min(depth, 6)}`);
  return html`<${tag} id="${anchor}"><a class="anchor" href="#${anchor}">${inside}</a></${tag}>\n`;
}

/** In Markdown, `&nbsp;` means the character. All other entities are escaped. */
function entities(text: string): string {
  return html`${text}`.text.replace(/&amp;(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi, "&$1;");
}

export function plainText(tokens: readonly Token[] | undefined): string {
  return (tokens ?? [])
    .map((token) =>
      "tokens" in token && token.tokens
        ? plainText(token.tokens)
        : "text" in token
          ? token.text
          : " ",
    )
    .join("");
}
