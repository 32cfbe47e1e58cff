import { describe, expect, test } from "bun:test";
import { mayDial, urlError } from "../../src/petstore/webhooks/address.ts";

const loopback = (address: string) => address === "127.0.0.1" || address === "::1";

describe("the URL of an endpoint", () => {
  for (const url of [
    "https://example.com/hooks?tenant=1",
    "https://example.com:8443",
    "https://8.8.8.8/",
  ]) {
    test(`may be ${url}`, () => {
      expect(urlError(url, undefined)).toBeUndefined();
    });
  }

  for (const [url, complaint] of [
    ["", "must be an https URL"],
    ["example.com", "must be an https URL"],
    ["ftp://example.com/", "must be an https URL"],
    ["file:///etc/passwd", "must be an https URL"],
    ["http://example.com/", "must begin with https://"],
    ["https://user:word@example.com/", "must not have a username"],
    ["https://token@example.com/", "must not have a username"],
    ["https://example.com/#part", "must not have a fragment"],
    [`https://example.com/${"a".repeat(2_048)}`, "must have at most 2048"],
    [`https://example.com/${"é".repeat(400)}`, "must have at most 2048"],
    ["https://example.com:0/", "must not have the port 0"],
    ["https://example.com:65536/", "must be an https URL"],
    // Every spelling of the same address is the same address.
    ["https://127.0.0.1/", "is not public"],
    ["https://127.1/", "is not public"],
    ["https://0x7f000001/", "is not public"],
    ["https://2130706433/", "is not public"],
    ["https://0177.0.0.1/", "is not public"],
    ["https://127.0.0.1./", "is not public"],
    ["https://①②⑦.0.0.1/", "is not public"],
    ["https://127。0。0。1/", "is not public"],
    ["https://%31%32%37.0.0.1/", "is not public"],
    ["https://0/", "is not public"],
    ["https://[::]/", "is not public"],
    ["https://[::1]/", "is not public"],
    ["https://[::127.0.0.1]/", "is not public"],
    ["https://[64:ff9b::7f00:1]/", "is not public"],
    ["https://[2002:7f00:1::]/", "is not public"],
    ["https://100.64.0.1/", "is not public"],
    ["https://224.0.0.1/", "is not public"],
    ["https://255.255.255.255/", "is not public"],
    ["https://[ff02::1]/", "is not public"],
    ["https://[fd00::1]/", "is not public"],
    ["https://[::ffff:127.0.0.1]/", "is not public"],
    ["https://169.254.169.254/latest/meta-data", "is not public"],
    ["https://10.0.0.8/", "is not public"],
    ["https://[fe80::1]/", "is not public"],
  ] as const) {
    test(`must not be ${url.slice(0, 60)}`, () => {
      expect(urlError(url, undefined)).toContain(complaint);
    });
  }

  test("may be in a network that the operator allows, also without encryption", () => {
    expect(urlError("http://127.0.0.1:8080/", loopback)).toBeUndefined();
    expect(urlError("https://[::1]/", loopback)).toBeUndefined();
    expect(urlError("https://10.0.0.8/", loopback)).toContain("is not public");
    // Plain HTTP to a public address would show everything to those on the way.
    expect(urlError("http://8.8.8.8/", loopback)).toContain("is not public");
    // What a name stands for is found out, and checked, when it is dialled.
    expect(urlError("http://receiver.internal/", loopback)).toBeUndefined();
  });
});

describe("an address", () => {
  test("is dialled if it is public and encrypted, or allowed", () => {
    expect(mayDial("8.8.8.8", "https:", () => false)).toBe(true);
    expect(mayDial("8.8.8.8", "http:", () => false)).toBe(false);
    expect(mayDial("127.0.0.1", "https:", () => false)).toBe(false);
    expect(mayDial("127.0.0.1", "http:", loopback)).toBe(true);
    expect(mayDial("0:0:0:0:0:0:0:1", "http:", loopback)).toBe(true);
    expect(mayDial("not an address", "https:", () => true)).toBe(false);
  });
});
