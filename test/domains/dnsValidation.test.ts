/** Names that get their certificate by DNS, before they point here. */
import { describe, expect, test } from "bun:test";
import { challengeValueOf } from "../../src/hosting/domains/dnsValidation.ts";
import { isServed } from "../../src/hosting/domains/domain.ts";
import { challengeName, elsewhere, host, minuteMs, prepared } from "./dnsValidationFixture.ts";
import { ann, bob, domainServiceFixture, target } from "./domainServiceFixture.ts";
import {
  issued,
  type Order,
  type Records,
  recordsOf,
  resolverOf,
  targetOf,
  workerWith,
  workOff,
} from "./workerFixture.ts";

describe("a name that is prepared by a TXT record", () => {
  test("is told its value at once, and gets its certificate as soon as it is there", async () => {
    const { fixture, authority, dns, pass, show } = await prepared();
    await pass(0);
    const value = challengeValueOf("token-1.account");
    const told = await show();
    expect([told.status, authority.seen.orders]).toEqual(["pending_dns", 1]);
    expect(told.records).toMatchObject([
      { type: "TXT", name: "_acme-challenge.docs", fullName: challengeName, value },
    ]);
    await pass(1);
    expect((await show()).findings).toMatchObject([
      { code: "CHALLENGE_MISSING", expected: [`TXT ${value}`] },
    ]);
    dns.lines = { ...elsewhere, [`${challengeName} TXT`]: value };
    await pass(1);
    const ready = await show();
    expect([ready.status, authority.seen.orders]).toEqual(["prepared", 1]);
    expect(authority.seen.validated).toEqual(["dns-01"]);
    const own = targetOf(fixture, host);
    expect(ready.records).toMatchObject([{ type: "CNAME", fullName: host, value: own }]);
    expect(ready.findings).toMatchObject([
      { code: "SWITCH_PENDING", found: ["A 203.0.113.9"], expected: [`CNAME ${own}`] },
    ]);
  });

  test("is served from then on, is live once it points here, and is renewed over HTTP", async () => {
    const { fixture, authority, dns, pass, show } = await prepared();
    await pass(0);
    dns.lines = { [`${challengeName} TXT`]: challengeValueOf("token-1.account"), ...elsewhere };
    await pass(1);
    const holder = await fixture.domains.holderOf(host);
    expect(holder !== undefined && isServed(holder.domain)).toBe(true);
    dns.lines = elsewhere;
    for (let days = 0; days < 3; days++) await pass(24 * 60);
    expect((await show()).status).toBe("prepared");
    dns.lines = { [`${host} CNAME`]: target };
    await pass(4 * 60);
    const live = await show();
    expect([live.status, live.findings]).toEqual(["live", []]);
    for (let days = 0; days < 70; days++) await pass(24 * 60);
    expect((await show()).status).toBe("live");
    expect(authority.seen.validated).toEqual(["dns-01", "http-01"]);
    dns.lines = elsewhere;
    for (let days = 0; days < 3; days++) await pass(24 * 60);
    expect((await show()).status).toBe("degraded");
  });

  test("and was not switched is renewed by another TXT record", async () => {
    const { fixture, authority, dns, pass, show } = await prepared();
    await pass(0);
    dns.lines = { ...elsewhere, [`${challengeName} TXT`]: challengeValueOf("token-1.account") };
    await pass(1);
    for (let days = 0; days < 61; days++) await pass(24 * 60);
    const value = challengeValueOf("token-2.account");
    const due = await show();
    expect(due.status).toBe("prepared");
    expect(due.records.map((record) => record.value)).toEqual([targetOf(fixture, host), value]);
    expect(due.findings.map(({ code }) => code)).toContain("CHALLENGE_MISSING");
    dns.lines = { ...elsewhere, [`${challengeName} TXT`]: value };
    await pass(24 * 60);
    expect(authority.seen.validated).toEqual(["dns-01", "dns-01"]);
    expect((await show()).findings.map(({ code }) => code)).toEqual(["SWITCH_PENDING"]);
  });

  test("and was never switched is given up when its certificate expires, as it says", async () => {
    const { fixture, dns, pass, show } = await prepared();
    await pass(0);
    dns.lines = { ...elsewhere, [`${challengeName} TXT`]: challengeValueOf("token-1.account") };
    await pass(1);
    dns.lines = elsewhere;
    const { certificate, abandonAtMs } = await show();
    expect(abandonAtMs).toBe(certificate?.notAfterMs as number);
    for (let days = 0; days < 89; days++) await pass(24 * 60);
    expect(await show()).toMatchObject({ status: "prepared", abandonAtMs });
    await pass(2 * 24 * 60);
    expect(await fixture.service.claimsOn(ann, host)).toMatchObject([{ status: "abandoned" }]);
  });

  test("and is removed while it waits can be prepared again at once", async () => {
    const { fixture, authority, pass, show } = await prepared();
    await pass(0);
    const { service } = fixture;
    await service.remove(ann, "shop", host, false);
    await service.add(ann, "shop", host, "prepared");
    await pass(0);
    const again = await show();
    expect([again.records.length, authority.seen.orders]).toEqual([1, 2]);
    expect(again.budget.map(({ used }) => used)).toEqual([0, 0, 0]);
  });

  test("with another value is told what was found", async () => {
    const { dns, pass, show } = await prepared();
    await pass(0);
    dns.lines = { ...elsewhere, [`${challengeName} TXT`]: "of-another-order" };
    await pass(1);
    const wrong = await show();
    expect(wrong.status).toBe("misconfigured");
    expect(wrong.findings).toMatchObject([{ found: ["TXT of-another-order"] }]);
  });

  test("and is switched too early is validated over HTTP, with the same order", async () => {
    const { authority, dns, pass, show } = await prepared();
    await pass(0);
    dns.lines = { [`${host} CNAME`]: target };
    await pass(1);
    expect((await show()).status).toBe("live");
    expect([authority.seen.orders, authority.seen.validated]).toEqual([1, ["http-01"]]);
  });

  test("may be another owner's: the record is the proof", async () => {
    const { fixture, dns, pass, show } = await prepared({ [`${host} CNAME`]: target });
    const { service } = fixture;
    await pass(0);
    expect((await show()).status).toBe("live");
    dns.lines[`${host} CNAME`] = targetOf(fixture, host);
    await service.add(bob, "rival", host, "prepared");
    await pass(0);
    const claim = await service.show(bob, "rival", host);
    expect(claim.records).toMatchObject([{ type: "TXT", fullName: challengeName }]);
    dns.lines = { ...dns.lines, [`${challengeName} TXT`]: claim.records[0]?.value ?? "" };
    await pass(1);
    expect((await service.show(bob, "rival", host)).status).toBe("prepared");
    expect((await show()).status).toBe("abandoned");
    dns.lines = { [`${host} CNAME`]: targetOf(fixture, host) };
    await pass(6 * 60);
    expect((await service.show(bob, "rival", host)).status).toBe("live");
  });
});

describe("no certificate is had without a proof", () => {
  test("by what the authority still trusts from before: the TXT record of ours is asked for", async () => {
    const { authority, dns, pass, show } = await prepared({ [`${host} A`]: "203.0.113.9" });
    authority.seen.trusts = true;
    await pass(0);
    await pass(1);
    const asked = await show();
    expect(asked.status).toBe("pending_dns");
    expect(asked.records).toMatchObject([{ type: "TXT", fullName: `_petstore-proof.${host}` }]);
    expect(asked.findings.map(({ code }) => code)).toEqual(["PROOF_MISSING"]);
    expect(authority.seen.validated).toEqual([]);
    const [{ fullName = "", value = "" } = {}] = asked.records;
    dns.lines = { ...dns.lines, [`${fullName} TXT`]: value };
    await pass(1);
    expect((await show()).status).toBe("prepared");
  });

  test("by the record of another claim, where the authority wants the same of both", async () => {
    const fixture = await domainServiceFixture();
    const { service, clock } = fixture;
    const value = challengeValueOf("same.account");
    const order: Order = async (request) => {
      const url = `order of ${Math.random()}`;
      if (request.resume === undefined) {
        await request.placed({ directory: "https://ca.example", url, privateKeyPem: "key" });
      }
      const challenge = { host, token: "same", keyAuthorization: "same.account" };
      return request.publish(challenge).then(
        () => issued(host, clock.now()),
        () => ({
          kind: "refused",
          refusal: { reason: "abandoned", detail: "", retryAtMs: undefined },
        }),
      );
    };
    const lines: Record<string, string> = { ...elsewhere };
    const records: Records = (name, type) => recordsOf(lines)(name, type);
    const worker = workerWith(fixture, resolverOf(records), { order });
    await service.add(ann, "shop", host, "prepared");
    await service.add(bob, "rival", host, "prepared");
    await workOff(worker);
    clock.advance(11 * minuteMs);
    await workOff(worker);
    lines[`${challengeName} TXT`] = value;
    for (let minutes = 0; minutes < 20; minutes++) {
      clock.advance(minuteMs);
      await workOff(worker);
    }
    for (const [actor, project] of [
      [ann, "shop"],
      [bob, "rival"],
    ] as const) {
      const claim = await service.show(actor, project, host);
      expect(claim.status).toBe("pending_dns");
      expect(claim.records.map(({ fullName }) => fullName)).toContain(`_petstore-proof.${host}`);
    }
  });
});

describe("a name whose challenge is delegated", () => {
  const published: string[] = [];
  const publishTxt = async (name: string, value: string) => void published.push(`${name} ${value}`);

  test("gets its certificates by us, before and after the switch", async () => {
    const { authority, dns, pass, show } = await prepared(elsewhere, {
      dnsUpdates: true,
      publishTxt,
    });
    const [record] = (await show()).records;
    expect(record).toMatchObject({ type: "CNAME", fullName: challengeName });
    expect(record?.value).toMatch(/^[0-9a-f]{20}\._acme-challenge\./);
    await pass(1);
    expect([authority.seen.orders, (await show()).status]).toEqual([0, "pending_dns"]);
    const delegated = { [`${challengeName} CNAME`]: record?.value ?? "" };
    dns.lines = { ...elsewhere, ...delegated };
    await pass(1);
    expect((await show()).status).toBe("prepared");
    expect(published).toEqual([`${record?.value} ${challengeValueOf("token-1.account")}`]);
    dns.lines = { ...delegated, [`${host} CNAME`]: target };
    await pass(4 * 60);
    expect((await show()).status).toBe("live");
    for (let days = 0; days < 70; days++) await pass(24 * 60);
    expect(authority.seen.validated).toEqual(["dns-01", "dns-01"]);
    dns.lines = { [`${host} CNAME`]: target };
    for (let days = 0; days < 70; days++) await pass(24 * 60);
    expect(authority.seen.validated).toEqual(["dns-01", "dns-01", "http-01"]);
  });
});

describe("a name behind a proxy", () => {
  const proxied = { [`${host} A`]: "104.16.0.1", [`${host} AAAA`]: "2606:4700::1" };

  async function behindProxy(lines: Record<string, string> = proxied) {
    const parts = await prepared(lines, { how: "proxied" });
    await parts.pass(0);
    const value = challengeValueOf("token-1.account");
    parts.dns.lines = { ...lines, [`${challengeName} TXT`]: value };
    await parts.pass(1);
    parts.dns.lines = lines;
    return parts;
  }

  test("is live with the addresses of the proxy, and stays so", async () => {
    const { pass, show } = await behindProxy();
    for (let days = 0; days < 5; days++) await pass(24 * 60);
    const live = await show();
    expect([live.status, live.findings]).toEqual(["live", []]);
    expect(live.records).toMatchObject([
      { type: "CNAME", fullName: host, note: expect.stringContaining("Full (strict)") },
    ]);
  });

  test("is nobody's by its addresses alone", async () => {
    const { fixture, authority, pass, show } = await prepared(proxied, { how: "proxied" });
    for (let hours = 0; hours < 5; hours++) await pass(60);
    const waiting = await show();
    expect([waiting.status, authority.seen.validated]).toEqual(["pending_dns", []]);
    expect(waiting.findings.map(({ code }) => code)).toEqual(["CHALLENGE_MISSING"]);
    const { domain } = (await fixture.domains.claimsOn(host))[0] ?? {};
    expect(domain?.dns.everRight).toBe(false);
  });

  test("is ready before its record is there, and degraded when it is gone", async () => {
    const { dns, pass, show } = await behindProxy({ "other.example.com A": "203.0.113.9" });
    await pass(1);
    const ready = await show();
    expect([ready.status, ready.findings.map(({ code }) => code)]).toEqual([
      "prepared",
      ["SWITCH_PENDING"],
    ]);
    dns.lines = proxied;
    await pass(4 * 60);
    expect((await show()).status).toBe("live");
    dns.lines = {};
    for (let days = 0; days < 4; days++) await pass(24 * 60);
    expect((await show()).findings.map(({ code }) => code)).toEqual(["NXDOMAIN"]);
    expect((await show()).status).toBe("degraded");
  });

  test("is renewed through the proxy, or by another TXT record if that fails", async () => {
    const { fixture, authority, dns, pass, show } = await behindProxy();
    for (let days = 0; days < 65; days++) await pass(24 * 60);
    expect(authority.seen.validated).toEqual(["dns-01", "http-01"]);
    authority.seen.reaches = false;
    for (let days = 0; days < 63; days++) await pass(24 * 60);
    expect(authority.seen.validated).toEqual(["dns-01", "http-01", "http-01"]);
    const value = challengeValueOf("token-4.account");
    const failing = await show();
    expect(failing.records.map((record) => record.value)).toEqual([targetOf(fixture, host), value]);
    dns.lines = { ...proxied, [`${challengeName} TXT`]: value };
    await pass(24 * 60);
    expect(authority.seen.validated.at(-1)).toBe("dns-01");
    expect((await show()).status).toBe("live");
  });
});
