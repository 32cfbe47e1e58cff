// What `npm run deb` runs: the executable of `npm run build` as a Debian package. `--arch arm64`
// packs dist/petstore-linux-arm64, and `--lint` has lintian read the package.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import packageJson from "../package.json" with { type: "json" };
import { debianTargets } from "./build/runtimes.ts";
import { petstoreManPage } from "./deb/manPage.ts";
import { thirdPartyLicenses } from "./release/licenses.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
type Architecture = keyof typeof debianTargets;
const isArchitecture = (name: string): name is Architecture => Object.hasOwn(debianTargets, name);

export interface PackageParts {
  readonly executable: string;
  readonly architecture: Architecture;
  readonly folder: string;
  readonly version?: string;
}

/** Where each file goes, and its mode. What is executable is run by dpkg or by people. */
const placed = {
  "petstore@.service": ["usr/lib/systemd/system/petstore@.service", 0o644],
  "petstore.sysusers.conf": ["usr/lib/sysusers.d/petstore.conf", 0o644],
  "petstore-edge.conf": ["usr/share/doc/petstore/examples/petstore-edge.conf", 0o644],
  // Read by systemd as root. They may hold PETSTORE_SECRET and DATABASE_URL.
  "production.env": ["etc/petstore/production.env", 0o600],
  "staging.env": ["etc/petstore/staging.env", 0o600],
  "debian/petstorectl": ["usr/sbin/petstorectl", 0o755],
  "debian/copyright": ["usr/share/doc/petstore/copyright", 0o644],
  "debian/lintian-overrides": ["usr/share/lintian/overrides/petstore", 0o644],
  "debian/conffiles": ["DEBIAN/conffiles", 0o644],
  "debian/postinst": ["DEBIAN/postinst", 0o755],
  "debian/prerm": ["DEBIAN/prerm", 0o755],
  "debian/postrm": ["DEBIAN/postrm", 0o755],
} as const;

/** Returns the file. The same input gives the same bytes. */
export function buildPackage(parts: PackageParts): string {
  const { executable, architecture, folder } = parts;
  const released = parts.version ?? packageJson.version;
  // A pre-release sorts before its release: 1.1.0~rc.1. A hyphen would begin a Debian revision.
  const version = released.replaceAll("-", "~");
  const seconds = Number(process.env["SOURCE_DATE_EPOCH"] ?? timeOfCommit());
  const stage = mkdtempSync(join(tmpdir(), "petstore-deb-"));
  try {
    const write = (path: string, content: string | Uint8Array, mode = 0o644) => {
      mkdirSync(dirname(join(stage, path)), { recursive: true });
      writeFileSync(join(stage, path), content);
      chmodSync(join(stage, path), mode);
    };
    mkdirSync(join(stage, "usr/bin"), { recursive: true });
    cpSync(executable, join(stage, "usr/bin/petstore"));
    chmodSync(join(stage, "usr/bin/petstore"), 0o755);
    for (const [source, [path, mode]] of Object.entries(placed)) {
      write(path, readFileSync(join(root, "deploy", source)), mode);
    }
    const date = new Date(seconds * 1000);
    const filled = (file: string, values: Readonly<Record<string, string | number>>) =>
      readFileSync(join(root, "deploy/debian", file), "utf8").replace(/@(\w+)@/g, (_, name) =>
        String(values[name]),
      );
    const day = date.toISOString().slice(0, 10);
    write("usr/share/man/man1/petstore.1.gz", gzip(petstoreManPage(version, day)));
    write(
      "usr/share/man/man8/petstorectl.8.gz",
      gzip(filled("petstorectl.8", { version, date: day })),
    );
    write("usr/share/doc/petstore/changelog.gz", gzip(changelog(version, date)));
    write(
      "usr/share/doc/petstore/CHANGELOG.md.gz",
      gzip(readFileSync(join(root, "CHANGELOG.md"), "utf8")),
    );
    write("usr/share/doc/petstore/THIRD_PARTY_LICENSES.txt.gz", gzip(thirdPartyLicenses(root)));
    const installed = filesBelow(stage).filter((path) => !path.startsWith("DEBIAN/"));
    write(
      "DEBIAN/md5sums",
      installed.map((path) => `${md5(join(stage, path))}  ${path}\n`).join(""),
    );
    const bytes = installed.reduce((sum, path) => sum + statSync(join(stage, path)).size, 0);
    const kilobytes = Math.ceil(bytes / 1024);
    write("DEBIAN/control", filled("control", { version, architecture, kilobytes }));
    setModes(stage, seconds);
    mkdirSync(folder, { recursive: true });
    // With the version as everywhere else: GitHub renames a file that has a ~ in its name.
    const file = join(folder, `petstore_${released}_${architecture}.deb`);
    // The default level takes three times as long, for a package that is a tenth smaller.
    const options = ["--root-owner-group", "-Zxz", "-z1"];
    execFileSync("dpkg-deb", [...options, "--build", stage, file], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(seconds) },
      stdio: ["ignore", "ignore", "inherit"],
    });
    return file;
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function timeOfCommit(): string {
  return execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" }).trim();
}

function gzip(text: string): Uint8Array {
  return gzipSync(text, { level: 9 });
}

function md5(file: string): string {
  return createHash("md5").update(readFileSync(file)).digest("hex");
}

/** In one order on every machine. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Neither the umask nor the clock of this machine reaches the package. */
function setModes(folder: string, seconds: number): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    lutimesSync(path, seconds, seconds);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, seconds, seconds);
}

/** The form that Debian's tools read; the words are in CHANGELOG.md. */
function changelog(version: string, date: Date): string {
  const when = date.toUTCString().replace("GMT", "+0000");
  const control = readFileSync(join(root, "deploy/debian/control"), "utf8");
  const [, maintainer] = /^Maintainer: (.+)$/m.exec(control) ?? [];
  return `petstore (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md.gz beside this file.\n\n -- ${maintainer}  ${when}\n`;
}

export function architectureOfHost(): Architecture {
  const host = `${process.platform}-${process.arch}`;
  const found = Object.entries(debianTargets).find(([, target]) => target === host);
  if (found === undefined) throw new Error(`There is no package for ${host}. Name one: --arch.`);
  return found[0] as Architecture;
}

function optionsOf(args: string[]): { readonly arch?: Architecture; readonly lint: boolean } {
  const options = { arch: { type: "string" }, lint: { type: "boolean", default: false } } as const;
  try {
    const { arch, lint } = parseArgs({ args, options }).values;
    if (arch === undefined) return { lint };
    if (isArchitecture(arch)) return { arch, lint };
    console.error(`There is no package for ${arch}.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  console.error(`npm run deb -- [--arch <${Object.keys(debianTargets).join("|")}>] [--lint]`);
  process.exit(2);
}

if (import.meta.main) {
  const { arch: name, lint } = optionsOf(process.argv.slice(2));
  const architecture = name ?? architectureOfHost();
  const executable = join(
    root,
    name === undefined ? "dist/petstore" : `dist/petstore-${debianTargets[architecture]}`,
  );
  if (!existsSync(executable)) {
    const how = name === undefined ? "" : ` -- --target ${debianTargets[architecture]}`;
    console.error(`${relative(root, executable)} is missing. Make it: npm run build${how}`);
    process.exit(1);
  }
  const file = buildPackage({ executable, architecture, folder: join(root, "dist") });
  console.log(`${relative(root, file)}: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  if (lint) {
    // The rules of Debian on a system that has others too, such as Ubuntu.
    const options = [
      "--profile",
      "debian",
      "--fail-on",
      "error,warning",
      "--tag-display-limit",
      "0",
    ];
    const { status, error } = spawnSync("lintian", [...options, file], { stdio: "inherit" });
    if (error !== undefined) console.error(`lintian did not run: ${error.message}`);
    console.log(status === 0 ? "ok: lintian" : "FAILED: lintian");
    process.exitCode = status === 0 ? 0 : 1;
  }
}
