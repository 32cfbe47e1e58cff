/** Where the links of the Markdown sources lead on the site. */
import { type Addresses, pageOfTwin } from "./addresses.ts";

/** A source by its place in the repository: `docs/guide/keys.md`, `CHANGELOG.md`. */
export type SourcePath = string;

const web = /^(?:https?|mailto):/i;

/** Throws for a link that leads nowhere, so that the build finds it and not a reader. */
export function linkFrom(source: SourcePath, pages: ReadonlySet<string>, addresses: Addresses) {
  return (href: string): string => {
    if (web.test(href) || href.startsWith("#")) return href;
    const [path = "", anchor] = href.split("#");
    const target = sitePath(resolved(source, path));
    const page = target === undefined ? undefined : pageOfTwin(target);
    if (page === undefined || !pages.has(page)) {
      throw new Error(`${source} links to ${href}, and no page of the site has that.`);
    }
    return addresses.page(page, anchor);
  };
}

/** A source's path as the site has it, or undefined for what is not on the site. */
export function sitePath(source: SourcePath): string | undefined {
  if (source === "CHANGELOG.md") return "changelog.md";
  return /^docs\/(.+)$/.exec(source)?.[1];
}

/** The changelog stands beside `docs/`, its twin within: the links lose that step. */
export function changelogTwin(text: string): string {
  return text.replaceAll("](docs/", "](");
}

function resolved(source: SourcePath, href: string): SourcePath {
  const steps = source.split("/").slice(0, -1);
  for (const step of href.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "." && step !== "") steps.push(step);
  }
  return steps.join("/");
}
