/** A script for browsers from its TypeScript, by Bun: the one place of the docs that needs it. */

/** One file for one entry. The same sources give the same bytes. */
export async function bundle(entry: URL, format: "esm" | "iife"): Promise<Uint8Array> {
  const { outputs } = await Bun.build({
    entrypoints: [Bun.fileURLToPath(entry)],
    target: "browser",
    format,
    minify: true,
    throw: true,
  });
  const [output] = outputs;
  if (output === undefined || outputs.length > 1) throw new Error("The bundle is not one file.");
  return new Uint8Array(await output.arrayBuffer());
}
