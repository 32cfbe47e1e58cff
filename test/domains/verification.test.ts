import { describe, expect, test } from "bun:test";
import {
  addressed,
  agreed,
  found,
  host,
  missing,
  nodata,
  ns1,
  ns1Words,
  ns2Words,
  nxdomain,
  observed,
  ours,
  pointing,
  record,
  servers,
  silent,
  target,
  unreachable,
  zoneOf,
} from "./answers.ts";
import { codesOf, judged, summary } from "./judged.ts";

describe("a subdomain", () => {
  test("whose name servers and recursor all have the CNAME is right, with nothing to tell", () => {
    expect(judged(observed())).toEqual({
      kind: "right",
      findings: [],
      zone: "example.com",
    });
  });

  test("that does not exist is told how long resolvers may remember that", () => {
    const verdict = judged(agreed(missing(900)));
    expect(summary(verdict)).toEqual(["wrong", "NXDOMAIN"]);
    expect(verdict.findings[0]).toMatchObject({
      expected: [`CNAME ${target}`],
      seconds: 900,
      at: [ns1Words, ns2Words],
      message: "There is no such name as docs.example.com in DNS.",
      next: expect.stringContaining(target),
    });
  });

  test("that does not exist, by a server that sends no SOA, is told of no time", () => {
    const [finding] = judged(agreed(missing())).findings;
    expect(finding).not.toHaveProperty("seconds");
    expect(finding?.message).not.toContain("seconds");
  });

  test("whose whole zone does not exist is told so without asking any further", () => {
    const observation = observed({ nameServers: nxdomain(60), authorities: [] });
    const verdict = judged({ ...observation, recursor: missing(60) });
    expect(summary(verdict)).toEqual(["wrong", "NXDOMAIN"]);
  });

  for (const zone of ["com", ""]) {
    test(`of a domain that is not registered, says the zone "${zone}", is told that first`, () => {
      const verdict = judged(agreed(missing(900), { nameServers: zoneOf(zone) }));
      expect(summary(verdict)).toEqual(["wrong", "NXDOMAIN"]);
      expect(verdict.findings[0]).toMatchObject({
        message: expect.stringMatching(/^example\.com itself is not in DNS: it is not registered/),
        next: "Check the spelling of example.com, and its registration.",
      });
    });
  }

  test("that exists without any record of ours is told to create the CNAME", () => {
    const verdict = judged(agreed(addressed([])));
    expect(summary(verdict)).toEqual(["wrong", "NO_CNAME"]);
    expect(verdict.findings[0]).toMatchObject({ seconds: 60, expected: [`CNAME ${target}`] });
  });

  test("with another CNAME is told what was found and what is expected", () => {
    const elsewhere = pointing("old.host.example");
    const verdict = judged(agreed(elsewhere, { chain: [host, "old.host.example"] }));
    expect(summary(verdict)).toEqual(["wrong", "CNAME_MISMATCH"]);
    expect(verdict.findings[0]).toMatchObject({
      found: ["CNAME old.host.example"],
      expected: [`CNAME ${target}`],
      next: `Change its value to ${target}.`,
    });
  });

  for (const almost of [`x${target}`, `x.${target}`, "sites.petstore.exampl", "petstore.example"]) {
    test(`with a CNAME that is almost right, ${almost}, is wrong: it must match exactly`, () => {
      const verdict = judged(agreed(pointing(almost), { chain: [host, almost] }));
      expect(summary(verdict)).toEqual(["wrong", "CNAME_MISMATCH"]);
    });
  }

  test("with two CNAMEs, of which one is right, is wrong", () => {
    const two = found(record(host, "CNAME", target), record(host, "CNAME", "b.example"));
    const view = { cname: two, a: undefined, aaaa: undefined };
    const verdict = judged(agreed(view, { chain: [host, "b.example"] }));
    expect(summary(verdict)).toEqual(["wrong", "CNAME_MISMATCH"]);
    expect(verdict.findings[0]?.found).toEqual([`CNAME ${target}`, "CNAME b.example"]);
  });

  test("whose value was lengthened by the zone is told of the missing dot", () => {
    const value = `${target}.example.com`;
    const verdict = judged(agreed(pointing(value), { chain: [host, value] }));
    expect(summary(verdict)).toEqual(["wrong", "CNAME_SUFFIXED"]);
    expect(verdict.findings[0]).toMatchObject({
      found: [`CNAME ${value}`],
      message: expect.stringContaining("the provider added example.com"),
      next: `End the value with a dot: ${target}.`,
    });
  });

  test("whose value was lengthened by something else is told to replace it", () => {
    const value = `${target}.cdn.example`;
    const verdict = judged(agreed(pointing(value), { chain: [host, value] }));
    expect(summary(verdict)).toEqual(["wrong", "CNAME_SUFFIXED"]);
    expect(verdict.findings[0]?.next).toMatch(new RegExp(`^Change the value to ${target}`));
  });

  test("that reaches the target by way of another name is told of that name", () => {
    const chain = [host, "a.example", "b.example", target];
    const verdict = judged(agreed(pointing("a.example"), { chain }));
    expect(summary(verdict)).toEqual(["wrong", "CNAME_CHAINED"]);
    expect(verdict.findings[0]?.message).toContain("through a.example and b.example");
  });

  for (const chain of [
    [host, host],
    [host, "a.example", host],
    [host, "a.example", "b.example", "a.example"],
  ]) {
    test(`that leads in a circle is told of it: ${chain.join(" to ")}`, () => {
      const verdict = judged(agreed(pointing(chain[1] as string), { chain }));
      expect(summary(verdict)).toEqual(["wrong", "CNAME_LOOP"]);
      expect(verdict.findings[0]?.message).toContain(chain.join(" to "));
    });
  }

  test("is judged by where its own value leads, not by where another server's does", () => {
    const authorities = servers(pointing("a.example"), pointing("b.example"));
    const verdict = judged(observed({ authorities, chain: [host, "a.example", target] }));
    expect(summary(verdict)).toEqual(["wrong", "CNAME_CHAINED", "CNAME_MISMATCH"]);
    expect(verdict.findings.map(({ at }) => at)).toEqual([[ns1Words], [ns2Words]]);
  });

  for (const [what, addresses, codes] of [
    ["an A record", ["203.0.113.5"], ["CONFLICTING_A"]],
    ["an AAAA record", ["2001:db8:5::1"], ["CONFLICTING_AAAA"]],
    ["both", ["203.0.113.5", "2001:db8:5::1"], ["CONFLICTING_A", "CONFLICTING_AAAA"]],
    ["our very address", [ours.a], ["CONFLICTING_A"]],
    ["a proxy's address beside another", ["104.16.0.1", "203.0.113.5"], ["CONFLICTING_A"]],
  ] as const) {
    test(`with ${what} in place of the CNAME has it named to the owner`, () => {
      const verdict = judged(agreed(addressed(addresses)));
      expect(summary(verdict)).toEqual(["wrong", ...codes]);
      for (const address of addresses) {
        const naming = verdict.findings.filter(({ message }) => message.includes(address));
        expect(naming).toHaveLength(1);
        expect(naming[0]?.next).toMatch(/^Delete the (A|AAAA) record of docs\.example\.com/);
        expect(naming[0]?.seconds).toBe(300);
      }
    });
  }

  for (const addresses of [
    ["104.16.0.1", "172.64.0.1", "2606:4700::1"],
    ["188.114.111.255"],
    ["2a06:98c7:ffff::1"],
  ]) {
    test(`behind a proxy, ${addresses.join(", ")}, is told to turn it off`, () => {
      const verdict = judged(agreed(addressed(addresses)));
      expect(summary(verdict)).toEqual(["wrong", "PROXIED"]);
      expect(verdict.findings[0]?.next).toMatch(/^Turn the proxy off/);
    });
  }

  for (const addresses of [["104.32.0.1"], ["188.114.112.0"], ["2a06:98c8::1"]]) {
    test(`with an address just beside a proxy's, ${addresses}, is not called proxied`, () => {
      expect(codesOf(judged(agreed(addressed(addresses))))).not.toContain("PROXIED");
    });
  }

  test("that only a wildcard answers for is told so, beside what the wildcard says", () => {
    const wild = addressed(["203.0.113.5"], "unused-1.example.com");
    const verdict = judged(agreed(addressed(["203.0.113.5"]), { sibling: wild }));
    expect(summary(verdict)).toEqual(["wrong", "WILDCARD_MATCH", "CONFLICTING_A"]);
    expect(verdict.findings[0]?.message).toContain("*.example.com");
    const chain = [host, "other.example"];
    const sibling = pointing("other.example", "unused-1.example.com");
    expect(codesOf(judged(agreed(pointing("other.example"), { chain, sibling })))).toEqual([
      "WILDCARD_MATCH",
      "CNAME_MISMATCH",
    ]);
  });

  test("with a record of its own beside a wildcard is not told of the wildcard", () => {
    const sibling = addressed(["203.0.113.9"], "unused-1.example.com");
    expect(codesOf(judged(agreed(addressed(["203.0.113.5"]), { sibling })))).toEqual([
      "CONFLICTING_A",
    ]);
  });

  test("without a CNAME is definitely wrong, also where its addresses could not be asked", () => {
    const view = { cname: nodata(60), a: unreachable(), aaaa: unreachable() };
    expect(summary(judged(agreed(view)))).toEqual(["wrong", "NO_CNAME"]);
  });
});

describe("name servers that differ", () => {
  test("are named: who has the right record, and who has not", () => {
    const authorities = servers(pointing(target), missing(60));
    const verdict = judged(observed({ authorities }));
    expect(summary(verdict)).toEqual(["wrong", "NS_DISAGREE", "NXDOMAIN"]);
    expect(verdict.findings[0]).toMatchObject({ at: [ns2Words] });
    expect(verdict.findings[0]?.message).toContain(
      `${ns1Words} has the expected record, ${ns2Words}`,
    );
    expect(verdict.findings[1]).toMatchObject({ at: [ns2Words] });
  });

  test("in what is wrong are each told with their own, and agree in being wrong", () => {
    const authorities = servers(addressed(["203.0.113.5"]), addressed(["203.0.113.6"]));
    const verdict = judged(observed({ authorities }));
    expect(summary(verdict)).toEqual(["wrong", "CONFLICTING_A", "CONFLICTING_A"]);
    expect(verdict.findings.map(({ at }) => at)).toEqual([[ns1Words], [ns2Words]]);
  });

  for (const reason of ["timeout", "servfail", "malformed"] as const) {
    test(`because one fails by ${reason} do not make the other's right answer wrong`, () => {
      const verdict = judged(observed({ authorities: servers(pointing(target), silent(reason)) }));
      expect(summary(verdict)).toEqual(["right", "SERVFAIL"]);
      expect(verdict.findings[0]).toMatchObject({ at: [ns2Words] });
    });
  }

  test("because one is lame leave the verdict right, and the owner is told which", () => {
    const verdict = judged(observed({ authorities: servers(silent("lame"), pointing(target)) }));
    expect(summary(verdict)).toEqual(["right", "LAME_NS"]);
    expect(verdict.findings[0]).toMatchObject({ at: [ns1Words] });
  });

  test("because one fails leave a wrong answer wrong", () => {
    const verdict = judged(observed({ authorities: servers(silent(), missing(60)) }));
    expect(summary(verdict)).toEqual(["wrong", "NXDOMAIN", "SERVFAIL"]);
  });
});

describe("silence is no answer", () => {
  for (const [reason, code] of [
    ["timeout", "SERVFAIL"],
    ["servfail", "SERVFAIL"],
    ["bogus", "DNSSEC_BROKEN"],
    ["malformed", "SERVFAIL"],
    ["lame", "LAME_NS"],
    ["forbidden_address", "LAME_NS"],
  ] as const) {
    test(`of every name server, by ${reason}, leaves it unknown`, () => {
      const authorities = servers(silent(reason), silent(reason));
      const verdict = judged(observed({ authorities }));
      expect(summary(verdict)).toEqual(["unknown", code]);
      expect(verdict.findings[0]?.at).toEqual([ns1Words, ns2Words]);
    });

    test(`to the question for the name servers, by ${reason}, leaves it unknown`, () => {
      const nameServers = unreachable(reason);
      const verdict = judged(observed({ nameServers, authorities: [], recursor: missing(60) }));
      expect(summary(verdict)).toEqual(["unknown", code]);
    });
  }

  test("is told in whole sentences, with the DS record where signatures do not verify", () => {
    const seen = (reason: "servfail" | "bogus" | "lame") =>
      judged(observed({ nameServers: unreachable(reason, "Recursor 1 failed."), authorities: [] }))
        .findings[0];
    for (const reason of ["servfail", "bogus", "lame"] as const) {
      expect(seen(reason)?.message).toMatch(/[^.]: Recursor 1 failed\.( [A-Z]|$)/);
    }
    expect(seen("bogus")?.next).toContain("DS record at your registrar");
  });

  test("of the recursor leaves it unknown, however right the name servers are", () => {
    expect(summary(judged(observed({ recursor: silent() })))).toEqual(["unknown", "SERVFAIL"]);
  });

  test("of a zone that has no name server at all is told", () => {
    const nameServers = zoneOf("example.com", []);
    expect(summary(judged(observed({ nameServers, authorities: [] })))).toEqual([
      "unknown",
      "LAME_NS",
    ]);
  });
});

test("one server with two addresses counts as two, each by its address", () => {
  const view = pointing(target);
  const authorities = [
    { server: ns1, ...view },
    { server: { ...ns1, address: "2001:db8::53" }, ...missing(60) },
  ];
  const verdict = judged(observed({ authorities }));
  expect(verdict.findings[0]?.at).toEqual(["ns1.example.net (2001:db8::53)"]);
});
