/**
 * The licenses of what is inside an executable: most of them ask that their text goes along. Run by
 * itself, it prints them.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

interface LockEntry {
  readonly dev?: boolean;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** LICENSE.md of Bun's repository, which is not in its npm package, and the two licenses that ask for their text. */
const bunTexts = ["LICENSE.md", "LGPL-2.0.txt", "LGPL-2.1.txt"].map((name) =>
  fileURLToPath(new URL(`bun/${name}`, import.meta.url)),
);

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
  const text = name === "bun" ? textsOfBun() : textIn(folder);
  if (text === undefined) {
    throw new Error(`${name} ${version} has no license text. Take it from its repository.`);
  }
  return `${underlined(`${name} ${version}, license: ${license}`, "=")}${text.trim()}\n`;
}

/** In a file of its own, or in the last section of the README. */
function textIn(folder: string): string | undefined {
  const named = (pattern: RegExp) => {
    const file = readdirSync(folder).find((each) => pattern.test(each));
    return file === undefined ? undefined : readFileSync(join(folder, file), "utf8");
  };
  const section = /^#+ licen[cs]e\n([\s\S]+)/im.exec(named(/^readme\./i) ?? "")?.[1];
  return (
    named(/^(?:licen[cs]e|copying)(?:\.|$)/i) ??
    (section?.includes("Permission is hereby granted") ? section : undefined)
  );
}

function textsOfBun(): string {
  return bunTexts
    .map((file) => underlined(basename(file), "-") + readFileSync(file, "utf8").trim())
    .join("\n\n");
}

const underlined = (title: string, line: string) => `${title}\n${line.repeat(title.length)}\n\n`;

if (import.meta.main) {
  process.stdout.write(thirdPartyLicenses(fileURLToPath(new URL("../..", import.meta.url))));
}
