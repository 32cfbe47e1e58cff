import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recursorsOfSystem } from "../../src/hosting/dns/addresses.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "petstore-dns-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function recursorsFrom(text: string) {
  const path = join(folder, "resolv.conf");
  writeFileSync(path, text);
  return recursorsOfSystem(path).map(({ address, port }) => `${address} ${port}`);
}

describe("the recursors of the system", () => {
  test("are its nameserver lines, and nothing else", () => {
    const text = [
      "# nameserver 192.0.2.9",
      "search example",
      "nameserver 192.0.2.1",
      "nameserver\t2001:db8::53 ",
      "nameserver dns.example",
      "nameserver",
      "options edns0",
    ].join("\n");
    expect(recursorsFrom(text)).toEqual(["192.0.2.1 53", "2001:db8::53 53"]);
  });

  test("are three at most", () => {
    const text = [1, 2, 3, 4].map((at) => `nameserver 192.0.2.${at}\n`).join("");
    expect(recursorsFrom(text)).toEqual(["192.0.2.1 53", "192.0.2.2 53", "192.0.2.3 53"]);
  });

  test("are none where there is no such file", () => {
    expect(recursorsOfSystem(join(folder, "absent"))).toEqual([]);
  });
});
