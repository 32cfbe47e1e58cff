/** Where Specmatic comes from, and the Java that it needs. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Missing, run, scratch } from "./run.ts";

// Not a development dependency: 77 MB that only this run needs. The hash is that of the jar.
export const specmatic = {
  version: "2.55.1",
  sha256: "07a1ae4b861c6b4dab67a4a1407c58f28db306b3b7732eda92148bce8f2729b9",
};
const javaMajorMin = 17;

export async function requireJava(): Promise<void> {
  const { text } = await run("java", ["-version"], scratch).catch(() => ({ text: "" }));
  const major = Number(/version "(\d+)/.exec(text)?.[1] ?? 0);
  if (major >= javaMajorMin) return;
  const found = major === 0 ? "none was found" : `this is ${text.split("\n")[0]}`;
  throw new Missing(
    `Java ${javaMajorMin} or newer is needed: apt-get install default-jre-headless (${found})`,
  );
}

const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

/** The jar, fetched once into the user's cache and held to its hash every time. */
export async function specmaticJar(): Promise<string> {
  const { version } = specmatic;
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "petstore");
  const jar = join(cache, `specmatic-${version}.jar`);
  if (existsSync(jar) && sha256(jar) === specmatic.sha256) return jar;

  console.log(`Fetching specmatic@${version} from npm into ${cache}`);
  mkdirSync(cache, { recursive: true });
  // Unpacked beside its place, so that the rename is one step and no half jar is ever found there.
  const folder = mkdtempSync(join(cache, "fetching-"));
  try {
    const packed = await run(
      "npm",
      ["pack", "--ignore-scripts", "--silent", `specmatic@${version}`],
      folder,
    );
    const unpacked = await run(
      "tar",
      ["-xzf", `specmatic-${version}.tgz`, "package/specmatic.jar"],
      folder,
    );
    const fetched = join(folder, "package/specmatic.jar");
    if (packed.code !== 0 || unpacked.code !== 0) {
      throw new Missing(
        `specmatic@${version} could not be fetched: ${packed.text}${unpacked.text}`,
      );
    }
    if (sha256(fetched) !== specmatic.sha256) {
      throw new Missing(
        `specmatic@${version} is not the jar whose hash scripts/conformance/specmaticJar.ts holds.`,
      );
    }
    renameSync(fetched, jar);
    return jar;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
