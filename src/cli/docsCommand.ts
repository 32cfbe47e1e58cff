/** The service's own documentation, as files that any server of files can show. */

import { mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Command } from "./command.ts";
import type { CliContext } from "./context.ts";
import { CommandFailure, explainSystem } from "./errors.ts";
import { readBaseUrl } from "./readText.ts";
import { bytesText, counted } from "./table.ts";

const outDefault = "petstore-docs";

export const buildDocsSite: Command = {
  name: "docs build",
  summary: "Write the documentation of the service to a folder",
  options: {
    "out <folder>": `A folder that is new or empty (default ${outDefault})`,
    "base-url <url>": "The API that its pages call, ending in /v1",
  },
  about:
    "The site is meant for the root of a host of its own. Without --base-url its pages call the\naddress that the settings name (PETSTORE_BASE_URL, or localhost and PORT).",
  examples: ["petstore docs build --out site --base-url https://api.example.com/v1"],
  async run({ values }, context) {
    const out = values.get("out") ?? outDefault;
    const typed = values.get("base-url");
    const baseUrl = typed === undefined ? undefined : readBaseUrl("--base-url", typed);
    const cannot = explainSystem(`Cannot write to ${out}`, "Name another folder with --out.");
    await refuseFull(out, cannot);
    const files = await context.buildDocs(baseUrl);
    await writeSite(resolve(out), files, context).catch(cannot);
    const bytes = [...files.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    return {
      json: { folder: out, files: files.size, bytes },
      text: `Wrote ${counted(files.size, "file")} (${bytesText(bytes)}) to ${out}. To publish them: petstore sites deploy <slug> ${out}\n`,
    };
  },
};

async function refuseFull(out: string, cannot: (cause: unknown) => never): Promise<void> {
  const held = await readdir(out).catch((cause: NodeJS.ErrnoException) =>
    cause.code === "ENOENT" ? [] : cannot(cause),
  );
  if (held.length > 0) {
    throw new CommandFailure(
      `${out} is not empty, and nothing is overwritten. Remove it, or name another folder with --out.`,
    );
  }
}

/** The folder appears under its name only when all of it is written. */
async function writeSite(
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
  { clock }: CliContext,
): Promise<void> {
  const partial = `${folder}.${Buffer.from(clock.random(6)).toString("hex")}.partial`;
  try {
    for (const [path, content] of files) {
      const file = join(partial, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { flag: "wx" });
    }
    await rmdir(folder).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "ENOENT") throw cause;
    });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
