/** The one page of the dashboard: its frame before the script has come. */

import type { PageAssets } from "../docs/assets.ts";
import { html } from "../docs/html.ts";
import { markIcon } from "../docs/icons.ts";

export function dashboardPage(base: string, assets: PageAssets): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Dashboard · Pet Store</title>
<meta name="description" content="Keys, catalogue, documentation sites and their domains.">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${base}${assets.favicon}">
<link rel="preload" as="font" type="font/woff2" href="${base}${assets.sansFont}" crossorigin>
<link rel="stylesheet" href="${base}${assets.styles}">
<script src="${base}${assets.early}"></script>
<script type="module" src="${base}${assets.script}"></script>
</head>
<body>
<div id="app"><header class="top"><span class="brand">${markIcon}<span>Pet Store</span></span></header>
<div class="frame single"><main><noscript><p>The dashboard is a program that runs in your browser, and needs JavaScript. Everything it does can also be done with the petstore command.</p></noscript></main></div></div>
</body>
</html>
`.text;
}
