/** The overview of all operations. */
import type { Operation } from "./contract.ts";
import { type Html, html } from "./html.ts";
import { type Heading, heading, scrolling } from "./markdown.ts";
import { dateInWords, deprecated, method, stability } from "./parts.ts";
import { operationPath, type Page, type Site } from "./site.ts";

const description = "Every operation of the interface, made from its OpenAPI document.";

export function referencePage(site: Site): Page {
  const { contract, addresses } = site;
  const groups = contract.tags
    .map((tag) => ({
      ...tag,
      title: titleOfTag(tag.name),
      operations: contract.operations.filter((operation) => operation.tag === tag.name),
    }))
    .filter(({ operations }) => operations.length > 0);
  const headings: Heading[] = groups.map(({ title, name }) => ({
    depth: 2,
    text: title,
    anchor: name,
  }));
  const sections = groups.map(
    (group) =>
      html`${heading(2, group.name, group.title)}<p>${group.description}</p>${table(site, group.operations, group.title)}`,
  );
  return {
    path: "reference",
    kind: "reference",
    title: "Reference",
    description,
    intro: undefined,
    body: html`<h1>Reference</h1><p class="lead">Every operation of the interface, made from its <a href="${addresses.file("openapi.json")}">OpenAPI document</a>. Each page has samples and a form to try it.</p>${sections}`,
    side: undefined,
    headings,
    markdown: `${[
      "# Reference",
      `${description} The document itself is [openapi.json](../openapi.json).`,
      ...groups.flatMap((group) => [
        `## ${group.title}`,
        group.description,
        group.operations.map(line).join("\n"),
      ]),
    ].join("\n\n")}\n`,
  };
}

export function titleOfTag(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function table(site: Site, operations: readonly Operation[], label: string): Html {
  const rows = operations.map(
    (operation) =>
      html`<tr><td><a href="${site.addresses.page(operationPath(operation.id))}">${operation.summary}</a></td><td class="nowrap">${method(operation.method)} <code>${operation.path}</code></td><td class="nowrap">${deprecated(operation) ?? stability(operation)}</td></tr>\n`,
  );
  return scrolling(
    html`<table class="overview"><thead><tr><th scope="col">Operation</th><th scope="col">Request</th><th scope="col">State</th></tr></thead><tbody>${rows}</tbody></table>`,
    label,
  );
}

function line({ id, summary, method, path, stability, deprecation }: Operation): string {
  const state = deprecation
    ? `deprecated, removed on ${dateInWords(deprecation.sunset)}`
    : stability;
  return `- [${summary}](${id}.md): \`${method} ${path}\`, ${state}`;
}
