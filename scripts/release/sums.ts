/** The sizes and SHA-256 sums of what a release is made of. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const sumsFile = "SHA256SUMS";

export interface ReleasedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Every file of the folder but the sums themselves, in the order of their names. */
export function releasedFiles(folder: string): ReleasedFile[] {
  return readdirSync(folder)
    .filter((name) => name !== sumsFile)
    .sort()
    .map((name) => {
      const content = readFileSync(join(folder, name));
      const sha256 = createHash("sha256").update(content).digest("hex");
      return { name, bytes: content.byteLength, sha256 };
    });
}

/** The form that `sha256sum --check` reads. */
export function sumsText(files: readonly ReleasedFile[]): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join("");
}
