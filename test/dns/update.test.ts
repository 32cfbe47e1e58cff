import { expect, test } from "bun:test";
import { decode } from "dns-packet";
import { signedUpdate } from "../../src/hosting/dns/update.ts";

const key = { algorithm: "hmac-sha256", name: "Updates", secret: Buffer.alloc(32, 7) } as const;

test("an update replaces the records of one name in a zone, and is signed", () => {
  const name = "_acme-challenge.sites.example.com";
  const message = signedUpdate({ zone: "example.com", name, values: ["a", "b"] }, key, 4711, 1e9);
  // By somebody else's reader.
  const read = decode(message);
  expect(read.id).toBe(4711);
  expect(read).toMatchObject({ opcode: "UPDATE" });
  expect(read.questions).toEqual([{ name: "example.com", type: "SOA", class: "IN" }]);
  expect(read.authorities).toMatchObject([
    { name, type: "TXT", class: "ANY", ttl: 0 },
    { name, type: "TXT", class: "IN", data: [Buffer.from("a")] },
    { name, type: "TXT", class: "IN", data: [Buffer.from("b")] },
  ]);
  expect(read.additionals).toMatchObject([{ name: "updates", type: "TSIG", class: "ANY" }]);
});
