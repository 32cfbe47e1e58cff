import { describe, expect, test } from "bun:test";
import type { Expectation, Verdict } from "../../src/hosting/domains/verification.ts";
import {
  addressed,
  agreed,
  apexHost,
  found,
  host,
  missing,
  nodata,
  nxdomain,
  observed,
  observedApex,
  ours,
  pointing,
  record,
  servers,
  silent,
  target,
  targetAddresses,
  unreachable,
  zoneOf,
} from "./answers.ts";
import { expected, expectedApex, judged, summary } from "./judged.ts";

describe("caches that are behind", () => {
  for (const [what, recursor, seconds, seen] of [
    ["an old CNAME", pointing("old.example", host, 1234), 1234, ["CNAME old.example"]],
    ["an old address", addressed(["203.0.113.5"], host, 77), 77, ["A 203.0.113.5"]],
    ["that there was no such name", missing(899), 899, []],
  ] as const) {
    test(`remember ${what}: unknown, with an exact countdown`, () => {
      const verdict = judged(observed({ recursor }));
      expect(summary(verdict)).toEqual(["unknown", "STALE_CACHE"]);
      expect(verdict.findings[0]).toMatchObject({ seconds, found: seen });
      expect(verdict.findings[0]?.message).toContain(`${seconds} seconds`);
    });
  }

  test("remember for an unknown time where no SOA came", () => {
    const [finding] = judged(observed({ recursor: missing() })).findings;
    expect(finding?.message).not.toMatch(/\d/);
  });

  test("are told beside a name server that is dead", () => {
    const authorities = servers(pointing(target), silent("timeout"));
    const verdict = judged(observed({ authorities, recursor: missing(60) }));
    expect(summary(verdict)).toEqual(["unknown", "STALE_CACHE", "SERVFAIL"]);
  });

  test("of an apex compare addresses too", () => {
    const recursor = addressed(["203.0.113.5"], apexHost, 42);
    const verdict = judged(observedApex(addressed([ours.a], apexHost), { recursor }), expectedApex);
    expect(summary(verdict)).toEqual(["unknown", "STALE_CACHE"]);
    expect(verdict.findings[0]).toMatchObject({ seconds: 60, expected: [`ALIAS ${target}`] });
  });
});

describe("an apex", () => {
  const cases: readonly [
    what: string,
    addresses: readonly string[],
    kind: Verdict["kind"],
    code?: string,
  ][] = [
    ["with all of the target's addresses", [ours.a, ours.otherA, ours.aaaa], "right"],
    ["with one of the target's addresses", [ours.a], "right"],
    ["with the target's IPv6 address alone", [ours.aaaa], "right"],
    ["with one foreign address among ours", [ours.a, "203.0.113.5"], "wrong", "ALIAS_STALE"],
    ["with a foreign IPv6 address beside ours", [ours.a, "2001:db8:5::1"], "wrong", "ALIAS_STALE"],
    ["with foreign addresses alone", ["203.0.113.5", "203.0.113.6"], "wrong", "CONFLICTING_A"],
    ["with a foreign IPv6 address alone", ["2001:db8:5::1"], "wrong", "CONFLICTING_AAAA"],
    ["behind a proxy", ["104.16.0.1", "2606:4700::1"], "wrong", "PROXIED"],
    ["with no address", [], "wrong", "APEX_NEEDS_ALIAS"],
  ];
  for (const [what, addresses, kind, code] of cases) {
    test(`${what} is ${kind}${code === undefined ? "" : `: ${code}`}`, () => {
      const verdict = judged(observedApex(addressed(addresses, apexHost)), expectedApex);
      expect(summary(verdict) as string[]).toEqual(code === undefined ? [kind] : [kind, code]);
      if (code !== undefined) expect(verdict.findings[0]?.expected).toEqual([`ALIAS ${target}`]);
    });
  }

  test("has only the foreign addresses named as such, and all of them shown", () => {
    const addresses = [ours.a, "203.0.113.5"];
    const [finding] = judged(observedApex(addressed(addresses, apexHost)), expectedApex).findings;
    expect(finding?.message).toContain("203.0.113.5");
    expect(finding?.message).not.toContain(ours.a);
    expect(finding?.found).toEqual([`A ${ours.a}`, "A 203.0.113.5"]);
  });

  test("behind a proxy is told to turn the proxy off", () => {
    const view = addressed(["104.16.0.1"], apexHost);
    expect(judged(observedApex(view), expectedApex).findings[0]?.next).toMatch(/proxy off/);
  });

  test("whose foreign IPv6 address is cached longest is told that time", () => {
    const view = {
      ...addressed([ours.a], apexHost, 60),
      aaaa: found(record(apexHost, "AAAA", "2001:db8:5::1", 7200)),
    };
    expect(judged(observedApex(view), expectedApex).findings[0]?.seconds).toBe(7200);
  });

  test("with a CNAME is told that it needs an ALIAS, even if it names the target", () => {
    const verdict = judged(observedApex(pointing(target, apexHost)), expectedApex);
    expect(summary(verdict)).toEqual(["wrong", "APEX_NEEDS_ALIAS"]);
    expect(verdict.findings[0]?.found).toEqual([`CNAME ${target}`]);
    expect(verdict.findings[0]?.next).toContain("www.example.com");
  });

  test("that is not registered is told so, and to look at its spelling", () => {
    const observation = observedApex(missing(60), { nameServers: nxdomain(60), authorities: [] });
    const verdict = judged(observation, expectedApex);
    expect(summary(verdict)).toEqual(["wrong", "NXDOMAIN"]);
    expect(verdict.findings[0]?.message).toContain("example.com itself is not in DNS");
    expect(verdict.findings[0]?.next).toContain("spelling");
  });

  test("of a delegated zone below what was registered is judged as an apex", () => {
    const nameServers = zoneOf(host);
    const right = agreed(addressed([ours.a]), { nameServers, target: targetAddresses });
    expect(judged(right).kind).toBe("right");
    const cname = agreed(pointing(target), { nameServers, target: targetAddresses });
    expect(summary(judged(cname))).toEqual(["wrong", "APEX_NEEDS_ALIAS"]);
  });

  for (const [what, addresses] of [
    ["its IPv4 addresses", { a: unreachable(), aaaa: targetAddresses?.aaaa ?? nodata() }],
    ["its IPv6 addresses", { a: targetAddresses?.a ?? nodata(), aaaa: unreachable("timeout") }],
    ["any address", { a: nodata(60), aaaa: nodata(60) }],
  ] as const) {
    test(`is unknown, by our own fault, while the target does not tell ${what}`, () => {
      for (const seen of [[ours.a], ["203.0.113.5"]]) {
        const observation = observedApex(addressed(seen, apexHost), { target: addresses });
        expect(summary(judged(observation, expectedApex))).toEqual(["unknown", "TARGET_UNKNOWN"]);
      }
    });
  }

  for (const part of ["a", "aaaa"] as const) {
    test(`is unknown while the name servers fail on ${part.toUpperCase()}`, () => {
      const view = { ...addressed([ours.a, ours.aaaa], apexHost), [part]: unreachable() };
      expect(summary(judged(observedApex(view), expectedApex))).toEqual(["unknown", "SERVFAIL"]);
    });
  }

  test("of which one server has a foreign address is a disagreement", () => {
    const authorities = servers(
      addressed([ours.a], apexHost),
      addressed(["203.0.113.5"], apexHost),
    );
    const verdict = judged(
      observedApex(addressed([ours.a], apexHost), { authorities }),
      expectedApex,
    );
    expect(summary(verdict)).toEqual(["wrong", "NS_DISAGREE", "CONFLICTING_A"]);
  });
});

describe("a proof of ownership, at an apex", () => {
  const proof = {
    fullName: `_petstore-proof.${apexHost}`,
    value: `petstore-proof=${target}`,
  };
  const proving: Expectation = { ...expectedApex, proof };
  const txt = (value: string) => found(record(proof.fullName, "TXT", value));
  const pointing = addressed([ours.a], apexHost);

  test("that is there makes a right name right", () => {
    for (const proofs of [
      [txt(proof.value), txt(proof.value)],
      [txt(`  ${proof.value} `), unreachable()],
      [found(record(proof.fullName, "TXT", "other"), record(proof.fullName, "TXT", proof.value))],
    ]) {
      expect(judged(observedApex(pointing, { proofs }), proving).kind).toBe("right");
    }
  });

  for (const [what, proofs, seen] of [
    ["is missing", [nxdomain(60), nxdomain(60)], []],
    ["could not be asked for", [unreachable(), unreachable()], []],
    ["has another value", [txt("petstore-proof=other")], ["TXT petstore-proof=other"]],
    [
      "is only part of the value",
      [txt(proof.value.slice(0, -1))],
      [`TXT ${proof.value.slice(0, -1)}`],
    ],
    [
      "is in another letter case",
      [txt(proof.value.toUpperCase())],
      [`TXT ${proof.value.toUpperCase()}`],
    ],
    [
      "is a CNAME to something else",
      [found(record(proof.fullName, "CNAME", "x.example"), record("x.example", "TXT", "no"))],
      ["TXT no"],
    ],
    ["was not asked for at all", [], []],
    ["one name server denies", [txt(proof.value), nxdomain(60)], [`TXT ${proof.value}`]],
    [
      "one name server has otherwise",
      [txt("petstore-proof=other"), txt(proof.value)],
      ["TXT petstore-proof=other", `TXT ${proof.value}`],
    ],
  ] as const) {
    test(`that ${what} leaves a right name unknown`, () => {
      const verdict = judged(observedApex(pointing, { proofs }), proving);
      expect(summary(verdict)).toEqual(["unknown", "PROOF_MISSING"]);
      expect(verdict.findings[0]).toMatchObject({ found: seen, expected: [`TXT ${proof.value}`] });
    });
  }

  test("that is missing comes before what else is wrong", () => {
    const verdict = judged(
      observedApex(addressed(["203.0.113.5"], apexHost), { proofs: [nxdomain(60)] }),
      proving,
    );
    expect(summary(verdict)).toEqual(["wrong", "PROOF_MISSING", "CONFLICTING_A"]);
  });

  test("that is there does not make a wrong name right", () => {
    const wrong = observedApex(missing(60), { proofs: [txt(proof.value)] });
    expect(judged(wrong, proving).kind).toBe("wrong");
  });

  test("is not asked for where the name has a CNAME, which says whose it is", () => {
    expect(judged(observed(), { ...expected, proof }).kind).toBe("right");
  });
});
