/** A compressed archive whose bytes follow from its contents alone. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Archive {
  readonly file: string;
  /** The one folder at the top, so that unpacking litters nothing. */
  readonly folder: string;
  readonly contents: readonly {
    readonly name: string;
    readonly content: string | Uint8Array;
    readonly isExecutable?: boolean;
  }[];
  readonly modifiedAtSeconds: number;
}

/** Archived rather than bare: a download of a bare file is not executable, and has no license. */
export function archive({ file, folder, contents, modifiedAtSeconds }: Archive): void {
  const place = mkdtempSync(join(tmpdir(), "petstore-archive-"));
  try {
    mkdirSync(join(place, folder));
    for (const { name, content, isExecutable } of contents) {
      writeFileSync(join(place, folder, name), content, { mode: isExecutable ? 0o755 : 0o644 });
    }
    // gzip -n leaves out name and time of what it compresses. The umask of who runs this must not
    // matter, hence the mode.
    const { status, stderr, error } = spawnSync("tar", [
      "--create",
      `--file=${file}`,
      "--use-compress-program=gzip -n",
      `--directory=${place}`,
      "--format=ustar",
      "--sort=name",
      `--mtime=@${modifiedAtSeconds}`,
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mode=u+rw,go=u-w",
      folder,
    ]);
    if (status !== 0) throw new Error(`tar could not write ${file}: ${error ?? stderr}`);
  } finally {
    rmSync(place, { recursive: true });
  }
}
