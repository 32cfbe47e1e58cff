/**
 * Markdown to HTML. marked reads it; what becomes of each part is decided here, so that raw HTML is
 * shown as text and a part that is not expected ends the build.
 */
import { Marked, type Token, type Tokens } from "marked";
import { slug } from "./addresses.ts";
import { Html, html, join } from "./html.ts";
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
  const writer = new MarkdownWriter(options);
  const body = writer.blocks(readMarkdown(text));
  return { body, headings: writer.headings };
}

class MarkdownWriter {
  readonly headings: Heading[] = [];
  readonly #options: MarkdownOptions;
  #linkDepth = 0;

  constructor(options: MarkdownOptions) {
    this.#options = options;
  }

  blocks(tokens: readonly Token[]): Html {
    return join(tokens.map((token) => this.#block(token)));
  }

  #block(token: Token): Html {
    switch (token.type) {
      case "space":
      case "def":
        return html``;
      case "heading":
        return this.#heading(token as Tokens.Heading);
      case "paragraph":
        return html`<p>${this.inline(token.tokens)}</p>\n`;
      case "code":
        return html`${codeBlock(token.text, token.lang?.split(/\s/)[0])}\n`;
      case "blockquote":
        return html`<blockquote>${this.blocks(token.tokens ?? [])}</blockquote>\n`;
      case "list":
        return this.#list(token as Tokens.List);
      case "table":
        return this.#table(token as Tokens.Table);
      case "hr":
        return html`<hr>\n`;
      case "html":
        return html`<p>${token.text}</p>\n`;
      default:
        return this.#inlineToken(token);
    }
  }

  inline(tokens: readonly Token[] | undefined): Html {
    return join((tokens ?? []).map((token) => this.#inlineToken(token)));
  }

  #inlineToken(token: Token): Html {
    switch (token.type) {
      case "text":
        return token.tokens ? this.inline(token.tokens) : entities(token.text);
      case "escape":
      case "html":
        return html`${token.text}`;
      case "strong":
        return html`<strong>${this.inline(token.tokens)}</strong>`;
      case "em":
        return html`<em>${this.inline(token.tokens)}</em>`;
      case "del":
        return html`<del>${this.inline(token.tokens)}</del>`;
      case "br":
        return html`<br>`;
      case "codespan":
        return this.#code(token.text);
      case "link":
        return this.#link(token as Tokens.Link);
      default:
        throw new Error(`Markdown of the kind "${token.type}" has no place on these pages.`);
    }
  }

  #code(text: string): Html {
    const href = this.#linkDepth > 0 ? undefined : this.#options.codeLink?.(text);
    const code = html`<code${text.length <= shortCodeMax && html` class="short"`}>${text}</code>`;
    return href === undefined ? code : html`<a class="code-link" href="${href}">${code}</a>`;
  }

  #link(token: Tokens.Link): Html {
    this.#linkDepth++;
    const inside = this.inline(token.tokens);
    this.#linkDepth--;
    return html`<a href="${this.#options.link(token.href)}">${inside}</a>`;
  }

  #heading(token: Tokens.Heading): Html {
    const text = plainText(token.tokens);
    const taken = this.headings.filter(({ anchor }) => anchor.replace(/-\d+$/, "") === slug(text));
    const anchor = slug(text) + (taken.length === 0 ? "" : `-${taken.length}`);
    this.headings.push({ depth: token.depth, text, anchor });
    // A heading links to itself, so it can contain no other link.
    this.#linkDepth++;
    const inside = this.inline(token.tokens);
    this.#linkDepth--;
    return heading(token.depth, anchor, inside);
  }

  #list(token: Tokens.List): Html {
    const items = join(token.items.map((item) => html`<li>${this.blocks(item.tokens)}</li>\n`));
    if (!token.ordered) return html`<ul>${items}</ul>\n`;
    const start = Number(token.start || 1);
    return html`<ol${start === 1 ? "" : html` start="${start}"`}>${items}</ol>\n`;
  }

  #table(token: Tokens.Table): Html {
    const blank = token.header.every((cell) => cell.text === "");
    const head = token.header.map(
      (cell) => html`<th scope="col"${right(cell.align)}>${this.inline(cell.tokens)}</th>`,
    );
    const rows = token.rows.map(
      (row) =>
        html`<tr>${row.map((cell) => html`<td${right(cell.align)}>${this.inline(cell.tokens)}</td>`)}</tr>\n`,
    );
    return scrolling(
      html`<table>${blank ? "" : html`<thead><tr>${head}</tr></thead>`}<tbody>${rows}</tbody></table>`,
    );
  }
}

const right = (align: string | null) => (align === "right" ? html` class="right"` : undefined);

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
function entities(text: string): Html {
  return new Html(
    html`${text}`.text.replace(/&amp;(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi, "&$1;"),
  );
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
