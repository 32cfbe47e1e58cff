import { describe, expect, test } from "bun:test";
import { checkCaa } from "../../src/hosting/domains/caa.ts";
import type { DnsRecord } from "../../src/hosting/domains/resolver.ts";
import { found, host, nodata, ns1, ns2, nxdomain, record, unreachable, zoneOf } from "./answers.ts";
import { type Script, ScriptedResolver } from "./scriptedResolver.ts";

const identities = ["ca.example", "ca-two.example"];

function caa(tag: string, value: string, critical = false, name = host): DnsRecord {
  return { ...record(name, "CAA", value), caa: { critical, tag } };
}

const none = nodata(60);
/** No CAA anywhere, from the host to the top. */
const empty: Script = {
  [`ns ${host}`]: zoneOf("example.com", [ns1]),
  [`${host} CAA @`]: none,
  "example.com CAA @": none,
  "ns com": zoneOf("com", [ns2]),
  "com CAA @": none,
};
/** The climb up to a name and no further: the rest must not be asked for. */
const atHost = (...records: DnsRecord[]): Script => ({
  [`ns ${host}`]: zoneOf("example.com", [ns1]),
  [`${host} CAA @`]: found(...records),
});

async function judgeBy(script: Script) {
  const resolver = new ScriptedResolver(script);
  const verdict = await checkCaa(host, identities, resolver);
  expect(resolver.unasked).toEqual([]);
  return verdict;
}

describe("the climb for CAA records", () => {
  test("finds none from the host to the top: permitted", async () => {
    expect(await judgeBy(empty)).toEqual({ kind: "permitted" });
  });

  test("stops at the first name that has any", async () => {
    expect(await judgeBy(atHost(caa("issue", "ca.example")))).toEqual({ kind: "permitted" });
    expect(await judgeBy(atHost(caa("issue", "other.example")))).toMatchObject({ kind: "blocked" });
  });

  test("is blocked by the parent where the host has none, and names the parent", async () => {
    const verdict = await judgeBy({
      [`ns ${host}`]: zoneOf("example.com", [ns1]),
      [`${host} CAA @`]: none,
      "example.com CAA @": found(caa("issue", "other.example", false, "example.com")),
    });
    expect(verdict).toMatchObject({
      kind: "blocked",
      finding: {
        code: "CAA_BLOCKS",
        found: ['example.com CAA 0 issue "other.example"'],
        expected: ['example.com CAA 0 issue "ca.example"'],
        next: expect.stringContaining('Add this record at example.com: CAA 0 issue "ca.example"'),
      },
    });
  });

  test("asks the parent's own servers where the host is a zone of its own", async () => {
    const verdict = await judgeBy({
      [`ns ${host}`]: zoneOf(host, [ns2]),
      [`${host} CAA @ns2.example.net`]: none,
      "ns example.com": zoneOf("example.com", [ns1]),
      "example.com CAA @ns1.example.net": found(caa("issue", ";", false, "example.com")),
    });
    expect(verdict.kind).toBe("blocked");
  });

  test("goes on at a name that does not exist", async () => {
    expect(await judgeBy({ ...empty, [`${host} CAA @`]: nxdomain(60) })).toEqual({
      kind: "permitted",
    });
  });

  test("asks the next server where one fails", async () => {
    const verdict = await judgeBy({
      [`ns ${host}`]: zoneOf("example.com", [ns1, ns2]),
      [`${host} CAA @ns1.example.net`]: unreachable("timeout"),
      [`${host} CAA @ns2.example.net`]: found(caa("issue", "ca.example")),
    });
    expect(verdict.kind).toBe("permitted");
  });
});

describe("a CNAME on the climb", () => {
  const alias = record(host, "CNAME", "sites.petstore.example");

  test("leads to the records of its target, which decide", async () => {
    const verdict = await judgeBy({
      [`ns ${host}`]: zoneOf("example.com", [ns1]),
      [`${host} CAA @ns1.example.net`]: nodata(60, alias),
      "ns sites.petstore.example": zoneOf("petstore.example", [ns2]),
      "sites.petstore.example CAA @ns2.example.net": found(
        caa("issue", "other.example", false, "sites.petstore.example"),
      ),
    });
    expect(verdict).toMatchObject({
      kind: "blocked",
      finding: { expected: ['sites.petstore.example CAA 0 issue "ca.example"'] },
    });
  });

  test("whose target has none lets the climb go on from the host, not from the target", async () => {
    const verdict = await judgeBy({
      [`ns ${host}`]: zoneOf("example.com", [ns1]),
      [`${host} CAA @`]: nodata(60, alias),
      "ns sites.petstore.example": zoneOf("petstore.example", [ns2]),
      "sites.petstore.example CAA @ns2.example.net": none,
      "example.com CAA @": found(caa("issue", ";", false, "example.com")),
    });
    expect(verdict.kind).toBe("blocked");
  });

  test("that leads in a circle is given up, and is no permission", async () => {
    const verdict = await judgeBy({
      [`ns ${host}`]: zoneOf("example.com", [ns1]),
      [`${host} CAA @`]: nodata(60, record(host, "CNAME", host)),
    });
    expect(verdict).toMatchObject({ kind: "unknown", finding: { code: "CAA_LOOKUP_FAILED" } });
  });

  test("whose target's servers fail leaves it unknown", async () => {
    const verdict = await judgeBy({
      [`ns ${host}`]: zoneOf("example.com", [ns1]),
      [`${host} CAA @`]: nodata(60, alias),
      "ns sites.petstore.example": unreachable("timeout"),
    });
    expect(verdict.kind).toBe("unknown");
  });
});

describe("what CAA records say", () => {
  const cases: readonly [what: string, records: readonly DnsRecord[], kind: string][] = [
    ["our authority", [caa("issue", "ca.example")], "permitted"],
    ["our authority by its other name", [caa("issue", "ca-two.example")], "permitted"],
    ["our authority in capitals", [caa("issue", "CA.Example")], "permitted"],
    [
      "our authority among others",
      [caa("issue", "x.example"), caa("issue", "ca.example")],
      "permitted",
    ],
    ["our authority beside nobody", [caa("issue", ";"), caa("issue", "ca.example")], "permitted"],
    ["another authority", [caa("issue", "other.example")], "blocked"],
    ["a longer name than ours", [caa("issue", "ca.example.org")], "blocked"],
    ["a name that ends as ours", [caa("issue", "my-ca.example")], "blocked"],
    ["nobody", [caa("issue", ";")], "blocked"],
    ["nobody, with nothing at all", [caa("issue", "")], "blocked"],
    ["nobody for wildcards", [caa("issuewild", ";")], "permitted"],
    ["us for wildcards alone", [caa("issue", ";"), caa("issuewild", "ca.example")], "blocked"],
    ["only whom to tell", [caa("iodef", "mailto:someone@example.com")], "permitted"],
    ["an unknown tag", [caa("future", "x")], "permitted"],
    ["an unknown tag that is critical", [caa("future", "x", true)], "blocked"],
    [
      "an unknown critical tag beside us",
      [caa("issue", "ca.example"), caa("future", "x", true)],
      "blocked",
    ],
    ["us, critically", [caa("issue", "ca.example", true)], "permitted"],
    ["us by http-01", [caa("issue", "ca.example; validationmethods=http-01")], "permitted"],
    [
      "us by two methods",
      [caa("issue", "ca.example;validationmethods=dns-01,http-01")],
      "permitted",
    ],
    ["us by dns-01 alone", [caa("issue", "ca.example; validationmethods=dns-01")], "blocked"],
    ["us with another parameter", [caa("issue", "ca.example; policy=ev")], "permitted"],
    [
      "us within spaces",
      [caa("issue", "  ca.example  ;  validationmethods = http-01 ")],
      "permitted",
    ],
  ];
  for (const [what, records, kind] of cases) {
    test(`${what}: ${kind}`, async () => {
      const verdict = await judgeBy(atHost(...records));
      expect(verdict.kind as string).toBe(kind);
      if (verdict.kind === "permitted") return;
      expect(verdict.finding.found).toHaveLength(records.length);
      expect(verdict.finding.next).toMatch(/^(Add|Remove) /);
    });
  }

  test("an unknown critical tag is named with its flag", async () => {
    const verdict = await judgeBy(atHost(caa("future", "x", true)));
    expect(verdict).toMatchObject({
      finding: {
        found: [`${host} CAA 128 future "x"`],
        message: expect.stringContaining('"future"'),
        next: expect.stringContaining("0 in place of 128"),
      },
    });
  });
});

test("signatures that do not verify are told as such", async () => {
  const verdict = await judgeBy({ [`ns ${host}`]: unreachable("bogus", "It is bogus.") });
  expect(verdict).toMatchObject({ kind: "unknown", finding: { code: "DNSSEC_BROKEN" } });
});

describe("a look-up that fails", () => {
  const failing: readonly [where: string, script: Script][] = [
    ["at the host", { [`${host} CAA @`]: unreachable("timeout", "it was slow") }],
    ["at what was registered", { [`${host} CAA @`]: none, "example.com CAA @": unreachable() }],
  ];
  for (const [where, script] of failing) {
    test(`${where} is no permission`, async () => {
      const zone = { [`ns ${host}`]: zoneOf("example.com", [ns1]) };
      expect(await judgeBy({ ...zone, ...script })).toMatchObject({
        kind: "unknown",
        finding: { code: "CAA_LOOKUP_FAILED", next: expect.stringContaining("DNS provider") },
      });
    });
  }

  test("for the name servers of the host is no permission", async () => {
    expect((await judgeBy({ [`ns ${host}`]: unreachable() })).kind).toBe("unknown");
  });

  test("for want of any name server is no permission", async () => {
    expect((await judgeBy({ [`ns ${host}`]: zoneOf("example.com", []) })).kind).toBe("unknown");
  });

  test("above what was registered changes nothing", async () => {
    expect(await judgeBy({ ...empty, "com CAA @": unreachable() })).toEqual({ kind: "permitted" });
  });
});
