import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { explainSystem } from "../../src/cli/errors.ts";
import { run } from "../../src/cli/run.ts";
import { petstore } from "../../testkit/serviceProcess.ts";
import { CapturedOutput, CliFixture } from "./cliFixture.ts";

/** A code of the system, or an address of our code, in what a person reads. */
const riddle = /\bE[A-Z]{3,}\b|copyfile|mkdir|\n {4}at /;

describe("what the system refuses is told in words, with the file and what to change", () => {
  test.each([
    ["restore FOLDER", "Cannot restore FOLDER: it is a folder. Name a file that petstore backup"],
    ["restore FILE/x.db", "Cannot restore FILE/x.db: a part of the path is a file, not a folder."],
    ["restore NONE.db", "Cannot restore NONE.db: there is no such file or folder."],
    ["restore /dev/null", "Cannot restore /dev/null: it is not a plain file."],
    ["pets import FOLDER --format csv", "Cannot read FOLDER: it is a folder. Check <file>."],
    [
      "pets import FILE/x.csv",
      "Cannot read FILE/x.csv: a part of the path is a file, not a folder.",
    ],
    [
      "pets export --output FILE/x.csv",
      "Cannot write FILE/x.csv: a part of the path is a file, not a folder. Name another file.",
    ],
  ])("%s", async (line, said) => {
    await using cli = new CliFixture();
    mkdirSync(cli.path("FOLDER"));
    writeFileSync(cli.path("FILE"), "");
    const real = (text: string) => text.replace(/FOLDER|FILE|NONE/g, (name) => cli.path(name));
    const { code, out, err } = await cli.run(line.split(" ").map(real));
    expect(err).toContain(real(said));
    expect(err).not.toMatch(riddle);
    expect([code, out]).toEqual([1, ""]);
  });

  test("a backup that the disk has no room for", async () => {
    await using cli = new CliFixture();
    const stderr = new CapturedOutput();
    const backup = async () => {
      throw Object.assign(new Error("ENOSPC: write"), { code: "ENOSPC", syscall: "write" });
    };
    expect(await run(["backup", "x.db"], cli.context({ backup, stderr }))).toBe(1);
    expect(stderr.text).toBe(
      "petstore: Cannot back up to x.db: the disk is full. Name another <file>.\n",
    );
  });

  test("what it was not the system that refused passes as it is", () => {
    const fault = new TypeError("ours");
    expect(() => explainSystem("Cannot", "Try")(fault)).toThrow(fault);
  });
});

describe("a place where no store can be is told by its setting", () => {
  test.each([["keys create"], ["keys list"], ["serve"]])(
    "%s with PETSTORE_DATA naming a file",
    async (line) => {
      await using cli = new CliFixture();
      writeFileSync(cli.path("plain"), "");
      const { code, stdout, stderr } = await petstore(line.split(" "), {
        PETSTORE_DATA: cli.path("plain"),
        PORT: "0",
      });
      expect(stderr).toContain(cli.path("plain"));
      expect(stderr).toContain("a part of the path is a file, not a folder. Check PETSTORE_DATA.");
      expect(stderr).not.toMatch(riddle);
      expect([code, stdout]).toEqual([1, ""]);
    },
  );

  test("a folder in which nothing can be made", async () => {
    for (const line of [["keys", "create"], ["serve"]]) {
      const { code, stderr } = await petstore(line, { PETSTORE_DATA: "/proc/nowhere", PORT: "0" });
      expect(stderr).toContain("there is no such file or folder. Check PETSTORE_DATA.");
      expect(code).toBe(1);
    }
  });
});

describe("a database of no bytes", () => {
  const dataOf = (cli: CliFixture) => ({ PETSTORE_DATA: cli.path("data"), PORT: "0" });

  test("beside a secret has lost its data, which is refused until it is restored", async () => {
    await using cli = new CliFixture();
    const folder = join(cli.path("data"), "production");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "secret"), "x".repeat(43));
    writeFileSync(join(folder, "petstore.db"), "");
    for (const line of [["serve"], ["keys", "create"]]) {
      const { code, stdout, stderr } = await petstore(line, dataOf(cli));
      expect(stderr).toContain("petstore.db is empty, but");
      expect(stderr).toContain("petstore restore");
      expect([code, stdout, statSync(join(folder, "petstore.db")).size]).toEqual([1, "", 0]);
    }
    rmSync(join(folder, "secret"));
    expect((await petstore(["keys", "create"], dataOf(cli))).code).toBe(0);
  });
});
