import { afterEach, describe, expect, test } from "bun:test";
import { RECURSION_AVAILABLE } from "dns-packet";
import type { NameServer } from "../../src/hosting/domains/resolver.ts";
import {
  a,
  closeAll,
  cname,
  ns,
  rcode,
  resolverOf,
  serverOf,
  soa,
  startServer,
} from "./servers.ts";
import { bytes, message, typeNumber } from "./wire.ts";

afterEach(closeAll);

const at = (address: string): NameServer => ({ name: "ns1.example", address });
const here = at("127.0.0.1");

describe("a name server's own word", () => {
  test("is asked for without recursion", async () => {
    const server = await serverOf({ answers: [a("shop.example", "198.51.100.7")] });
    expect(await resolverOf([server]).ask(here, "shop.example", "A")).toMatchObject({
      kind: "found",
    });
    expect(server.heard).toMatchObject([{ recursive: false }]);
  });

  test("is a no with authority", async () => {
    const server = await serverOf({ rcode: rcode.nxDomain, authorities: [soa("example")] });
    expect(await resolverOf([server]).ask(here, "shop.example", "A")).toEqual({
      kind: "absent",
      reason: "nxdomain",
      records: [],
      rememberedSeconds: 300,
    });
  });

  test("is no address beside a CNAME whose target lies in another zone", async () => {
    const server = await serverOf({ answers: [cname("shop.example", "edge.other")] });
    expect(await resolverOf([server]).ask(here, "shop.example", "A")).toEqual({
      kind: "absent",
      reason: "nodata",
      records: [{ name: "shop.example", type: "CNAME", ttlSeconds: 300, value: "edge.other" }],
      rememberedSeconds: undefined,
    });
  });

  test("keeps an unknown critical CAA tag as it is on the wire", async () => {
    const server = await startServer({
      udp: ({ id }, send) => {
        const data = bytes(0b1000_0001, 3, "TBS", "Unknown");
        const answers = [{ type: typeNumber.CAA, data }];
        send(message({ id, type: typeNumber.CAA, answers }));
      },
    });
    expect(await resolverOf([server]).ask(here, "shop.example", "CAA")).toEqual({
      kind: "found",
      records: [
        {
          name: "shop.example",
          type: "CAA",
          ttlSeconds: 60,
          value: "Unknown",
          caa: { critical: true, tag: "tbs" },
        },
      ],
    });
  });
});

describe("a server that does not speak for the zone", () => {
  const answers = [a("shop.example", "198.51.100.7")];
  const ways: [what: string, contents: Parameters<typeof serverOf>[0]][] = [
    ["answers without authority", { flags: RECURSION_AVAILABLE, answers }],
    ["denies without authority", { flags: RECURSION_AVAILABLE, rcode: rcode.nxDomain }],
    ["refuses", { rcode: rcode.refused }],
    ["says it has no authority", { rcode: 9 }],
    ["refers to others", { flags: 0, authorities: [ns("example", "ns.example")] }],
    ["refers to others with authority", { authorities: [ns("shop.example", "ns.example")] }],
  ];
  for (const [what, contents] of ways) {
    test(`is lame when it ${what}`, async () => {
      const server = await serverOf(contents);
      expect(await resolverOf([server]).ask(here, "shop.example", "A")).toMatchObject({
        kind: "unreachable",
        reason: "lame",
        detail: expect.stringContaining("ns1.example (127.0.0.1)"),
      });
    });
  }

  test("is not lame but failing when it says SERVFAIL", async () => {
    const server = await serverOf({ rcode: rcode.servFail });
    expect(await resolverOf([server]).ask(here, "shop.example", "A")).toMatchObject({
      reason: "servfail",
    });
  });
});

describe("a private address", () => {
  const addresses = ["127.0.0.1", "::ffff:127.0.0.1", "::1", "0.0.0.0", "localhost", ""];
  for (const address of addresses) {
    test(`is never asked: "${address}"`, async () => {
      const server = await serverOf({});
      const resolver = resolverOf([server], { allowPrivateAddresses: false });
      expect(await resolver.ask(at(address), "shop.example", "A")).toMatchObject({
        kind: "unreachable",
        reason: "forbidden_address",
      });
      expect(server.heard).toEqual([]);
    });
  }

  test("is asked where that is allowed, but a name never is", async () => {
    const server = await serverOf({});
    const resolver = resolverOf([server]);
    expect(await resolver.ask(here, "shop.example", "A")).toMatchObject({ kind: "absent" });
    expect(await resolver.ask(at("localhost"), "shop.example", "A")).toMatchObject({
      reason: "forbidden_address",
    });
  });
});
