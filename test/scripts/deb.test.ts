/** The Debian package, as far as it can be judged without installing it; `npm run systemd` does that. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildPackage } from "../../scripts/deb.ts";
import { commands } from "../../src/cli/commands.ts";
import { describeUnless } from "../../testkit/describeUnless.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-deb-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const executable = join(folder, "petstore");
writeFileSync(executable, "#!/bin/sh\n");

// Else the time is that of the commit, and sources from an archive have none.
const epoch = process.env["SOURCE_DATE_EPOCH"];
beforeAll(() => {
  process.env["SOURCE_DATE_EPOCH"] = "1800000000";
});
afterAll(() => {
  if (epoch === undefined) delete process.env["SOURCE_DATE_EPOCH"];
  else process.env["SOURCE_DATE_EPOCH"] = epoch;
});

const built = (name: string, version = "1.2.3") =>
  buildPackage({ executable, architecture: "amd64", folder: join(folder, name), version });
const output = (command: string, ...args: string[]) =>
  execFileSync(command, args, { encoding: "utf8" });

const missing = Bun.which("dpkg-deb") === null ? "not installed: dpkg-deb" : undefined;

describeUnless(missing, "the Debian package", () => {
  test("is the same bytes whenever and wherever it is built", () => {
    const umask = process.umask(0o077);
    const first = readFileSync(built("first"));
    process.umask(0o022);
    const second = readFileSync(built("second"));
    process.umask(umask);
    expect(first.equals(second)).toBe(true);
  });

  test("has everything in its place, owned by root, and secrets readable by root alone", () => {
    const listed = output("dpkg-deb", "--contents", built("contents"))
      .split("\n")
      .filter((line) => line.startsWith("-"))
      .map((line) => line.split(/\s+/))
      .map(([mode, owner, , , , path]) => `${mode} ${owner} ${path}`);
    expect(listed.sort()).toEqual([
      "-rw------- root/root ./etc/petstore/production.env",
      "-rw------- root/root ./etc/petstore/staging.env",
      "-rw-r--r-- root/root ./usr/lib/systemd/system/petstore@.service",
      "-rw-r--r-- root/root ./usr/lib/sysusers.d/petstore.conf",
      "-rw-r--r-- root/root ./usr/share/doc/petstore/CHANGELOG.md.gz",
      "-rw-r--r-- root/root ./usr/share/doc/petstore/THIRD_PARTY_LICENSES.txt.gz",
      "-rw-r--r-- root/root ./usr/share/doc/petstore/changelog.gz",
      "-rw-r--r-- root/root ./usr/share/doc/petstore/copyright",
      "-rw-r--r-- root/root ./usr/share/doc/petstore/examples/petstore-edge.conf",
      "-rw-r--r-- root/root ./usr/share/lintian/overrides/petstore",
      "-rw-r--r-- root/root ./usr/share/man/man1/petstore.1.gz",
      "-rw-r--r-- root/root ./usr/share/man/man8/petstorectl.8.gz",
      "-rwxr-xr-x root/root ./usr/bin/petstore",
      "-rwxr-xr-x root/root ./usr/sbin/petstorectl",
    ]);
  });

  test("keeps both files of settings through an upgrade", () => {
    const control = join(folder, "control");
    output("dpkg-deb", "--control", built("conffiles"), control);
    expect(readFileSync(join(control, "conffiles"), "utf8")).toBe(
      "/etc/petstore/production.env\n/etc/petstore/staging.env\n",
    );
  });

  test.each([
    ["2.0.0-rc.1", "2.0.0~rc.1"],
    ["2.0.0-rc-1", "2.0.0~rc~1"],
  ])("of the pre-release %s sorts before the release", (version, expected) => {
    const candidate = built("candidate", version);
    expect(output("dpkg-deb", "--field", candidate, "Version").trim()).toBe(expected);
    // Exits with 1 where it does not hold.
    output("dpkg", "--compare-versions", expected, "lt", "2.0.0");
  });

  test("has a file name that GitHub keeps", () => {
    expect(basename(built("named", "2.0.0-rc.1"))).toBe("petstore_2.0.0-rc.1_amd64.deb");
  });

  test("describes every command in its manual page", () => {
    const extracted = join(folder, "extracted");
    output("dpkg-deb", "--extract", built("manual"), extracted);
    const page = output("gzip", "-dc", join(extracted, "usr/share/man/man1/petstore.1.gz"));
    const described = [...page.matchAll(/^\.TP\n\.B (.+)$/gm)].map(([, name]) => name);
    expect(described).toEqual(commands.map(({ name }) => name.replaceAll("-", "\\-")));
  });
});
