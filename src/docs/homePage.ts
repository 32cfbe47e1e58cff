/** The home page: what the service is, a first call, and the guides. */
import type { Operation } from "./contract.ts";
import { type Html, html } from "./html.ts";
import { indentJson } from "./indentJson.ts";
import { heading } from "./markdown.ts";
import { codeBlock, codeFigure, coloured, fenced, samplesPanel } from "./parts.ts";
import { samplesOf } from "./samples.ts";
import { type Page, proseOf, type Site } from "./site.ts";

export function homePage(site: Site, guides: readonly Page[]): Page {
  const { contract, addresses } = site;
  const first = firstCall(site);
  const started = guides.find(({ path }) => path === "guide/getting-started");
  const prose = (text: string) => proseOf(site, "", "docs/README.md")(text).body;
  const intro = html`<h1>${contract.title}</h1>
<p class="lead">${contract.summary}</p>
<p class="facts"><span class="badge neutral">Version ${contract.version}</span><span class="badge neutral">Base URL <code data-base-url>${site.shownBaseUrl}</code></span></p>
${prose(contract.description)}
<p class="go-on">${started && html`<a class="button primary" href="${addresses.page(started.path)}">Get started</a>`}<a class="button" href="${addresses.page("reference")}">Read the reference</a></p>`;
  const body = html`${heading(2, "guides", "Guides")}
<ul class="cards">${guides.map(card(site))}</ul>
${heading(2, "in-short", "In short")}${prose(contract.conventions)}
${heading(2, "more", "More")}
<ul><li><a href="${addresses.page("errors")}">Every error code</a>, with what happened and what to do</li><li><a href="${addresses.page("changelog")}">What has changed</a></li><li><a href="${addresses.file("openapi.json")}">The OpenAPI document</a>, for generators and tools</li><li><a href="${addresses.file("llms.txt")}">llms.txt</a>, all pages as Markdown</li></ul>`;
  return {
    path: "",
    kind: "home",
    title: contract.title,
    description: contract.summary,
    intro,
    body,
    side: first && side(site, first),
    headings: [],
    markdown: homeMarkdown(site, guides, first),
  };
}

/** The first call reads, so that it works with most keys and changes nothing. */
function firstCall({ contract }: Site): Operation | undefined {
  return contract.operations.find(({ method, deprecation, parameters }) => {
    const simple = parameters.every(({ required }) => !required);
    return method === "GET" && deprecation === undefined && simple;
  });
}

const variables = (site: Site) => `export BASE_URL=${site.shownBaseUrl}\nexport API_KEY=pet_live_…`;

/** A script replaces the base URL with that of the reader's origin. */
function variablesBlock(site: Site): Html {
  const [before = "", after = ""] = variables(site).split(site.shownBaseUrl);
  const address = html`<span data-base-url>${site.shownBaseUrl}</span>`;
  return codeFigure(html`${coloured(before, "sh")}${address}${coloured(after, "sh")}`, "Shell");
}

function side(site: Site, first: Operation): Html {
  const example = first.responses[0]?.body?.examples[0];
  return html`<p class="label">1. Base URL and key</p>${variablesBlock(site)}
<p class="label">2. A first call</p>${samplesPanel(first)}
${example && html`<p class="label">3. The response</p>${codeBlock(indentJson(JSON.stringify(example.value), 48), "json")}`}`;
}

const card = (site: Site) => (guide: Page) =>
  html`<li><a href="${site.addresses.page(guide.path)}">${guide.title}</a><p>${guide.description}</p></li>\n`;

function homeMarkdown(site: Site, guides: readonly Page[], first: Operation | undefined): string {
  const { contract } = site;
  const calls =
    first === undefined
      ? []
      : [
          "## A first call",
          fenced(variables(site), "sh"),
          ...samplesOf(first).map(({ highlight, text }) => fenced(text, highlight)),
        ];
  return `${[
    `# ${contract.title}`,
    contract.summary,
    contract.description,
    contract.conventions,
    ...calls,
    "## Guides",
    guides
      .map(({ path, title, description }) => `- [${title}](${path}.md): ${description}`)
      .join("\n"),
    "## More",
    "- [Reference](reference/README.md)\n- [Error codes](errors/README.md)\n- [Changelog](changelog.md)\n- [OpenAPI document](openapi.json)",
  ].join("\n\n")}\n`;
}
