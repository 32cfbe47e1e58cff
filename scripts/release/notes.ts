/** The notes of a release, as CHANGELOG.md has them. */

export type Notes =
  | { readonly kind: "found"; readonly text: string }
  | { readonly kind: "missing" }
  | { readonly kind: "empty" }
  /** Either the version's own heading says so, or changes wait under a heading without a version. */
  | { readonly kind: "unreleased" };

interface Section {
  readonly heading: string;
  readonly body: string;
}

/**
 * Takes the section under `## <version>`, which may carry a date: `## 1.2.0 (2026-11-15)`. Changes
 * under `## Unreleased` belong to no version yet, so nothing can be released before they are moved.
 */
export function notesOf(changelog: string, version: string): Notes {
  const sections = sectionsOf(changelog);
  const own = sections.find(({ heading }) => versionOf(heading) === version);
  const waiting = sections.find(({ heading }) => /^\[?unreleased\]?$/i.test(heading));
  if (own === undefined) return { kind: "missing" };
  if (/unreleased/i.test(own.heading) || (waiting?.body ?? "") !== "") {
    return { kind: "unreleased" };
  }
  return own.body === "" ? { kind: "empty" } : { kind: "found", text: `${own.body}\n` };
}

const versionOf = (heading: string) => /^\[?v?([^\s\]]+)\]?/.exec(heading)?.[1];

function sectionsOf(changelog: string): Section[] {
  const sections: { heading: string; lines: string[] }[] = [];
  let fenced = false;
  for (const line of changelog.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (!fenced && line.startsWith("## ")) sections.push({ heading: line.slice(3), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ heading, lines }) => ({
    heading: heading.trim(),
    body: lines.join("\n").trim(),
  }));
}

/**
 * Makes relative links lead to the files of the release, such as
 * `https://git.example/acme/petstore/blob/v1.0.0/docs/guide/orders.md`. Without a base, the text of
 * a link stays and the link goes: where the notes are shown, it would lead nowhere.
 */
export function withAbsoluteLinks(notes: string, base: string | undefined): string {
  const codeOrLink = /(```[\s\S]*?```|`[^`]*`)|(!?)\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/g;
  return notes.replace(
    codeOrLink,
    (all, code: string | undefined, image: string, text: string, target: string) => {
      if (code !== undefined || /^(?:[a-z][a-z0-9+.-]*:|#)/i.test(target)) return all;
      if (base === undefined) return text;
      return `${image}[${text}](${base}/${target.replace(/^\.?\//, "")})`;
    },
  );
}
