/** What must hold before anything is built: each function returns what does not. */
import type { Notes } from "./notes.ts";

export interface VersionIn {
  /** Where it is written, such as `package-lock.json`. */
  readonly place: string;
  readonly version: string | undefined;
}

/** A release has one version, whichever file one reads it in. */
export function versionComplaints(version: string, others: readonly VersionIn[]): string[] {
  return others
    .filter((other) => other.version !== version)
    .map(
      (other) =>
        `${other.place} has version ${other.version ?? "(none)"}, and package.json ${version}. Make them the same.`,
    );
}

export function notesComplaints(version: string, notes: Notes): string[] {
  switch (notes.kind) {
    case "found":
      return [];
    case "missing":
      return [`CHANGELOG.md has no section "## ${version}". Write it: it becomes the notes.`];
    case "empty":
      return [`The section "## ${version}" of CHANGELOG.md is empty. Write it.`];
    case "unreleased":
      return [
        `CHANGELOG.md has unreleased changes. Move them to "## ${version}", or raise the version in package.json.`,
      ];
  }
}

/** `status` is what `git status --porcelain` prints. */
export function treeComplaints(status: string): string[] {
  const changed = status.split("\n").filter((line) => line !== "");
  if (changed.length === 0) return [];
  const shown = changed.slice(0, 5).map((line) => line.slice(3));
  const more = changed.length > shown.length ? ` and ${changed.length - shown.length} more` : "";
  return [`Not committed: ${shown.join(", ")}${more}. Commit or stash it.`];
}

/** `tags` are those that point at the commit to be released. */
export function tagComplaints(version: string, tags: readonly string[]): string[] {
  const tag = `v${version}`;
  if (tags.includes(tag)) return [];
  return [`The tag ${tag} does not point at this commit. Set it: git tag --annotate ${tag}`];
}

export interface Tool {
  readonly command: string;
  readonly debianPackage: string;
}

/** For reproducible archives GNU tar is needed; BSD's has no `--sort`. */
export const tools: readonly Tool[] = [
  { command: "git", debianPackage: "git" },
  { command: "tar", debianPackage: "tar" },
  { command: "gzip", debianPackage: "gzip" },
  { command: "sha256sum", debianPackage: "coreutils" },
  { command: "dpkg-deb", debianPackage: "dpkg" },
];

export function toolComplaints(isThere: (command: string) => boolean): string[] {
  return tools
    .filter(({ command }) => !isThere(command))
    .map(
      ({ command, debianPackage }) =>
        `${command} is not installed. On Debian, ${debianPackage} has it.`,
    );
}
