/** What `npm run release` builds: one commit gives one result. */
import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Bom } from "../../scripts/release/sbom.ts";
import { describeUnless } from "../../testkit/describeUnless.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const quickBuilds = `
mkdir -p dist/client
case $1 in
  build) for target in linux-x64 linux-arm64 darwin-arm64; do echo $target >dist/petstore-$target; done ;;
  client) echo '{"name":"petstore-client","version":"1.0.0"}' >dist/client/package.json ;;
  deb) echo "$*" >"dist/petstore_1.0.0_$3.deb" ;; # npm run deb -- --arch <architecture>
esac
`;

const missing = Bun.which("dpkg-deb") === null ? "not installed: dpkg-deb" : undefined;

/**
 * The real script in a repository of its own, where the builds are quick: each writes what the real
 * one is named after. Archives, package, bill of materials, notes and checksums are real.
 */
describeUnless(missing, "the command", () => {
  const repository = mkdtempSync(join(tmpdir(), "petstore-release-"));
  afterAll(() => rmSync(repository, { recursive: true }));
  const place = (file: string) => join(repository, file);
  const changelog = "## 1.0.0\n\nSee [orders](docs/guide/orders.md).\n";

  for (const file of [
    "scripts/release.ts",
    "scripts/release",
    "scripts/build",
    "openapi",
    "LICENSE",
  ]) {
    cpSync(join(root, file), place(file), { recursive: true });
  }
  for (const file of ["package-lock.json", "deploy/compose.yaml"]) {
    cpSync(join(root, file), place(file));
  }
  // Its imports are found through the folder above it.
  mkdirSync(place("node_modules"));
  cpSync(join(root, "node_modules/yaml"), place("node_modules/yaml"), { recursive: true });
  writeFileSync(place(".gitignore"), "node_modules/\ndist/\n");
  writeFileSync(place("CHANGELOG.md"), changelog);
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(place("quick.sh"), quickBuilds);
  const scripts = {
    build: "sh quick.sh build",
    client: "sh quick.sh client",
    deb: "sh quick.sh deb",
  };
  writeFileSync(
    place("package.json"),
    JSON.stringify({ ...manifest, version: "1.0.0", files: ["LICENSE"], scripts }),
  );

  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
    const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd: repository });
    if (status !== 0) throw new Error(String(stderr));
  };
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "first");

  function release(...args: string[]) {
    const { GITHUB_REPOSITORY: _, ...env } = process.env;
    const command = [place("scripts/release.ts"), ...args];
    return spawnSync(process.execPath, command, { cwd: repository, encoding: "utf8", env });
  }
  const sums = () => readFileSync(place("dist/release/SHA256SUMS"), "utf8");

  test("refuses what it does not know, with its usage", () => {
    const { status, stderr } = release("--publish");
    expect(status).toBe(2);
    expect(stderr).toContain("Usage: npm run release");
  });

  test("builds nothing from a tree with changes", () => {
    writeFileSync(place("CHANGELOG.md"), `${changelog}\nMore.\n`);
    const { status, stderr } = release("--dry-run");
    git("checkout", "--quiet", "CHANGELOG.md");
    expect([status, stderr]).toEqual([1, "Not committed: CHANGELOG.md. Commit or stash it.\n"]);
  });

  test("tells everything that is in the way at once", () => {
    writeFileSync(place("CHANGELOG.md"), "# Changelog\n");
    const compose = readFileSync(place("deploy/compose.yaml"), "utf8");
    writeFileSync(place("deploy/compose.yaml"), compose.replace(/petstore:\S+/, "petstore:0.9.0"));
    const { status, stderr } = release();
    git("checkout", "--quiet", ".");
    expect(status).toBe(1);
    expect(stderr.split("\n").filter((line) => line !== "")).toEqual([
      "deploy/compose.yaml has version 0.9.0, and package.json 1.0.0. Make them the same.",
      'CHANGELOG.md has no section "## 1.0.0". Write it: it becomes the notes.',
      "Not committed: CHANGELOG.md, deploy/compose.yaml. Commit or stash it.",
      "The tag v1.0.0 does not point at this commit. Set it: git tag --annotate v1.0.0",
    ]);
  });

  test("builds all of it from a commit without a tag", () => {
    const first = release("--dry-run", "--json", "--repository", "https://git.example/acme/p/");
    expect([first.status, first.stderr]).toEqual([0, expect.stringContaining("built: checksums")]);
    const { version, tag, dryRun, files } = JSON.parse(first.stdout);
    expect({ version, tag, dryRun }).toEqual({ version: "1.0.0", tag: "v1.0.0", dryRun: true });
    expect(files.map(({ name }: { name: string }) => name)).toEqual([
      "RELEASE_NOTES.md",
      "petstore-1.0.0-darwin-arm64.tar.gz",
      "petstore-1.0.0-linux-arm64.tar.gz",
      "petstore-1.0.0-linux-x64.tar.gz",
      "petstore-1.0.0.cdx.json",
      "petstore-1.0.0.tgz",
      "petstore-client-1.0.0.tgz",
      "petstore_1.0.0_amd64.deb",
      "petstore_1.0.0_arm64.deb",
    ]);
  });

  test("builds the same again, with the tag and without --dry-run, and publishes nothing", () => {
    const before = sums();
    git("tag", "v1.0.0");
    const { status, stdout } = release();
    const words = "To publish it, push the tag: git push origin v1.0.0";
    expect([status, stdout]).toEqual([0, expect.stringContaining(words)]);
    // Their links differ: the second run knows of no repository.
    const others = (text: string) => text.split("\n").filter((line) => !line.endsWith(".md"));
    expect(others(sums())).toEqual(others(before));
  });

  test("archives an executable that can be run, with its licenses", () => {
    const file = place("dist/release/petstore-1.0.0-linux-x64.tar.gz");
    const { stdout } = spawnSync("tar", ["--list", "--verbose", "--file", file], {
      encoding: "utf8",
    });
    const entries = stdout.split("\n").map((line) => line.split(/\s+/));
    expect(entries.map(([mode, owner, , , , path]) => [mode, owner, path]).slice(0, 4)).toEqual([
      ["drwxr-xr-x", "0/0", "petstore-1.0.0-linux-x64/"],
      ["-rw-r--r--", "0/0", "petstore-1.0.0-linux-x64/LICENSE"],
      ["-rw-r--r--", "0/0", "petstore-1.0.0-linux-x64/THIRD_PARTY_LICENSES.txt"],
      ["-rwxr-xr-x", "0/0", "petstore-1.0.0-linux-x64/petstore"],
    ]);
  });

  test("lists every production package of the lock file in the bill, and what Bun is made of", () => {
    const bill = JSON.parse(
      readFileSync(place("dist/release/petstore-1.0.0.cdx.json"), "utf8"),
    ) as Bom;
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    const locked = Object.entries<{ version: string; dev?: boolean }>(lock.packages)
      .filter(([folder, { dev }]) => folder !== "" && dev !== true)
      .map(([folder, { version }]) => `${folder.replace(/^.*node_modules\//, "")}@${version}`);
    expect(bill.components.map((component) => component["bom-ref"]).sort()).toEqual(locked.sort());
    expect(bill.metadata.component.name).toBe("petstore");
    const runtime = bill.components.find(({ name }) => name === "bun");
    const parts = runtime?.components?.map(({ name }) => name);
    expect(parts).toEqual(expect.arrayContaining(["boringssl", "sqlite", "webkit", "zlib"]));
    const known = new Set(["petstore@1.0.0", ...locked]);
    const strangers = bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
    expect(strangers.filter((ref) => !known.has(ref))).toEqual([]);
  });
});
