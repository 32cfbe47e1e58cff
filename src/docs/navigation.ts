/** The navigation on the left, with all pages. */
import { type Html, html } from "./html.ts";
import { method } from "./parts.ts";
import { titleOfTag } from "./referencePage.ts";
import { operationPath, type Page, type Site } from "./site.ts";

/** In the order of learning. Guides that are not listed follow by name. */
const guideOrder = [
  "getting-started",
  "keys",
  "paging",
  "errors",
  "idempotency",
  "editing",
  "orders",
  "events",
  "categories",
  "caching",
  "limits",
  "integers",
  "client",
  "generated-clients",
  "deprecation",
];

/** For operators, not for callers of the API. */
const operatorGuides = [
  "comparison",
  "platforms",
  "operating",
  "monitoring",
  "log-events",
  "audit-log",
  "notifications",
  "executable",
  "dashboard",
  "https",
  "production-and-staging",
  "behind-a-proxy",
  "check",
  "postgresql",
  "scale",
  "reliability",
  "proof",
  "sites",
  "site-rules",
  "deploying",
  "domains",
];

const nameOf = (path: string) => path.split("/").at(-1) ?? "";

export const isForOperators = (path: string) => operatorGuides.includes(nameOf(path));

export function inOrder<T extends { readonly path: string }>(guides: readonly T[]): T[] {
  const order = [...guideOrder, ...operatorGuides];
  const place = ({ path }: T) => {
    const index = order.indexOf(nameOf(path));
    return index === -1 ? guideOrder.length - 0.5 : index;
  };
  return guides.toSorted((a, b) => place(a) - place(b) || (a.path < b.path ? -1 : 1));
}

export interface NavigationParts {
  /** In the order of reading. */
  readonly guides: readonly Page[];
  readonly errors: readonly Page[];
}

export function navigation(site: Site, current: string, { guides, errors }: NavigationParts): Html {
  const entry = (path: string, label: Html | string) =>
    html`<li><a href="${site.addresses.page(path)}"${path === current && html` aria-current="page"`}>${label}</a></li>\n`;
  const group = (title: string, items: readonly Html[]) =>
    items.length > 0 && html`<p class="label">${title}</p><ul>${items}</ul>`;
  const guideEntries = (forOperators: boolean) =>
    guides
      .filter(({ path }) => isForOperators(path) === forOperators)
      .map(({ path, title }) => entry(path, title));
  const { contract } = site;
  const operations = contract.tags.map(({ name }) => {
    const items = contract.operations
      .filter(({ tag }) => tag === name)
      .map((operation) =>
        entry(
          operationPath(operation.id),
          html`<span class="name">${operation.summary}${operation.deprecation && html` <span class="quiet">deprecated</span>`}</span>${method(operation.method)}`,
        ),
      );
    return group(titleOfTag(name), items);
  });
  const onErrors = current === "errors" || current.startsWith("errors/");
  return html`<nav id="nav" class="nav" aria-label="Documentation">
<ul>${entry("", "Overview")}${entry("changelog", "Changelog")}</ul>
${group("Guides", guideEntries(false))}${group("For operators", guideEntries(true))}
<p class="label">Reference</p><ul>${entry("reference", "All operations")}</ul>
<div class="operations">${operations}</div>
<p class="label">Errors</p><ul>${entry("errors", "All codes")}</ul>
<details${onErrors && html` open`}><summary>Each code</summary><ul class="codes">${errors.map(({ path, title }) => entry(path, title))}</ul></details>
</nav>`;
}
