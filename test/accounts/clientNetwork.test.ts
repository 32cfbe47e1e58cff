import { describe, expect, test } from "bun:test";
import { bucketOf } from "../../src/accounts/signInThrottle.ts";
import { clientNetwork } from "../../src/http/platform/sessions.ts";

describe("sign-in attempts are counted by", () => {
  test.each([
    ["the address of a client of IPv4", "198.51.100.7", "198.51.100.7"],
    ["nothing where the connection is gone", undefined, ""],
    ["the network of a client of IPv6", "2001:db8:0:a:1:2:3:4", "2001:db8:0:a"],
    ["the same network, written shorter", "2001:db8::a:0:0:0:9", "2001:db8:0:a"],
    ["the same network, written longer", "2001:0db8:0000:000a::9", "2001:db8:0:a"],
  ])("%s", (_what, address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});

test("there are 65,536 buckets of tries at most, whatever is typed", () => {
  for (const text of ["", "shop", "x".repeat(1_000_000)]) {
    expect(bucketOf("sign in", text)).toMatch(/^[0-9a-f]{4}$/);
  }
  expect(bucketOf("sign in", "shop")).not.toBe(bucketOf("password", "shop"));
});
