/** llms.txt: the site for programs that read, a list of the Markdown pages. */
import { twinOfPage } from "./addresses.ts";
import type { Page, Site } from "./site.ts";

const groups = [
  ["home", "Overview"],
  ["guide", "Guides"],
  ["reference", "Reference"],
  ["error", "Errors"],
  ["changelog", "Changelog"],
] as const;

export function llms({ contract, addresses }: Site, pages: readonly Page[]): string {
  const lines = groups.flatMap(([kind, title]) => [
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
  return `${[`# ${contract.title}`, `> ${contract.summary}`, ...lines, "## Contract", contractLine].join("\n\n")}\n`;
}
