import { describe, expect, test } from "bun:test";
import { answersOf, observe, type Question } from "../../src/hosting/domains/observation.ts";
import { verify } from "../../src/hosting/domains/verification.ts";
import {
  addressed,
  agreed,
  apexHost,
  found,
  host,
  nodata,
  ns1,
  nxdomain,
  ours,
  record,
  target,
  targetAddresses,
  unreachable,
  zoneOf,
} from "./answers.ts";
import { type Script, ScriptedResolver } from "./scriptedResolver.ts";

const unused = "unused-1.example.com";
const question: Question = {
  host,
  target,
  proofName: undefined,
  unusedLabel: "unused-1",
};
const apexQuestion: Question = { ...question, host: apexHost };
const zone = { [`ns ${host}`]: zoneOf("example.com") };
/** There is no wildcard beside the host. */
const alone = {
  [`${unused} CNAME @ns1.example.net`]: nxdomain(60),
  [`${unused} A @ns1.example.net`]: nxdomain(60),
  [`${unused} AAAA @ns1.example.net`]: nxdomain(60),
};
const cname = (value: string, name = host) => found(record(name, "CNAME", value));

/** Asks exactly what the script expects: nothing else, and nothing of it not. */
async function observeBy(script: Script, asking: Question = question) {
  const resolver = new ScriptedResolver(script);
  const observation = await observe(asking, resolver);
  expect(resolver.unasked).toEqual([]);
  return { observation, asked: resolver.asked };
}

describe("what is asked of DNS for a subdomain", () => {
  test("that is right: each server and the recursor", async () => {
    const { observation, asked } = await observeBy({
      ...zone,
      [`${host} CNAME @`]: cname(target),
      [`${host} CNAME`]: cname(target),
    });
    expect(asked).toHaveLength(4);
    expect(observation).toMatchObject({ chain: [], target: undefined, sibling: undefined });
    expect(observation.authorities.map(({ server }) => server.name)).toEqual([
      "ns1.example.net",
      "ns2.example.net",
    ]);
  });

  test("that does not exist: addresses too, but neither a sibling nor a chain", async () => {
    const { observation, asked } = await observeBy({
      ...zone,
      [`${host} CNAME @`]: nxdomain(60),
      [`${host} A @`]: nxdomain(60),
      [`${host} AAAA @`]: nxdomain(60),
      [`${host} CNAME`]: nxdomain(60),
      [`${host} A`]: nxdomain(60),
      [`${host} AAAA`]: nxdomain(60),
    });
    expect(asked).toHaveLength(10);
    expect(observation.sibling).toBeUndefined();
  });

  test("with addresses: a sibling of the server that has them", async () => {
    const address = (name: string) => found(record(name, "A", "203.0.113.5"));
    const { observation } = await observeBy({
      ...zone,
      [`${host} CNAME @`]: nodata(60),
      [`${host} A @ns1.example.net`]: nodata(60),
      [`${host} A @ns2.example.net`]: address(host),
      [`${host} AAAA @`]: nodata(60),
      [`${host} CNAME`]: nodata(60),
      [`${host} A`]: address(host),
      [`${host} AAAA`]: nodata(60),
      [`${unused} CNAME @ns2.example.net`]: nodata(60),
      [`${unused} A @ns2.example.net`]: address(unused),
      [`${unused} AAAA @ns2.example.net`]: nodata(60),
    });
    const { findings } = verify(observation, { ...question, proof: undefined });
    expect(findings.map(({ code }) => code)).toContain("WILDCARD_MATCH");
  });

  test("whose servers fail: nothing more of them, for silence is not strange", async () => {
    const { observation, asked } = await observeBy({
      ...zone,
      [`${host} CNAME @`]: unreachable("timeout"),
      [`${host} CNAME`]: unreachable(),
    });
    expect(asked).toHaveLength(4);
    expect(observation.authorities.map(({ a }) => a)).toEqual([undefined, undefined]);
  });

  for (const nameServers of [nxdomain(60), unreachable("lame")]) {
    test(`whose name servers are ${nameServers.kind}: only the recursor`, async () => {
      const { observation } = await observeBy({
        [`ns ${host}`]: nameServers,
        [`${host} CNAME`]: unreachable(),
      });
      expect(observation).toMatchObject({ nameServers, authorities: [] });
    });
  }

  test("without a proof, for the CNAME is one", async () => {
    const script = {
      ...zone,
      [`${host} CNAME @`]: cname(target),
      [`${host} CNAME`]: cname(target),
    };
    const asking = { ...question, proofName: `_petstore-proof.${host}` };
    expect((await observeBy(script, asking)).observation.proofs).toEqual([]);
  });
});

describe("the way that a CNAME leads", () => {
  const elsewhere = {
    ...zone,
    ...alone,
    [`${host} CNAME @`]: cname("a.example"),
    [`${host} CNAME`]: cname("a.example"),
  };

  test("is followed to the target and no further", async () => {
    const { observation } = await observeBy({
      ...elsewhere,
      "a.example CNAME": cname("b.example", "a.example"),
      "b.example CNAME": cname(target, "b.example"),
    });
    expect(observation.chain).toEqual([host, "a.example", "b.example", target]);
  });

  test("ends where there is no further CNAME, or no answer", async () => {
    for (const end of [nodata(60), nxdomain(60), unreachable()]) {
      const { observation } = await observeBy({ ...elsewhere, "a.example CNAME": end });
      expect(observation.chain).toEqual([host, "a.example"]);
    }
  });

  test("ends where it comes back to itself", async () => {
    const back = await observeBy({ ...elsewhere, "a.example CNAME": cname(host, "a.example") });
    expect(back.observation.chain).toEqual([host, "a.example", host]);
    const self = await observeBy({
      ...elsewhere,
      "a.example CNAME": cname("a.example", "a.example"),
    });
    expect(self.observation.chain).toEqual([host, "a.example", "a.example"]);
  });

  test("is given up after 16 names", async () => {
    const links = Array.from({ length: 30 }, (_, index) => `n${index}.example`);
    const script = Object.fromEntries(
      links
        .slice(0, 14)
        .map((name, index) => [`${name} CNAME`, cname(links[index + 1] ?? "", name)]),
    );
    const first = { [`${host} CNAME @`]: cname("n0.example") };
    const { observation } = await observeBy({ ...elsewhere, ...first, ...script });
    expect(observation.chain).toHaveLength(16);
  });

  test("that only one server shows is followed too", async () => {
    const { observation } = await observeBy({
      ...elsewhere,
      [`${host} CNAME @`]: cname(target),
      [`${host} CNAME @ns1.example.net`]: cname("a.example"),
      "a.example CNAME": nodata(60),
    });
    expect(observation.chain).toEqual([host, "a.example"]);
  });
});

describe("what is asked of DNS for an apex", () => {
  const address = found(record(apexHost, "A", ours.a));
  const script = {
    [`ns ${apexHost}`]: zoneOf(apexHost, [ns1]),
    [`${apexHost} CNAME @`]: nodata(60),
    [`${apexHost} A @`]: address,
    [`${apexHost} AAAA @`]: nodata(60),
    [`${apexHost} CNAME`]: nodata(60),
    [`${apexHost} A`]: address,
    [`${apexHost} AAAA`]: nodata(60),
    [`${target} A`]: found(record(target, "A", ours.a)),
    [`${target} AAAA`]: nodata(60),
  };

  test("are its addresses and the target's, and no sibling beside it in the suffix", async () => {
    const { observation } = await observeBy(script, apexQuestion);
    expect(verify(observation, { ...apexQuestion, proof: undefined }).kind).toBe("right");
  });

  test("is the proof, where one is needed: the TXT record of each server, not of the recursor", async () => {
    const proofName = `_petstore-proof.${apexHost}`;
    const txt = found(record(proofName, "TXT", "x"));
    const asking = { ...apexQuestion, proofName };
    const { observation } = await observeBy({ ...script, [`${proofName} TXT @`]: txt }, asking);
    expect(observation.proofs).toEqual([txt]);
  });

  test("also where the apex is that of a zone below what was registered", async () => {
    const renamed = Object.fromEntries(
      Object.entries(script).map(([key, value]) => [
        key.replace(/(^|ns )example\.com/, `$1${host}`),
        value,
      ]),
    );
    const { observation } = await observeBy({ ...renamed, [`ns ${host}`]: zoneOf(host, [ns1]) });
    expect(observation.target?.a.kind).toBe("found");
    expect(observation.sibling).toBeUndefined();
  });
});

test("the answers are told line by line, as they came, at most 100", async () => {
  const { observation } = await observeBy({
    ...zone,
    [`${host} CNAME @ns1.example.net`]: cname(target),
    [`${host} CNAME @ns2.example.net`]: unreachable("timeout", "no answer within 2 s"),
    [`${host} CNAME`]: nxdomain(899),
    [`${host} A`]: nxdomain(),
    [`${host} AAAA`]: found(record(host, "AAAA", "2001:db8::5", 9)),
  });
  expect(answersOf(observation)).toEqual([
    `ns1.example.net (198.51.100.1) CNAME: ${host} 3600 CNAME ${target}`,
    "ns2.example.net (198.51.100.2) CNAME: timeout (no answer within 2 s)",
    "recursor CNAME: nxdomain, remembered 899 s",
    "recursor A: nxdomain",
    `recursor AAAA: ${host} 9 AAAA 2001:db8::5`,
  ]);
  const crowd = Array.from({ length: 60 }, () => observation.authorities[0]);
  const many = { ...observation, authorities: crowd.filter((each) => each !== undefined) };
  expect(
    answersOf({ ...many, authorities: [...many.authorities, ...many.authorities] }),
  ).toHaveLength(100);
  expect(answersOf({ ...observation, nameServers: unreachable(), authorities: [] })[0]).toBe(
    "name servers: servfail (it said servfail)",
  );
});

test("an answer of whatever length is told in 300 characters", () => {
  const crowd = Array.from({ length: 1_000 }, (_, n) => `203.0.${n >> 8}.${n & 255}`);
  const lines = answersOf(agreed(addressed(crowd)));
  expect(Math.max(...lines.map(({ length }) => length))).toBe(301);
  expect(lines.filter((line) => line.endsWith("…"))).toHaveLength(3);
  expect(lines.every((line) => line.length <= 300 || line.endsWith("…"))).toBe(true);
});

describe("the zone of a name", () => {
  const silence = Object.fromEntries(
    ["CNAME", "A", "AAAA"].flatMap((type) => [
      [`acme.uk.com ${type} @`, nxdomain(60)],
      [`acme.uk.com ${type}`, nxdomain(60)],
    ]),
  );
  const suffixed: Question = { ...question, host: "acme.uk.com" };
  const targetAsked = { [`${target} A`]: nodata(60), [`${target} AAAA`]: nodata(60) };

  test("is what DNS says where it delegates a name below what was registered", async () => {
    const script = {
      [`ns ${host}`]: zoneOf(host, [ns1]),
      [`${host} CNAME @`]: nodata(60),
      [`${host} A @`]: found(record(host, "A", ours.a)),
      [`${host} AAAA @`]: nodata(60),
      [`${host} CNAME`]: nodata(60),
      [`${host} A`]: found(record(host, "A", ours.a)),
      [`${host} AAAA`]: nodata(60),
      [`${target} A`]: found(record(target, "A", ours.a)),
      [`${target} AAAA`]: nodata(60),
    };
    const { observation } = await observeBy(script);
    const verdict = verify(observation, { host, target, proof: undefined });
    expect(verdict).toMatchObject({ kind: "right", zone: host });
  });

  test("is that of a provider where the name is a record in it, as a CNAME may be", async () => {
    const script = {
      "ns acme.uk.com": zoneOf("uk.com", [ns1]),
      "acme.uk.com CNAME @": cname(target, "acme.uk.com"),
      "acme.uk.com CNAME": cname(target, "acme.uk.com"),
    };
    const { observation } = await observeBy(script, suffixed);
    const asked = { host: "acme.uk.com", target, proof: undefined };
    expect(verify(observation, asked)).toMatchObject({ kind: "right", zone: "uk.com" });
  });

  test("is what was likely while the name is not registered, which is what is told", async () => {
    const script = { "ns acme.uk.com": zoneOf("uk.com", [ns1]), ...silence, ...targetAsked };
    const { observation } = await observeBy(script, suffixed);
    const asked = { host: "acme.uk.com", target, proof: undefined };
    const verdict = verify({ ...observation, target: targetAddresses }, asked);
    expect(verdict).toMatchObject({ kind: "wrong", zone: "acme.uk.com" });
    expect(verdict.findings[0]).toMatchObject({
      code: "NXDOMAIN",
      message: expect.stringContaining("acme.uk.com itself is not in DNS"),
      expected: [`ALIAS ${target}`],
    });
  });

  test("is not known while no name server can be found", async () => {
    const script = { "ns acme.uk.com": unreachable("timeout"), ...silence, ...targetAsked };
    const lookUps = Object.entries(script).filter(([line]) => !line.endsWith("@"));
    const { observation } = await observeBy(Object.fromEntries(lookUps), suffixed);
    const asked = { host: "acme.uk.com", target, proof: undefined };
    expect(verify(observation, asked).zone).toBeUndefined();
  });
});
