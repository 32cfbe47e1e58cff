/** The dashboard in memory, ready to be served. */
import { emitPageAssets, type PageAssets } from "../docs/assets.ts";
import { htmlDocument } from "../docs/document.ts";
import { html } from "../docs/html.ts";
import { icon } from "../docs/icons.ts";
import { type PublishedDocs, type PublishedFile, publishedFile } from "../docs/published.ts";

/** In the order of the cascade. The first two are those of the documentation: both look the same. */
const sheets = [
  "src/docs/styles/tokens.css",
  "src/docs/styles/base.css",
  "src/dashboard/styles/frame.css",
  "src/dashboard/styles/parts.css",
  "src/dashboard/styles/forms.css",
  "src/dashboard/styles/tables.css",
  "src/dashboard/styles/screens.css",
  "src/dashboard/styles/domains.css",
  "src/dashboard/styles/webhooks.css",
];

/** Nothing from elsewhere, nothing inline, and no frame around it. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** A dashboard with more screens than the usual one. */
export interface ExtendedDashboard {
  /** The bundle of another entry point, which loads that of the dashboard. */
  readonly script: Uint8Array;
  /** Paths from the project's root, after those of the dashboard. */
  readonly sheets: readonly string[];
}

export async function publishDashboard(
  base: string,
  extended?: ExtendedDashboard,
): Promise<PublishedDocs> {
  const files = new Map<string, PublishedFile>();
  const emit = (path: string, bytes: Uint8Array) => {
    files.set(path, publishedFile(path, bytes));
  };
  const all = [...sheets, ...(extended?.sheets ?? [])];
  const assets = await emitPageAssets("dashboard", all, emit, extended?.script);
  emit("index.html", new TextEncoder().encode(dashboardPage(base, assets)));
  return { files, contentSecurityPolicy };
}

/** The only page, with what is seen before its script has loaded. */
function dashboardPage(base: string, assets: PageAssets): string {
  return htmlDocument({
    title: "Dashboard · Pet Store",
    description: "Keys, catalogue, documentation sites and their domains.",
    base,
    assets,
    head: html`<meta name="robots" content="noindex">\n`,
    body: html`<div id="app"><header class="top"><span class="brand">${icon("mark", 20)}<span>Pet Store</span></span></header>
<div class="frame single"><main><noscript><p>The dashboard needs JavaScript. Everything it does can also be done with the petstore command.</p></noscript></main></div></div>`,
  });
}
