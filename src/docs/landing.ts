/** The page at the root of the service: what it is, where it is, a first call, is it well. */
import { emitLandingAssets, type PageAssets } from "./assets.ts";
import { codeBlock, codeFigure } from "./codeBlock.ts";
import { readContract } from "./contract.ts";
import { html } from "./html.ts";
import { markIcon, themeIcon } from "./icons.ts";
import { contentSecurityPolicy } from "./mediaTypes.ts";
import type { PublishedFile } from "./published.ts";
import { publishedFile } from "./publishedFile.ts";

export interface LandingFacts {
  readonly baseUrl: string;
  /** The path of the documentation. */
  readonly docs: string;
  /** Undefined where it is not served here. */
  readonly dashboard: string | undefined;
  /** The path of the readiness check. */
  readonly ready: string;
  /** What keeps the service from its work; undefined when nothing does. */
  readonly trouble: string | undefined;
}

export interface Landing {
  page(facts: LandingFacts): string;
  /** What the page loads, by paths below the root. */
  readonly files: ReadonlyMap<string, PublishedFile>;
  readonly contentSecurityPolicy: string;
}

/** `contract` is the contract as JSON. */
export async function makeLanding(contract: string): Promise<Landing> {
  const { title, summary } = readContract(JSON.parse(contract));
  const files = new Map<string, PublishedFile>();
  const assets = await emitLandingAssets((path, bytes) => {
    files.set(path, publishedFile(path, bytes));
  });
  return {
    files,
    contentSecurityPolicy: contentSecurityPolicy("/v1"),
    page: (facts) => landingPage(title, summary, assets, facts),
  };
}

function landingPage(
  title: string,
  summary: string,
  assets: PageAssets,
  { baseUrl, docs, dashboard, ready, trouble }: LandingFacts,
): string {
  const well = trouble === undefined;
  const words = well ? "Operational" : `Degraded. ${trouble}`;
  const firstCall = `curl -H "Authorization: Bearer $API_KEY" ${baseUrl}/pets`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${summary}">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="/${assets.favicon}">
<link rel="preload" as="font" type="font/woff2" href="/${assets.sansFont}" crossorigin>
<link rel="stylesheet" href="/${assets.styles}">
<script src="/${assets.early}"></script>
<script type="module" src="/${assets.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/" aria-current="page">${markIcon}<span>${title}</span></a>
<button type="button" class="icon" data-theme-switch>${themeIcon}<span class="visually-hidden" data-theme-label>Switch between light and dark</span></button>
</header>
<main id="main" class="landing" tabindex="-1">
<h1>${title}</h1>
<p class="lead">${summary}</p>
<p class="health" role="status"><span class="badge ${well ? "fine" : "trouble"}" data-health data-said="${words}" data-ready="${ready}"><span aria-hidden="true" data-health-mark>${well ? "●" : "▲"}</span> <span data-health-words>${words}</span></span></p>
${codeFigure(html`${baseUrl}`, "Base URL")}
${codeBlock(firstCall, "sh", "First call")}
<p class="go-on"><a class="button primary" href="${docs}">Read the documentation</a>${dashboard && html` <a class="button" href="${dashboard}">Open the dashboard</a>`}</p>
</main>
<p class="visually-hidden" role="status" data-live></p>
</body>
</html>
`.text;
}
