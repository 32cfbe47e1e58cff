import { afterEach, describe, expect, test } from "bun:test";
import type { Answer } from "dns-packet";
import { findZone, type Look } from "../../src/hosting/dns/resolver.ts";
import {
  a,
  aaaa,
  type Contents,
  closeAll,
  cname,
  ns,
  rcode,
  reply,
  resolverOf,
  type StartedServer,
  soa,
  startServer,
} from "./servers.ts";

afterEach(closeAll);

/** A recursor that knows these answers, as "name TYPE". Everything else does not exist. */
function recursorThatKnows(known: Record<string, Contents>): Promise<StartedServer> {
  return startServer({
    udp(query, send) {
      const contents = known[`${query.name} ${query.type}`];
      send(reply(query, contents ?? { rcode: rcode.nxDomain }));
    },
  });
}

const answers = (...records: Answer[]): Contents => ({ answers: records });
const no = (...authorities: Answer[]): Contents => ({ rcode: rcode.nxDomain, authorities });

const zone = {
  "shop.example NS": answers(ns("shop.example", "ns1.host"), ns("shop.example", "ns2.host")),
  "ns1.host A": answers(a("ns1.host", "198.51.100.1")),
  "ns1.host AAAA": answers(aaaa("ns1.host", "2001:db8:0:0::1")),
  "ns2.host A": answers(a("ns2.host", "198.51.100.2")),
};
const foundZone = {
  kind: "found",
  zone: "shop.example",
  servers: [
    { name: "ns1.host", address: "198.51.100.1" },
    { name: "ns2.host", address: "198.51.100.2" },
    { name: "ns1.host", address: "2001:db8::1" },
  ],
} as const;

describe("the name servers of a name", () => {
  test("are those of the zone that begins at it", async () => {
    const recursor = await recursorThatKnows(zone);
    expect(await resolverOf([recursor]).nameServers("shop.example")).toEqual(foundZone);
    expect(await resolverOf([recursor]).nameServers("Shop.EXAMPLE")).toEqual(foundZone);
  });

  test("are those of the zone whose SOA denies it, found in one step", async () => {
    const recursor = await recursorThatKnows({
      ...zone,
      "a.b.c.shop.example NS": no(soa("shop.example")),
    });
    expect(await resolverOf([recursor]).nameServers("a.b.c.shop.example")).toEqual(foundZone);
    const asked = recursor.heard.filter(({ type }) => type === "NS").map(({ name }) => name);
    expect(asked).toEqual(["a.b.c.shop.example", "shop.example"]);
  });

  test("are found label by label where no SOA comes with the no", async () => {
    const recursor = await recursorThatKnows({ ...zone, "b.shop.example NS": {} });
    expect(await resolverOf([recursor]).nameServers("a.b.shop.example")).toEqual(foundZone);
  });

  test("are not those of a CNAME's target", async () => {
    const target = [cname("docs.shop.example", "other.host"), ns("other.host", "ns9.host")];
    const recursor = await recursorThatKnows({
      ...zone,
      "docs.shop.example NS": answers(...target),
      "ns9.host A": answers(a("ns9.host", "198.51.100.9")),
    });
    expect(await resolverOf([recursor]).nameServers("docs.shop.example")).toEqual(foundZone);
  });

  test("are not those of a zone above that denies a CNAME's target", async () => {
    const denied = {
      ...answers(cname("docs.shop.example", "gone.example")),
      ...no(soa("example")),
    };
    const recursor = await recursorThatKnows({
      ...zone,
      "docs.shop.example NS": denied,
      "example NS": answers(ns("example", "ns9.host")),
      "ns9.host A": answers(a("ns9.host", "198.51.100.9")),
    });
    expect(await resolverOf([recursor]).nameServers("docs.shop.example")).toEqual(foundZone);
  });

  test("do not come from the SOA of a foreign zone", async () => {
    const recursor = await recursorThatKnows({
      ...zone,
      "docs.shop.example NS": no(soa("elsewhere")),
    });
    expect(await resolverOf([recursor]).nameServers("docs.shop.example")).toEqual(foundZone);
  });

  test("are those of the top-level domain for a name that nobody holds", async () => {
    const recursor = await recursorThatKnows({
      "unheld.example NS": no(soa("example")),
      "example NS": answers(ns("example", "ns1.host")),
      "ns1.host A": answers(a("ns1.host", "198.51.100.1")),
    });
    expect(await resolverOf([recursor]).nameServers("unheld.example")).toMatchObject({
      kind: "found",
      zone: "example",
    });
  });

  test("are none where the root denies the name", async () => {
    const root: Answer = { ...soa("x"), name: "." } as Answer;
    const recursor = await recursorThatKnows({ "shop.nowhere NS": no(root) });
    expect(await resolverOf([recursor]).nameServers("shop.nowhere")).toMatchObject({
      kind: "absent",
      reason: "nxdomain",
    });
    expect(recursor.heard).toHaveLength(1);
  });

  test("are not sought for ever", async () => {
    const recursor = await recursorThatKnows({});
    const deep = Array.from({ length: 100 }, () => "a").join(".");
    const found = await resolverOf([recursor]).nameServers(deep);
    expect(found).toMatchObject({ kind: "unreachable", reason: "timeout" });
    expect(recursor.heard.length).toBeLessThanOrEqual(16);
  });

  test("are not sought once the time is up", async () => {
    const asked: string[] = [];
    const look: Look = async (name) => {
      asked.push(name);
      const answer = { kind: "absent", reason: "nodata", records: [] } as const;
      return { answer: { ...answer, rememberedSeconds: undefined }, zone: undefined };
    };
    const found = await findZone("a.b.c.d", look, () => asked.length === 2);
    expect(found).toMatchObject({ kind: "unreachable", reason: "timeout" });
    expect(asked).toEqual(["a.b.c.d", "b.c.d"]);
  });

  test("are found above a CNAME behind which the recursor gets lost", async () => {
    const recursor = await recursorThatKnows({
      ...zone,
      "docs.shop.example NS": { rcode: rcode.servFail },
      "docs.shop.example CNAME": answers(cname("docs.shop.example", "docs.shop.example")),
    });
    expect(await resolverOf([recursor]).nameServers("docs.shop.example")).toEqual(foundZone);
  });

  test("are unknown while the recursor fails", async () => {
    const recursor = await recursorThatKnows({ "shop.example NS": { rcode: rcode.servFail } });
    expect(await resolverOf([recursor]).nameServers("shop.example")).toMatchObject({
      kind: "unreachable",
      reason: "servfail",
    });
  });
});

describe("the addresses of name servers", () => {
  const pub = { allowPrivateAddresses: false };

  test("leave out those that are not public", async () => {
    const recursor = await recursorThatKnows({
      ...zone,
      "ns1.host A": answers(a("ns1.host", "10.0.0.1"), a("ns1.host", "8.8.8.8")),
      "ns1.host AAAA": answers(aaaa("ns1.host", "::ffff:8.8.8.8"), aaaa("ns1.host", "fd00::1")),
      "ns2.host A": answers(a("ns2.host", "127.0.0.1")),
    });
    expect(await resolverOf([recursor], pub).nameServers("shop.example")).toEqual({
      kind: "found",
      zone: "shop.example",
      servers: [{ name: "ns1.host", address: "8.8.8.8" }],
    });
  });

  test("that are all private leave nobody to ask", async () => {
    const recursor = await recursorThatKnows(zone);
    expect(await resolverOf([recursor], pub).nameServers("shop.example")).toMatchObject({
      kind: "unreachable",
      reason: "forbidden_address",
    });
  });

  test("that do not exist make the zone lame", async () => {
    const recursor = await recursorThatKnows({ "shop.example NS": zone["shop.example NS"] });
    expect(await resolverOf([recursor]).nameServers("shop.example")).toEqual({
      kind: "unreachable",
      reason: "lame",
      detail: "No name server of shop.example has an address.",
    });
  });

  test("that could not be looked up are no sign of a lame zone", async () => {
    const recursor = await recursorThatKnows({
      "shop.example NS": zone["shop.example NS"],
      "ns2.host A": { rcode: rcode.servFail },
    });
    expect(await resolverOf([recursor]).nameServers("shop.example")).toMatchObject({
      kind: "unreachable",
      reason: "servfail",
    });
  });

  test("that are one for two names are asked once, under the first of the names", async () => {
    const recursor = await recursorThatKnows({
      "shop.example NS": answers(ns("shop.example", "ns2.host"), ns("shop.example", "ns1.host")),
      "ns1.host A": answers(a("ns1.host", "198.51.100.1")),
      "ns2.host A": answers(a("ns2.host", "198.51.100.1")),
    });
    expect(await resolverOf([recursor]).nameServers("shop.example")).toMatchObject({
      servers: [{ name: "ns1.host", address: "198.51.100.1" }],
    });
  });

  test("are at most 16 of at most 8 names, each once, and of every name at least one", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `ns${at}.host`);
    const known: Record<string, Contents> = {
      "shop.example NS": answers(...names.map((name) => ns("shop.example", name))),
    };
    for (const [at, name] of names.entries()) {
      const own = Array.from({ length: 5 }, (_, nth) => a(name, `198.51.${at}.${nth}`));
      known[`${name} A`] = answers(...own, a(name, "203.0.113.53"), a(name, "203.0.113.53"));
    }
    const recursor = await recursorThatKnows(known);
    const found = await resolverOf([recursor]).nameServers("shop.example");
    const servers = found.kind === "found" && "servers" in found ? found.servers : [];
    expect(servers).toHaveLength(16);
    expect(new Set(servers.map(({ address }) => address)).size).toBe(16);
    expect(new Set(servers.map(({ name }) => name))).toEqual(new Set(names.sort().slice(0, 8)));
  });
});
