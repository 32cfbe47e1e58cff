import { describe, expect, test } from "bun:test";
import { readOptions, UsageError } from "../../bench/options.ts";

describe("the options", () => {
  test("ask by default for everything, with a million pets and three rounds or more", () => {
    const options = readOptions([]);
    expect(options.complete).toBe(true);
    expect(options.pets).toBe(1_000_000);
    expect(options.rounds).toBeGreaterThanOrEqual(3);
    expect(options.works).toContain("mixed");
    expect(options.parts).toContain("growth");
  });

  test("of a part leave the rest away, and keep no results", () => {
    const options = readOptions(["--only", "getPet,list,coldStart"]);
    expect(options.works).toEqual(["getPet", "listPlain", "listByStatus", "listDeep"]);
    expect(options.parts).toEqual(["coldStart"]);
    expect(options.keep).toBe(false);
  });

  test("measure the edge in the whole run, and not in a short one", () => {
    expect(readOptions([]).parts).toContain("edge");
    expect(readOptions(["--short"]).parts).toEqual([]);
    expect(readOptions(["--only", "edge"])).toMatchObject({ works: [], parts: ["edge"] });
  });

  test("warm everybody up until compilers have done their work, and less in a short run", () => {
    expect(readOptions([]).warmUpSeconds).toBeGreaterThanOrEqual(8);
    expect(readOptions(["--short"]).warmUpSeconds).toBe(3);
    expect(readOptions(["--short", "--warm-up", "1"]).warmUpSeconds).toBe(1);
  });

  for (const args of [
    ["--only", "getPets"],
    ["--contestants", "apache"],
    ["--rounds", "0"],
    ["--warm-up", "0"],
    ["--seconds", "1.5"],
    ["--pets", "many"],
    ["--swift"],
  ]) {
    test(`${args.join(" ")} is refused`, () => {
      expect(() => readOptions(args)).toThrow(UsageError);
    });
  }
});
