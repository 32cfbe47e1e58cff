/** What is made of all pages at once: the search index, and llms.txt. */
import type { Token } from "marked";
import { slug, twinOfPage } from "./addresses.ts";
import type { SearchEntry } from "./browser/rank.ts";
import type { Contract, Operation } from "./contract.ts";
import { plainText, readMarkdown } from "./markdown.ts";
import { fenced } from "./parts.ts";
import { operationPath, type Page, type PageKind, type Site } from "./site.ts";

/** Keeps the index small, which every reader who searches downloads. */
const sectionLengthMax = 900;

/** What a page is, and the title of the list of such pages. */
const kinds: Readonly<Record<PageKind, readonly [one: string, many: string]>> = {
  home: ["Overview", "Overview"],
  guide: ["Guide", "Guides"],
  reference: ["Reference", "Reference"],
  error: ["Error", "Errors"],
  changelog: ["Changelog", "Changelog"],
};

/** Every section of every page, from its Markdown. */
export function searchIndex(site: Site, pages: readonly Page[]): string {
  return JSON.stringify(pages.flatMap((page) => entriesOf(site, page)));
}

function entriesOf(site: Site, page: Page): SearchEntry[] {
  const entries: SearchEntry[] = [];
  const anchors = new Set(page.headings.map(({ anchor }) => anchor));
  const operation = [...site.operations.values()].find(({ id }) => operationPath(id) === page.path);
  let heading = "";
  let words: string[] = operation
    ? [operation.id, operation.method, operation.path, ...operation.scopes]
    : [];
  const close = () => {
    const text = words.join(" ").replace(/\s+/g, " ").trim().slice(0, sectionLengthMax);
    const anchor = anchors.has(slug(heading)) ? slug(heading) : undefined;
    if (text === "" && heading !== "") return;
    entries.push({
      title: page.title,
      heading,
      kind: kinds[page.kind][0],
      address: site.addresses.page(page.path, anchor),
      text,
    });
  };
  for (const token of readMarkdown(page.markdown)) {
    if (token.type === "heading" && token.depth > 1) {
      close();
      heading = plainText(token.tokens);
      words = [];
    } else if (token.type !== "heading") {
      words.push(textOf(token));
    }
  }
  close();
  return entries;
}

function textOf(token: Token): string {
  switch (token.type) {
    case "code":
    case "space":
      return "";
    case "list":
      return token.items
        .map((item: { tokens: Token[] }) => item.tokens.map(textOf).join(" "))
        .join(" ");
    case "table":
      return [token.header, ...token.rows]
        .flat()
        .map((cell: { tokens: Token[] }) => plainText(cell.tokens))
        .join(" ");
    default:
      return "tokens" in token && token.tokens ? plainText(token.tokens) : "";
  }
}

/** The calls of the API and the list of all pages as Markdown, for programs. */
export function llms(site: Site, pages: readonly Page[]): string {
  const { contract, addresses, shownBaseUrl } = site;
  const lines = Object.entries(kinds).flatMap(([kind, [, title]]) => [
    `## ${title}`,
    pages
      .filter((page) => page.kind === kind)
      .map((page) => {
        const about = page.description === "" ? "" : `: ${page.description}`;
        return `- [${page.title}](${addresses.file(twinOfPage(page.path))})${about}`;
      })
      .join("\n"),
  ]);
  const contractLine = `- [OpenAPI document](${addresses.file("openapi.json")})`;
  return `${[callsText(contract, shownBaseUrl), ...lines, "## Contract", contractLine].join("\n\n")}\n`;
}

/** What a program needs for correct calls, without following a link. */
export function callsText(contract: Contract, baseUrl: string): string {
  return [
    `# ${contract.title}`,
    `> ${contract.summary}`,
    `Base URL: ${baseUrl}`,
    "Every request needs the header `Authorization: Bearer <API_KEY>`, with a key from the operator of the service, and one with a body also `Content-Type: application/json`.",
    ...contract.operations.map(callText),
    "## All calls",
    contract.conventions,
  ].join("\n\n");
}

function callText(operation: Operation): string {
  const { id, method, path, summary, scopes, deprecation, parameters, body, responses } = operation;
  const facts = [
    `${id}: ${summary}.`,
    `Scope: ${scopes.join(", ")}.`,
    `Success: ${responses.flatMap(({ status }) => (status < 300 ? [status] : [])).join(", ")}.`,
    ...(deprecation ? [`Deprecated; use GET ${deprecation.successor}.`] : []),
  ];
  const given = parameters.map(({ name, in: location, required, schema, example }) => {
    const values = schema.enum
      ? `one of ${schema.enum.join(", ")}`
      : `such as ${Array.isArray(example) ? example.map((one) => `${name}=${one}`).join("&") : example}`;
    return `- \`${name}\` (${location}, ${required ? "required" : "optional"}): ${values}`;
  });
  const required = body?.schema.required ?? [];
  return [
    `## ${method} ${path}`,
    facts.join(" "),
    ...(given.length > 0 ? [given.join("\n")] : []),
    ...(body ? [`Body${required.map((name) => `, ${name} required`).join("")}:`] : []),
    ...(body?.examples ?? []).slice(0, 1).map(({ value }) => fenced(JSON.stringify(value), "json")),
  ].join("\n\n");
}
