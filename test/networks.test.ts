import { describe, expect, test } from "bun:test";
import { canonicalAddress, isPublicAddress } from "../src/core/networks.ts";

const isPublic = (text: string) => isPublicAddress(canonicalAddress(text) ?? "");

describe("an address that is not public", () => {
  // The first and the last of each network, so that both its ends are held.
  const networks: [what: string, first: string, last: string][] = [
    ["this network", "0.0.0.0", "0.255.255.255"],
    ["private, ten", "10.0.0.0", "10.255.255.255"],
    ["carrier-grade translation", "100.64.0.0", "100.127.255.255"],
    ["loopback", "127.0.0.0", "127.255.255.255"],
    ["link-local", "169.254.0.0", "169.254.255.255"],
    ["private, 172", "172.16.0.0", "172.31.255.255"],
    ["protocol assignments", "192.0.0.0", "192.0.0.255"],
    ["documentation, one", "192.0.2.0", "192.0.2.255"],
    ["relays of 6to4", "192.88.99.0", "192.88.99.255"],
    ["private, 192", "192.168.0.0", "192.168.255.255"],
    ["benchmarks", "198.18.0.0", "198.19.255.255"],
    ["documentation, two", "198.51.100.0", "198.51.100.255"],
    ["documentation, three", "203.0.113.0", "203.0.113.255"],
    ["multicast", "224.0.0.0", "239.255.255.255"],
    ["reserved and broadcast", "240.0.0.0", "255.255.255.255"],
    ["unspecified and loopback, six", "::", "::1"],
    ["mapped", "::ffff:0.0.0.0", "::ffff:255.255.255.255"],
    ["mapped, though public inside", "::ffff:8.8.8.8", "::ffff:808:808"],
    ["compatible", "::127.0.0.1", "::10.0.0.1"],
    ["translated", "64:ff9b::7f00:1", "64:ff9b::ffff:ffff"],
    ["translated, local", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
    ["discarded", "100::", "100::ffff:ffff:ffff:ffff"],
    ["protocol assignments, six", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["documentation, six", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["6to4", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["documentation, new", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["unique local", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["link-local, six", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["site-local", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["multicast, six", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["unassigned", "4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ];
  for (const [what, first, last] of networks) {
    test(`${what}: from ${first} to ${last}`, () => {
      expect([isPublic(first), isPublic(last)]).toEqual([false, false]);
    });
  }

  for (const text of [
    "",
    "localhost",
    "127.1",
    "0x7f000001",
    "017700000001",
    "1.2.3.4.5",
    "[::1]",
  ]) {
    test(`no address at all: "${text}"`, () => {
      expect(isPublic(text)).toBe(false);
    });
  }

  test("an address with a zone is none that a stranger may name", () => {
    expect(canonicalAddress("fe80::1%eth0")).toBeUndefined();
  });
});

describe("a public address", () => {
  // The neighbours of the networks above, so that none of them is too wide.
  const neighbours = [
    "1.0.0.0",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2000::",
    "2001:200::",
    "2001:db7:ffff::",
    "2001:db9::",
    "2003::",
    "2606:4700:4700::1111",
    "3fff:1000::",
  ];
  for (const address of neighbours) {
    test(address, () => {
      expect(isPublic(address)).toBe(true);
    });
  }
});

describe("the spelling of an address", () => {
  test("is one for all the ways to write it", () => {
    const ways = ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1", "2001:0db8:0::0001:0:0:1"];
    expect(ways.map(canonicalAddress)).toEqual(ways.map(() => "2001:db8::1:0:0:1"));
  });
});
