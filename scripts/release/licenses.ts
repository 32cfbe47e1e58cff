/** The licenses of what is inside an executable: most of them ask that their text goes along. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface LockEntry {
  readonly dev?: boolean;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly homepage?: string;
}

/** Of the production packages that are installed below the folder, in the order of the lock file. */
export function thirdPartyLicenses(root: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockEntry>;
  };
  const entries = Object.entries(packages)
    .filter(([folder, { dev }]) => folder !== "" && dev !== true)
    // One runtime for each system, all with the license of bun.
    .filter(([folder]) => !folder.includes("/@oven/"))
    .filter(([folder]) => existsSync(join(root, folder)))
    .map(([folder]) => entryFor(join(root, folder)));
  return `The executable contains these works, each under its own license.\n\n${entries.join("\n")}`;
}

function entryFor(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const { name, version, license = "not stated" } = manifest;
  const file = readdirSync(folder).find((each) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(each));
  const text =
    file === undefined
      ? `The package has no license text.${manifest.homepage ? ` See ${manifest.homepage}` : ""}`
      : readFileSync(join(folder, file), "utf8").trim();
  const title = `${name} ${version}, license: ${license}`;
  return `${title}\n${"=".repeat(title.length)}\n\n${text}\n`;
}
