import { describe, expect, test } from "bun:test";
import { fileSystemOf } from "../../bench/machine.ts";
import { figure, markdownTable, plainTable } from "../../bench/table.ts";

describe("a figure", () => {
  test("has the digits that matter and no more", () => {
    const shown = [0.1234, 1.234, 12.34, 123.4, 12_345.6].map(figure);
    expect(shown).toEqual(["0.123", "1.23", "12.3", "123", "12,346"]);
  });

  test("that is missing is a dash", () => {
    expect(figure(undefined)).toBe("–");
    expect(figure(Number.NaN)).toBe("–");
  });
});

describe("a table", () => {
  const table = {
    columns: ["who", "rate"],
    rows: [
      ["ours", "900"],
      ["a longer name", "1,000"],
    ],
  };

  test("has numbers below one another by their last digit", () => {
    const lines = plainTable(table).trimEnd().split("\n");
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  });

  test("tells Markdown where numbers stand", () => {
    expect(markdownTable(table).split("\n")[1]).toBe("| :--- | ---: |");
  });
});

test("a folder lies on the mount with the longest path above it", () => {
  const mounts = "/dev/a / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n/dev/b /tmp/disk xfs rw 0 0\n";
  expect(fileSystemOf("/tmp/disk/bench", mounts)).toBe("xfs");
  expect(fileSystemOf("/tmp/diskette", mounts)).toBe("tmpfs");
  expect(fileSystemOf("/var", mounts)).toBe("ext4");
});
