/** The frame around every page: head, top bar, navigation, footer, and the dialogs. */
import { twinOfPage } from "./addresses.ts";
import type { Assets } from "./assets.ts";
import { type HtmlDocument, htmlDocument } from "./document.ts";
import { type Content, type Html, html } from "./html.ts";
import { icon } from "./icons.ts";
import { type NavigationParts, navigation } from "./navigation.ts";
import type { Page, Site } from "./site.ts";

export interface FrameParts extends NavigationParts {
  readonly assets: Assets;
}

export function framed(site: Site, page: Page, parts: FrameParts): string {
  const { addresses, contract } = site;
  const twin = addresses.file(twinOfPage(page.path));
  const title =
    page.path === "" ? `${contract.title} documentation` : `${page.title} · ${contract.title}`;
  const alternate = html`<link rel="alternate" type="text/markdown" href="${twin}">\n`;
  const slim = page.intro === undefined;
  const side = page.side && html`<div class="side${slim && " slim"}">${page.side}</div>`;
  const content = html`<article>
${!slim && html`<div class="intro">${page.intro}</div>${side}`}
<div class="rest">${page.body}
${sequenceLinks(site, page, parts.guides)}<p class="page-end"><a href="${twin}" type="text/markdown">This page as Markdown</a></p></div>
${slim && side}</article>`;
  return document(site, parts, {
    title,
    description: page.description,
    head: alternate,
    current: page.path,
    kind: page.kind,
    content,
  });
}

/** Sent with status 404 for any path, so it has no relative links. */
export function notFound(site: Site, parts: FrameParts): string {
  const { addresses, contract } = site;
  return document(site, parts, {
    title: `Page not found · ${contract.title}`,
    description: "Page not found.",
    head: html`<meta name="robots" content="noindex">\n`,
    current: "404",
    kind: "plain",
    content: html`<article><h1>Page not found</h1>
<p class="lead">There is no page at this URL. It may have moved, or the link is wrong.</p>
<p class="go-on"><a class="button primary" href="${addresses.page("")}">Go to the overview</a><a class="button" href="${addresses.page("reference")}">Read the reference</a></p>
<p>Or press <kbd>/</kbd> and search.</p></article>`,
  });
}

interface Document extends Required<Pick<HtmlDocument, "title" | "description" | "head">> {
  readonly current: string;
  readonly kind: string;
  readonly content: Content;
}

function document(site: Site, parts: FrameParts, page: Document): string {
  const { addresses, contract } = site;
  const { assets } = parts;
  const body = html`<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="${addresses.page("")}">${icon("mark", 20)}<span>${contract.title}</span></a>
<button type="button" class="search-open" data-search-open aria-label="Search" aria-haspopup="dialog" aria-keyshortcuts="/">${icon("search")}<span>Search</span><kbd>/</kbd></button>
<button type="button" class="icon" data-theme-switch>${icon("theme")}<span class="visually-hidden" data-theme-label>Switch between light and dark</span></button>
<button type="button" class="icon menu-open" data-menu-open aria-haspopup="dialog">${icon("menu")}<span class="visually-hidden">Menu</span></button>
</header>
<div class="layout ${page.kind}">
<div class="nav-place" data-nav-place>${navigation(site, page.current, parts)}</div>
<main id="main" tabindex="-1">${page.content}</main>
</div>
<footer class="bottom"><p>${contract.title} ${contract.version}</p><p><a href="${addresses.file("openapi.json")}">openapi.json</a> <a href="${addresses.file("llms.txt")}">llms.txt</a></p></footer>
${searchDialog(addresses.file(assets.searchIndex))}
<dialog class="menu" data-menu aria-label="Menu"><button type="button" class="icon" data-menu-close>${icon("close")}<span class="visually-hidden">Close menu</span></button></dialog>
<p class="visually-hidden" role="status" data-live></p>`;
  return htmlDocument({
    ...page,
    base: addresses.basePath,
    assets,
    attributes: html` data-base-url-given="${site.baseUrl}"`,
    body,
  });
}

function searchDialog(index: string): Html {
  return html`<dialog class="search" data-search data-index="${index}" aria-label="Search">
<div class="search-row">${icon("search")}<input type="search" role="combobox" aria-label="Search the documentation" aria-controls="search-results" aria-expanded="false" aria-autocomplete="list" placeholder="Search the documentation" autocomplete="off" spellcheck="false" data-search-input><button type="button" class="plain" data-search-close>Close</button></div>
<p class="search-said" role="status" data-search-said>Type to search.</p>
<div role="listbox" id="search-results" aria-label="Results" data-search-results></div>
<p class="search-keys" aria-hidden="true"><kbd>↑</kbd> <kbd>↓</kbd> to choose <kbd>Enter</kbd> to open <kbd>Esc</kbd> to close</p>
</dialog>`;
}

function sequenceLinks({ addresses }: Site, page: Page, guides: readonly Page[]) {
  const index = guides.findIndex(({ path }) => path === page.path);
  if (index === -1) return undefined;
  const [before, after] = [guides[index - 1], guides[index + 1]];
  return html`<nav class="sequence" aria-label="Other guides">${before && html`<a rel="prev" href="${addresses.page(before.path)}"><span>Previous</span>${before.title}</a>`}${after && html`<a rel="next" href="${addresses.page(after.path)}"><span>Next</span>${after.title}</a>`}</nav>`;
}
