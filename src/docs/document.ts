/** What every HTML page has: its head and its icon. */
import type { PageAssets } from "./assets.ts";
import { type Content, type Html, html } from "./html.ts";
import { icons } from "./icons.ts";

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

export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#5b54c9"><path d="${icons.mark.solid}"/></svg>\n`;
