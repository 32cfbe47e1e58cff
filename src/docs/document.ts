/** What every HTML page has: its head, its mark and its icons. */
import type { PageAssets } from "./assets.ts";
import { type Content, type Html, html, trusted } from "./html.ts";

export interface HtmlDocument {
  readonly title: string;
  readonly description: string;
  /** The path that the names of the assets are below. */
  readonly base: string;
  readonly assets: PageAssets;
  /** More elements of the head, and attributes of the body. */
  readonly head?: Html;
  readonly attributes?: Html;
  readonly body: Content;
}

export function htmlDocument(page: HtmlDocument): string {
  const { title, description, base, assets, head, attributes, body } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<meta name="color-scheme" content="light dark">
${head}<link rel="icon" type="image/svg+xml" href="${base}${assets.favicon}">
<link rel="preload" as="font" type="font/woff2" href="${base}${assets.sansFont}" crossorigin>
<link rel="stylesheet" href="${base}${assets.styles}">
<script src="${base}${assets.early}"></script>
<script type="module" src="${base}${assets.script}"></script>
</head>
<body${attributes}>
${body}
</body>
</html>
`.text;
}

/** Icons are elements, since the content security policy allows no `data:` URLs. */
const drawing = (paths: string): Html =>
  trusted(
    `<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${paths}</svg>`,
  );

export const searchIcon = drawing('<circle cx="7" cy="7" r="4.25"/><path d="m10.25 10.25 3 3"/>');
export const menuIcon = drawing('<path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11"/>');
export const closeIcon = drawing('<path d="m4 4 8 8M12 4l-8 8"/>');
export const themeIcon = drawing(
  '<circle cx="8" cy="8" r="5.25"/><path d="M8 2.75a5.25 5.25 0 0 1 0 10.5z" fill="currentColor" stroke="none"/>',
);

/** A paw: the mark of the store. */
const paw =
  '<ellipse cx="4" cy="8" rx="1.5" ry="2"/><ellipse cx="6.5" cy="4.4" rx="1.5" ry="2.1"/><ellipse cx="9.7" cy="4.4" rx="1.5" ry="2.1"/><ellipse cx="12.2" cy="8" rx="1.5" ry="2"/><path d="M8.1 8.2c-2.2 0-4 2.2-4 3.9 0 1.2.9 1.7 1.9 1.7.8 0 1.300-.4 2.100-.4s1.300.4 2.100.4c1 0 1.900-.5 1.900-1.700 0-1.700-1.800-3.900-4-3.900z"/>';

export const markIcon = trusted(
  `<svg viewBox="0 0 16 16" width="20" height="20" fill="currentColor" aria-hidden="true" focusable="false">${paw}</svg>`,
);

export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#5b54c9">${paw}</svg>\n`;
