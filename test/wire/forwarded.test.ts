import { describe, expect, test } from "bun:test";
import {
  networkIn,
  plainAddress,
  requestOrigin,
  TrustedProxies,
} from "../../src/wire/trustedProxies.ts";

const networks = ["127.0.0.0/8", "::1", "10.0.0.0/8", "2001:db8:aaaa::/48"];
const proxies = new TrustedProxies(networks.map((text) => networkIn(text) as never));

function originFrom(client: string | undefined, headers: Record<string, string>) {
  const direct = { client, scheme: "http", authority: "petstore.test:8080" } as const;
  return requestOrigin(direct, (name) => headers[name], proxies);
}

const xff = "x-forwarded-for";

describe("the client of a request", () => {
  test.each([
    ["is the other end of the connection", "198.51.100.7", {}, "198.51.100.7"],
    ["is not what a stranger says", "198.51.100.7", { [xff]: "203.0.113.9" }, "198.51.100.7"],
    ["is not what a private address says", "192.168.0.2", { [xff]: "203.0.113.9" }, "192.168.0.2"],
    ["is what a proxy on this machine saw", "127.0.0.1", { [xff]: "203.0.113.9" }, "203.0.113.9"],
    ["is what the nearest proxy saw", "10.0.0.2", { [xff]: "1.2.3.4, 203.0.113.9" }, "203.0.113.9"],
    [
      "is what the outermost of several trusted proxies saw",
      "10.0.0.2",
      { [xff]: "1.2.3.4, 203.0.113.9, 10.0.0.3,10.9.9.9" },
      "203.0.113.9",
    ],
    ["is a proxy where there are only proxies", "10.0.0.2", { [xff]: "10.0.0.3" }, "10.0.0.3"],
    ["is a proxy that says nothing", "127.0.0.1", {}, "127.0.0.1"],
    ["is a proxy that does not know", "10.0.0.2", { [xff]: "1.2.3.4, unknown" }, "10.0.0.2"],
    ["is a proxy that sends an empty list", "10.0.0.2", { [xff]: "" }, "10.0.0.2"],
    [
      "is the last proxy before one that does not know",
      "10.0.0.2",
      { [xff]: "1.2.3.4, unknown, 10.0.0.3" },
      "10.0.0.3",
    ],
    ["is unknown where the connection is gone", undefined, { [xff]: "1.2.3.4" }, undefined],
    ["is named without its port", "::1", { [xff]: "203.0.113.9:4711" }, "203.0.113.9"],
    ["is one of IPv6", "::1", { [xff]: "2001:DB8::1" }, "2001:db8::1"],
    ["is one of IPv6, without its port", "::1", { [xff]: "[2001:db8::1]:4711" }, "2001:db8::1"],
    ["is one of IPv4, mapped", "::1", { [xff]: "::ffff:203.0.113.9" }, "203.0.113.9"],
    ["is behind a mapped proxy", "::1", { [xff]: "1.2.3.4, ::ffff:a00:3" }, "1.2.3.4"],
    ["is behind a proxy of IPv6", "2001:db8:aaaa::5", { [xff]: "203.0.113.9" }, "203.0.113.9"],
    ["is what Forwarded says", "::1", { forwarded: "for=203.0.113.9" }, "203.0.113.9"],
    [
      "is what Forwarded says of IPv6",
      "::1",
      { forwarded: 'by=_me;For="[2001:db8::1]:4711"' },
      "2001:db8::1",
    ],
    [
      "is what the outermost trusted proxy wrote into Forwarded",
      "10.0.0.2",
      { forwarded: 'for=1.2.3.4, for="203.0.113.9:80";proto=https ,for=10.0.0.3' },
      "203.0.113.9",
    ],
    ["is not an obfuscated name", "::1", { forwarded: "for=_hidden" }, "::1"],
    ["is not in a malformed Forwarded", "::1", { forwarded: 'for=1.2.3.4, for="1' }, "::1"],
    ["is what both say", "::1", { forwarded: "for=1.2.3.4", [xff]: "1.2.3.4" }, "1.2.3.4"],
    ["is neither of two", "::1", { forwarded: "for=1.2.3.4", [xff]: "203.0.113.9" }, "::1"],
  ] as [string, string | undefined, Record<string, string>, string | undefined][])(
    "%s",
    (_what, peer, headers, client) => {
      expect(originFrom(peer, headers).client).toBe(client);
    },
  );
});

describe("the address by which a client reached the service", () => {
  const proto = "x-forwarded-proto";
  const host = "x-forwarded-host";
  const own = "http://petstore.test:8080";
  test.each([
    ["is its own", "127.0.0.1", { [xff]: "1.2.3.4" }, own],
    ["is not what a stranger says", "1.2.3.4", { [proto]: "https", [host]: "a.example" }, own],
    ["has the scheme that a proxy saw", "::1", { [proto]: "HTTPS" }, "https://petstore.test:8080"],
    ["has the host that a proxy saw", "::1", { [host]: "A.example:444" }, "http://a.example:444"],
    [
      "is what the nearest proxy says, where it trusts nobody",
      "::1",
      { [proto]: "http, https", [host]: "evil.example, a.example" },
      "https://a.example",
    ],
    [
      "is what the outermost trusted proxy saw",
      "::1",
      { [xff]: "1.2.3.4, 10.0.0.3", [proto]: "https, http", [host]: "a.example, b.example" },
      "https://a.example",
    ],
    [
      "is what one proxy says for all",
      "::1",
      { [xff]: "1.2.3.4, 10.0.0.3, 10.0.0.4", [proto]: "https", [host]: "a.example" },
      "https://a.example",
    ],
    ["is in Forwarded", "::1", { forwarded: "proto=https;host=a.example" }, "https://a.example"],
    [
      "is in Forwarded as one that ends in a port",
      "::1",
      { forwarded: 'for=1.2.3.4;host="a.example:8443";proto=https' },
      "https://a.example:8443",
    ],
    [
      "is in both together",
      "::1",
      { forwarded: "for=1.2.3.4;proto=https", [xff]: "1.2.3.4", [host]: "a.example" },
      "https://a.example",
    ],
    [
      "is in neither where they disagree about the client",
      "::1",
      { forwarded: "for=1.2.3.4;host=evil.example", [xff]: "203.0.113.9", [proto]: "https" },
      own,
    ],
    ["is no other scheme", "::1", { [proto]: "javascript" }, own],
    ["is nothing but a host", "::1", { [host]: "a.example/path" }, own],
    ["ends no line", "::1", { forwarded: 'host="a.example\r\nx: y"' }, own],
  ] as [string, string, Record<string, string>, string][])(
    "%s",
    (_what, peer, headers, expected) => {
      const { scheme, authority } = originFrom(peer, headers);
      expect(`${scheme}://${authority}`).toBe(expected);
    },
  );
});

test("a Forwarded header of any length is read in proportion to it", () => {
  const many = `${'for="\\\\\\"",'.repeat(100_000)}for=1.2.3.4`;
  expect(originFrom("::1", { forwarded: many }).client).toBe("1.2.3.4");
});

test.each([
  ["10.1.2.3", "10.1.2.3"],
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["::FFFF:0a01:203", "10.1.2.3"],
  ["0:0:0:0:0:ffff:10.1.2.3", "10.1.2.3"],
  ["64:ff9b::ffff:1", "64:ff9b::ffff:1"],
  ["fe80::1%eth0", "fe80::1"],
  ["example.com", undefined],
  ["", undefined],
])("the address %s is plainly %s", (text, plain) => {
  expect(plainAddress(text)).toBe(plain);
});

test.each([
  "10.0.0.0/33",
  "10.0.0/8",
  "2001:db8::/129",
  "proxy.example.com",
  "::ffff:10.0.0.0/104",
  "10.0.0.0/",
  "10.0.0.0/-1",
  "",
])("%s is no network", (text) => {
  expect(networkIn(text)).toBeUndefined();
});
