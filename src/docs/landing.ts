/** The page at the root of the service: what it is, its URL, a first call, its health. */
import { emitLandingAssets, type PageAssets } from "./assets.ts";
import { type Contract, readContract } from "./contract.ts";
import { htmlDocument } from "./document.ts";
import { html } from "./html.ts";
import { icon } from "./icons.ts";
import { callsText } from "./indexes.ts";
import { codeBlock, codeFigure } from "./parts.ts";
import { contentSecurityPolicy, type PublishedFile, publishedFile } from "./published.ts";

export interface LandingFacts {
  readonly baseUrl: string;
  /** The path of the documentation. */
  readonly docs: string;
  /** Undefined where it is not served here. */
  readonly dashboard: string | undefined;
  /** The path of the readiness check. */
  readonly ready: string;
  /** Why the service is not ready; undefined if it is. */
  readonly trouble: string | undefined;
}

export interface Landing {
  page(facts: LandingFacts): string;
  /** The calls of the API as Markdown, for programs. */
  calls(baseUrl: string): string;
  /** What the page loads, by paths below the root. */
  readonly files: ReadonlyMap<string, PublishedFile>;
  readonly contentSecurityPolicy: string;
}

/** `contract` is the contract as JSON. */
export async function makeLanding(contract: string): Promise<Landing> {
  const described = readContract(JSON.parse(contract));
  const files = new Map<string, PublishedFile>();
  const assets = await emitLandingAssets((path, bytes) => {
    files.set(path, publishedFile(path, bytes));
  });
  return {
    files,
    contentSecurityPolicy: contentSecurityPolicy("/v1"),
    page: (facts) => landingPage(described, assets, facts),
    calls: (baseUrl) => callsText(described, baseUrl),
  };
}

type Info = Pick<Contract, "title" | "summary">;

function landingPage({ title, summary }: Info, assets: PageAssets, facts: LandingFacts): string {
  const { baseUrl, docs, dashboard, ready, trouble } = facts;
  const tone = trouble === undefined ? "fine" : "trouble";
  const words = trouble === undefined ? "Operational" : `Degraded. ${trouble}`;
  const firstCall = `curl -H "Authorization: Bearer $API_KEY" ${baseUrl}/pets`;
  const body = html`<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/" aria-current="page">${icon("mark", 20)}<span>${title}</span></a>
<button type="button" class="icon" data-theme-switch>${icon("theme")}<span class="visually-hidden" data-theme-label>Switch between light and dark</span></button>
</header>
<main id="main" class="landing" tabindex="-1">
<h1>${title}</h1>
<p class="lead">${summary}</p>
<p class="health" role="status"><span class="badge ${tone}" data-health data-said="${words}" data-ready="${ready}">${icon(tone)} <span data-health-words>${words}</span></span></p>
${codeFigure(html`${baseUrl}`, "Base URL")}
${codeBlock(firstCall, "sh", "First call")}
<p class="go-on"><a class="button primary" href="${docs}">Read the documentation</a>${dashboard && html` <a class="button" href="${dashboard}">Open the dashboard</a>`}</p>
</main>
<p class="visually-hidden" role="status" data-live></p>`;
  return htmlDocument({ title, description: summary, base: "/", assets, body });
}
