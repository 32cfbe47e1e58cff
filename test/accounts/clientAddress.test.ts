import { describe, expect, test } from "bun:test";
import { bucketOf } from "../../src/accounts/tries.ts";
import { clientOf } from "../../src/http/session/clientAddress.ts";

const clientIn = (peer: string | undefined, forwarded?: string) =>
  clientOf({ peer, header: (name) => (name === "x-forwarded-for" ? forwarded : undefined) });

describe("the client of a request", () => {
  test.each([
    ["is the other end of the connection", "198.51.100.7", undefined, "198.51.100.7"],
    ["is not what a stranger says", "198.51.100.7", "203.0.113.9", "198.51.100.7"],
    ["is what a proxy on this machine saw", "127.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["is what the nearest proxy saw", "10.0.0.2", "1.2.3.4, 203.0.113.9", "203.0.113.9"],
    ["is the same on a socket for both", "::ffff:10.0.0.2", "203.0.113.9", "203.0.113.9"],
    ["is a proxy that says nothing", "127.0.0.1", undefined, "127.0.0.1"],
    ["is a proxy that talks nonsense", "172.20.0.3", "unknown", "172.20.0.3"],
    ["is unknown where the connection is gone", undefined, undefined, ""],
    ["is a whole network of IPv6", "2001:db8:0:a:1:2:3:4", undefined, "2001:db8:0:a"],
    ["is the same network, written shorter", "2001:DB8::a:0:0:0:9", undefined, "2001:db8:0:a"],
    ["is an IPv6 client behind a proxy", "::1", "2001:db8::1", "2001:db8:0:0"],
  ])("%s", (_what, peer, forwarded, client) => {
    expect(clientIn(peer, forwarded)).toBe(client);
  });
});

test("there are 65,536 buckets of tries at most, whatever is typed", () => {
  for (const text of ["", "shop", "x".repeat(1_000_000)]) {
    expect(bucketOf("sign in", text)).toMatch(/^[0-9a-f]{4}$/);
  }
  expect(bucketOf("sign in", "shop")).not.toBe(bucketOf("password", "shop"));
});
