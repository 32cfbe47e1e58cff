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

  for (const args of [
    ["--only", "getPets"],
    ["--contestants", "apache"],
    ["--rounds", "0"],
    ["--seconds", "1.5"],
    ["--pets", "many"],
    ["--swift"],
  ]) {
    test(`${args.join(" ")} is refused`, () => {
      expect(() => readOptions(args)).toThrow(UsageError);
    });
  }
});
