/** The name server of the rehearsal, asked by resolvers that we did not write. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { promisify } from "node:util";
import { decode, encode } from "dns-packet";
import {
  type NameServer,
  respond,
  startNameServer,
} from "../../../scripts/rehearsal/nameServer.ts";
import { Zone, ZoneError, Zones } from "../../../scripts/rehearsal/zones.ts";
import { describeUnless } from "../../../testkit/describeUnless.ts";
import { findTool } from "../../../testkit/testBed/tools.ts";

let zone: Zone;
let zones: Zones;
let server: NameServer;

beforeAll(async () => {
  zone = new Zone("acme.test", "127.0.0.1");
  const platform = new Zone("platform.test", "127.0.0.1");
  platform.add({ name: "*.sites", type: "A", value: "127.0.0.1" });
  for (const [name, type, value] of [
    ["@", "A", "192.0.2.1"],
    ["@", "CAA", '0 issue "ca.platform.test"'],
    ["@", "CAA", '128 ISSUEWILD ";"'],
    ["docs", "CNAME", "x7.sites.platform.test."],
    ["six", "AAAA", "2001:DB8:0::7"],
    ["long", "TXT", "t".repeat(900)],
    ["b.empty", "TXT", '"quoted"'],
    ["*.wild", "A", "192.0.2.9"],
    ["host.wild", "A", "192.0.2.8"],
    ["alias", "ALIAS", "docs.acme.test"],
    ["alias", "TXT", "beside it"],
    ["again", "ALIAS", "alias.acme.test"],
    ["circle", "ALIAS", "round.acme.test"],
    ["round", "CNAME", "circle.acme.test"],
    ["one", "CNAME", "two.acme.test"],
    ["two", "CNAME", "one.acme.test"],
  ] as const) {
    zone.add({ name, type, value });
  }
  for (let last = 1; last <= 80; last++) {
    zone.add({ name: "many", type: "A", value: `192.0.2.${last}` });
  }
  zones = new Zones([new Zone(".", "127.0.0.1"), platform, zone]);
  server = await startNameServer(zones);
});
afterAll(() => server?.stop());

const kdig = findTool("kdig");
describeUnless(kdig ? undefined : "kdig is not installed", "asked by kdig", () => {
  async function ask(...words: string[]) {
    const args = [`@${server.address}`, "-p", String(server.port), "+noall", "+header", "+answer"];
    const { stdout } = await promisify(execFile)(kdig ?? "", [...args, "+authority", ...words]);
    const lines = stdout.split("\n").filter((line) => line !== "" && !line.startsWith(";"));
    return {
      text: stdout,
      status: /status: (\w+)/.exec(stdout)?.[1],
      flags: /Flags: ([a-z ]+);/.exec(stdout)?.[1]?.split(" "),
      records: lines.map((line) => line.trim().split(/\s+/).toSpliced(1, 2).join(" ")),
    };
  }

  test("it gives records with authority, and follows a CNAME as a recursor", async () => {
    const followed = await ask("docs.acme.test", "A");
    expect(followed.flags).toEqual(["qr", "aa", "rd", "ra"]);
    expect(followed.records).toEqual([
      "docs.acme.test. CNAME x7.sites.platform.test.",
      "x7.sites.platform.test. A 127.0.0.1",
    ]);
    const own = await ask("+norecurse", "docs.acme.test", "A");
    expect(own.flags).toEqual(["qr", "aa"]);
    expect(own.records).toEqual(["docs.acme.test. CNAME x7.sites.platform.test."]);
  });

  test("it knows every type that a zone has", async () => {
    expect((await ask("six.acme.test", "AAAA")).records).toEqual([
      "six.acme.test. AAAA 2001:db8::7",
    ]);
    expect((await ask("acme.test", "CAA")).records).toEqual([
      'acme.test. CAA 0 issue "ca.platform.test"',
      'acme.test. CAA 128 issuewild ";"',
    ]);
    expect((await ask("acme.test", "NS")).records).toEqual(["acme.test. NS ns1.acme.test."]);
    expect((await ask("ns1.acme.test", "A")).records).toEqual(["ns1.acme.test. A 127.0.0.1"]);
    expect((await ask("acme.test", "SOA")).records[0]).toMatch(/^acme\.test\. SOA ns1\.acme\.test/);
    const [text = ""] = (await ask("long.acme.test", "TXT")).records;
    expect(text.replaceAll(/[" ]/g, "")).toBe(`long.acme.test.TXT${"t".repeat(900)}`);
  });

  test("it tells a name without records from a name that does not exist", async () => {
    for (const [name, type, status, soa] of [
      ["acme.test", "AAAA", "NOERROR", "acme.test."],
      ["empty.acme.test", "A", "NOERROR", "acme.test."],
      ["nobody.acme.test", "A", "NXDOMAIN", "acme.test."],
      ["below.many.acme.test", "A", "NXDOMAIN", "acme.test."],
      ["acme.test", "TYPE65280", "NOERROR", "acme.test."],
      ["test", "NS", "NOERROR", "."],
      ["example.com", "A", "NXDOMAIN", "."],
    ] as const) {
      const { records, ...answer } = await ask(name, type);
      expect({ name, status: answer.status }).toEqual({ name, status });
      expect(records).toHaveLength(1);
      expect(records[0]).toStartWith(`${soa} SOA `);
    }
  });

  test("a wildcard stands for names that are not there, and for no others", async () => {
    expect((await ask("a.b.wild.acme.test", "A")).records).toEqual([
      "a.b.wild.acme.test. A 192.0.2.9",
    ]);
    expect((await ask("any.wild.acme.test", "TXT")).status).toBe("NOERROR");
    expect((await ask("below.host.wild.acme.test", "A")).status).toBe("NXDOMAIN");
    expect((await ask("wild.acme.test", "A")).records[0]).toStartWith("acme.test. SOA");
  });

  test("an ALIAS has the addresses of where it leads to, and is no record itself", async () => {
    expect((await ask("+norecurse", "alias.acme.test", "A")).records).toEqual([
      "alias.acme.test. A 127.0.0.1",
    ]);
    expect((await ask("alias.acme.test", "TXT")).records).toEqual([
      'alias.acme.test. TXT "beside it"',
    ]);
    for (const [name, type] of [
      ["alias", "AAAA"],
      ["alias", "CNAME"],
      ["again", "A"],
      ["circle", "A"],
    ] as const) {
      expect((await ask(`${name}.acme.test`, type)).records[0]).toStartWith("acme.test. SOA");
    }
  });

  test("a CNAME loop ends", async () => {
    expect((await ask("one.acme.test", "A")).records).toEqual([
      "one.acme.test. CNAME two.acme.test.",
      "two.acme.test. CNAME one.acme.test.",
    ]);
  });

  test("what does not fit into a datagram comes over TCP", async () => {
    const cut = await ask("+ignore", "+noedns", "many.acme.test", "A");
    expect(cut.flags).toContain("tc");
    expect(cut.records).toEqual([]);
    expect((await ask("many.acme.test", "A")).records).toHaveLength(80);
  });

  test("a class that it does not have is refused", async () => {
    expect((await ask("-c", "CH", "version.bind", "TXT")).status).toBe("REFUSED");
  });

  test("it speaks EDNS with those who do", async () => {
    const answer = await ask("+opt", "+edns", "acme.test", "A");
    expect(answer.text).toMatch(/Version: 0; flags: ; UDP size: 1232 B/);
    expect((await ask("+opt", "+noedns", "acme.test", "A")).text).not.toContain("UDP size");
  });
});

test("the case of a name does not matter, and comes back as it was sent", () => {
  const questions = [{ name: "DoCs.AcMe.TeSt", type: "CNAME" }] as const;
  const response = respond(zones, encode({ type: "query", questions: [...questions] }), "udp");
  const { questions: repeated, answers } = decode(response ?? Buffer.alloc(0));
  expect(repeated?.[0]?.name).toBe("DoCs.AcMe.TeSt");
  expect(answers).toHaveLength(1);
});

test("it is a server to the resolver of the runtime", async () => {
  const resolver = new Resolver();
  resolver.setServers([`${server.address}:${server.port}`]);
  expect(await resolver.resolve4("docs.acme.test")).toEqual(["127.0.0.1"]);
  expect(await resolver.resolveCname("docs.acme.test")).toEqual(["x7.sites.platform.test"]);
  expect(await resolver.resolveTxt("b.empty.acme.test")).toEqual([["quoted"]]);
  expect((await resolver.resolve4("many.acme.test")).length).toBe(80);
  await expect(resolver.resolve4("nobody.acme.test")).rejects.toMatchObject({ code: "ENOTFOUND" });
});

test("what is no query, or another kind of one, does not disturb it", () => {
  const query = encode({ id: 7, type: "query", questions: [{ name: "acme.test", type: "A" }] });
  expect(respond(zones, query.subarray(0, 11), "udp")).toBeUndefined();
  expect(respond(zones, encode({ type: "response" }), "udp")).toBeUndefined();
  const answerTo = (bytes: Buffer) => decode(respond(zones, bytes, "udp") ?? Buffer.alloc(0));
  expect(answerTo(query.subarray(0, 20))).toMatchObject({ id: 7, rcode: "FORMERR" });
  const status = Buffer.from(query);
  status[2] = 2 << 3;
  expect(answerTo(status)).toMatchObject({ id: 7, opcode: "STATUS", rcode: "NOTIMP" });
});

describe("a change of the zone", () => {
  const refusal = (name: string, type: string, value: string): string => {
    try {
      zone.add({ name, type, value });
    } catch (cause) {
      if (cause instanceof ZoneError) return cause.message;
      throw cause;
    }
    return "";
  };

  test("is seen at once, and makes another serial", () => {
    const serial = () => (zone.soa().data as { serial: number }).serial;
    const before = serial();
    const added = zone.add({ name: "new.acme.test.", type: "a", value: " 192.0.2.3 " });
    expect(zones.answer({ name: "new.acme.test", type: "A" }, false).answers).toHaveLength(1);
    zone.delete(added.id);
    expect(zones.answer({ name: "new.acme.test", type: "A" }, false).rcode).toBe("NXDOMAIN");
    expect(serial()).toBe(before + 2);
    expect(() => zone.delete(added.id)).toThrow(ZoneError);
  });

  test("is refused where it is no record, with an example of one", () => {
    const before = zone.records;
    expect(refusal("x", "A", "300.1.1.1")).toContain("192.0.2.7");
    expect(refusal("x", "AAAA", "192.0.2.7")).toContain("2001:db8::7");
    expect(refusal("x", "CNAME", "https://sites.example.com/")).toContain("sites.example.com");
    expect(refusal("x", "CAA", "issue ca.example.com")).toContain('0 issue "ca.example.com"');
    expect(refusal("x", "CAA", "999 issue ca.example.com")).toContain("CAA");
    expect(refusal("x", "TXT", "")).toContain("a text");
    expect(refusal("x", "MX", "10 mail")).toContain("A, AAAA, ALIAS, CNAME, TXT, CAA");
    expect(refusal("a b", "A", "192.0.2.1")).toContain("no name");
    expect(refusal("ns1", "A", "192.0.2.1")).toContain("name server");
    expect(refusal("docs", "A", "192.0.2.1")).toContain("CNAME x7.sites.platform.test");
    expect(refusal("@", "CNAME", "x7.sites.platform.test")).toContain("apex");
    expect(refusal("@", "A", "192.0.2.1")).toContain("already");
    expect(zone.records).toEqual(before);
  });

  test("a CNAME cannot be created beside other records, nor they beside it", () => {
    expect(refusal("six", "CNAME", "x7.sites.platform.test")).toContain("AAAA 2001:db8::7");
    expect(refusal("docs", "TXT", "x")).toContain("Delete that one first");
    expect(refusal("alias", "A", "192.0.2.1")).toContain("an ALIAS cannot stand beside it");
    expect(refusal("@", "ALIAS", "docs.acme.test")).toContain("A 192.0.2.1");
  });
});
