import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeOwnFolder } from "../../bench/ownFolder.ts";

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "own-folder-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;

describe("a folder of our own", () => {
  test("is made where there is none, and is open to nobody else", () => {
    const path = join(base, "above", "cache");
    makeOwnFolder(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test("is taken as it is where it is there already", () => {
    const path = join(base, "cache");
    makeOwnFolder(path);
    writeFileSync(join(path, "kept"), "");
    makeOwnFolder(path);
    expect(statSync(join(path, "kept")).isFile()).toBe(true);
  });

  test("is not one that belongs to another user", () => {
    let path = "/usr";
    if (isRoot) {
      path = join(base, "another's");
      mkdirSync(path, { mode: 0o700 });
      chownSync(path, 65_534, 65_534);
    }
    expect(() => makeOwnFolder(path)).toThrow("belongs to another user");
  });

  test("is not one that others can write to", () => {
    const path = join(base, "cache");
    mkdirSync(path);
    chmodSync(path, 0o770);
    expect(() => makeOwnFolder(path)).toThrow("can be written to by others");
  });

  test("is not a link, which may come to lead elsewhere", () => {
    const path = join(base, "cache");
    makeOwnFolder(join(base, "elsewhere"));
    symlinkSync(join(base, "elsewhere"), path);
    expect(() => makeOwnFolder(path)).toThrow("is not a folder");
  });
});
