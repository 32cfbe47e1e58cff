import { describe, expect, test } from "bun:test";
import { addressesOf, shownAddress } from "../../src/storage/postgres/address.ts";

describe("the address of a database", () => {
  test("of several hosts is one address for each, in their order", () => {
    expect(addressesOf("postgres://u:p@a:1,b,[::1]:3/pets?sslmode=require")).toEqual([
      "postgres://u:p@a:1/pets?sslmode=require",
      "postgres://u:p@b/pets?sslmode=require",
      "postgres://u:p@[::1]:3/pets?sslmode=require",
    ]);
    expect(addressesOf("postgresql://a/pets")).toEqual(["postgresql://a/pets"]);
    expect(addressesOf("postgres:///pets?host=/run/postgresql")).toEqual([
      "postgres:///pets?host=/run/postgresql",
    ]);
  });

  test("is shown without user, password and parameters", () => {
    for (const [address, shown] of [
      ["postgres://u:p@a:1,b:2/pets?password=p", "postgres://a:1,b:2/pets"],
      ["postgres://u:p%40p@a/pets", "postgres://a/pets"],
      ["postgres://u:p@p@a/pets", "postgres://a/pets"],
      ["postgres://u@a?password=p", "postgres://a"],
      ["postgres:///pets?user=u&password=p", "postgres:///pets"],
    ] as const) {
      expect(shownAddress(address)).toBe(shown);
    }
  });
});
