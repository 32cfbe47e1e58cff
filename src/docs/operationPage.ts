/** The page of one operation, and the same as Markdown, without the form. */
import { reasonPhrase } from "../core/reasonPhrases.ts";
import { slug } from "./addresses.ts";
import type { Operation } from "./contract.ts";
import { type Field, type Section, sectionsOf } from "./fields.ts";
import { type Html, html } from "./html.ts";
import { indentJson } from "./indentJson.ts";
import { type Heading, heading, scrolling } from "./markdown.ts";
import {
  codeBlock,
  dateInWords,
  deprecated,
  fenced,
  method,
  samplesPanel,
  stability,
} from "./parts.ts";
import { samplesOf } from "./samples.ts";
import { errorPath, operationPath, type Page, proseOf, type Site, shortened } from "./site.ts";
import { tryIt } from "./tryIt.ts";

type Prose = (markdown: string) => Html;

export function operationPage(site: Site, operation: Operation): Page {
  const path = operationPath(operation.id);
  const prose: Prose = (text) => proseOf(site, path, "docs/README.md")(text).body;
  const sections = sectionsOf(operation);
  const tryItSection = { depth: 2, title: "Try it" };
  return {
    path,
    kind: "reference",
    title: operation.summary,
    description: shortened(operation.description.replaceAll("`", "")),
    intro: introOf(site, operation, prose),
    body: html`${sections.map((section) => sectionHtml(site, section, prose))}
${sectionHtml(site, tryItSection, prose)}${tryIt(site, operation)}`,
    side: sideOf(operation),
    headings: [...sections, tryItSection].map(headingOf),
    markdown: operationMarkdown(operation, sections),
  };
}

/** The titles within an operation's page are unique. */
const headingOf = ({ depth, title }: Section): Heading => ({
  depth,
  text: title,
  anchor: slug(title),
});

function introOf(site: Site, operation: Operation, prose: Prose): Html {
  return html`<h1>${operation.summary}</h1>
<p class="endpoint">${method(operation.method)} <code>${operation.path}</code></p>
<p class="facts">${deprecated(operation)}${stability(operation)}${scopesOf(site, operation)}<a class="to-try" href="#try-it">Try it</a></p>
${noticeOf(site, operation)}${prose(operation.description)}`;
}

function scopesOf({ pagePaths, addresses }: Site, { scopes }: Operation): Html[] {
  return scopes.map((scope) => {
    const words = html`scope <code>${scope}</code>`;
    const linked = html`<a href="${addresses.page("guide/keys")}">${words}</a>`;
    return html`<span class="badge neutral">${pagePaths.has("guide/keys") ? linked : words}</span>`;
  });
}

function noticeOf({ pagePaths, addresses }: Site, { deprecation }: Operation): Html | undefined {
  if (deprecation === undefined) return undefined;
  const { since, sunset, successor } = deprecation;
  const guide = "guide/deprecation";
  return html`<div class="notice trouble" role="note"><p><strong>Deprecated since ${dateInWords(since)}.</strong> It is removed on <time datetime="${sunset}">${dateInWords(sunset)}</time> and returns 410 from then on. Use <code>GET ${successor}</code>. ${pagePaths.has(guide) && html`<a href="${addresses.page(guide)}">How operations are removed</a>.`}</p></div>`;
}

function sideOf(operation: Operation): Html {
  const requests = operation.body?.examples ?? [];
  const examples = operation.responses.flatMap(({ status, body }) =>
    (body?.examples ?? []).map(({ name, summary, value }) => {
      // A response example without a summary has that of the request example of the same name.
      const words = summary ?? requests.find((request) => request.name === name)?.summary;
      return codeBlock(
        indentJson(JSON.stringify(value), 48),
        "json",
        html`<span>${status} ${reasonPhrase(status)}${words && ` · ${words.replaceAll("`", "")}`}</span>`,
      );
    }),
  );
  return html`<p class="label">Request</p>${samplesPanel(operation)}${examples.length > 0 && html`<p class="label">Response</p>${examples}`}`;
}

function sectionHtml(site: Site, section: Section, prose: Prose): Html {
  const { depth, title, text, fields = [], headers = [], errors } = section;
  return html`${heading(depth, slug(title), title)}${text && prose(text)}${
    fields.length > 0 &&
    html`<dl class="fields">${fields.map((field) => fieldHtml(field, prose))}</dl>`
  }${
    headers.length > 0 &&
    html`<details class="headers"><summary>${headers.length} response header${headers.length > 1 && "s"}</summary><dl class="fields">${headers.map(
      ({ name, required, description, example }) =>
        html`<div><dt><code>${name}</code> <span class="type">${required ? "always" : "sometimes"}</span></dt><dd>${prose(description)}${example !== undefined && html`<p class="example"><code>${String(example)}</code></p>`}</dd></div>`,
    )}</dl></details>`
  }${errors && errorTable(site, errors)}`;
}

function fieldHtml({ name, type, required, description, rules }: Field, prose: Prose): Html {
  return html`<div><dt><code>${name}</code> <span class="type">${type}</span>${required && html` <span class="required">required</span>`}</dt><dd>${prose(description)}${rules.length > 0 && html`<div class="rules">${prose(rules.join(" "))}</div>`}</dd></div>\n`;
}

function errorTable({ addresses, errorCodes }: Site, errors: Operation["errors"]): Html {
  const rows = errors.map(({ status, code, message }) => {
    const words = html`<code>${code}</code>`;
    const linked = html`<a href="${addresses.page(errorPath(code))}">${words}</a>`;
    return html`<tr><td>${status}</td><td>${errorCodes.has(code) ? linked : words}</td><td>${message}</td></tr>\n`;
  });
  return scrolling(
    html`<table class="errors"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">For example</th></tr></thead><tbody>${rows}</tbody></table>`,
    "Errors",
  );
}

function operationMarkdown(operation: Operation, sections: readonly Section[]): string {
  const { id, summary, method, path, stability, scopes, deprecation, description } = operation;
  const facts = [`\`${method} ${path}\``, `operation \`${id}\``, stability];
  if (scopes.length > 0) facts.push(`scope ${scopes.map((scope) => `\`${scope}\``).join(", ")}`);
  return `${[
    `# ${summary}`,
    facts.join(" · "),
    ...(deprecation
      ? [
          `**Deprecated since ${dateInWords(deprecation.since)}.** Removed on ${dateInWords(deprecation.sunset)}. Use \`GET ${deprecation.successor}\`.`,
        ]
      : []),
    description,
    "## Request",
    ...samplesOf(operation).map(({ highlight, text }) => fenced(text, highlight)),
    ...sections.flatMap(sectionMarkdown),
  ].join("\n\n")}\n`;
}

function sectionMarkdown(section: Section): string[] {
  const { depth, title, text, fields = [], headers = [], examples = [], errors } = section;
  return [
    `${"#".repeat(depth)} ${title}`,
    ...(text ? [text] : []),
    ...(fields.length > 0 ? [fields.map(fieldMarkdown).join("\n")] : []),
    ...(headers.length > 0 ? ["Headers:", headers.map(headerMarkdown).join("\n")] : []),
    ...examples.map(({ value }) => fenced(indentJson(JSON.stringify(value)), "json")),
    ...(errors
      ? [`| Status | Code | For example |\n| --- | --- | --- |\n${errors.map(errorRow).join("\n")}`]
      : []),
  ];
}

function fieldMarkdown({ name, type, required, description, rules }: Field): string {
  const facts = `${type}${required ? ", required" : ""}`;
  return `- \`${name}\` (${facts}): ${oneLine([description, ...rules].join(" "))}`;
}

const headerMarkdown = ({ name, description }: { name: string; description: string }) =>
  `- \`${name}\`: ${oneLine(description)}`;

const errorRow = ({ status, code, message }: Operation["errors"][number]) =>
  `| ${status} | [\`${code}\`](../errors/${code}.md) | ${oneLine(message).replaceAll("|", "\\|")} |`;

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
