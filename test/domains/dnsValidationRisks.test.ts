/** What others, slow owners and the authority's memory must not do to names that are validated by DNS. */
import { describe, expect, test } from "bun:test";
import { challengeValueOf } from "../../src/hosting/domains/dnsValidation.ts";
import { certificateLost } from "../../src/hosting/domains/lifecycle.ts";
import { scheduledJobs } from "../../src/hosting/domains/schedule.ts";
import { challengeName, elsewhere, host, prepared } from "./dnsValidationFixture.ts";
import { ann, bob, target } from "./domainServiceFixture.ts";

const valueFor = (order: number) => challengeValueOf(`token-${order}.account`);

describe("the record of another claim proves nothing", () => {
  test("when that claim has its certificate, and its record is still there", async () => {
    const { fixture, authority, dns, pass, show } = await prepared();
    const { service } = fixture;
    await pass(0);
    await service.add(bob, "rival", host, "prepared");
    // One order for one name and account, as public authorities have it.
    authority.seen.shares = true;
    dns.lines = { ...elsewhere, [`${challengeName} TXT`]: valueFor(1) };
    for (let minutes = 0; minutes < 60; minutes++) await pass(1);
    // Both are asked for another proof, and its rightful owner has it.
    const { records } = await show();
    for (const { fullName, value } of records) dns.lines[`${fullName} TXT`] = value;
    for (let minutes = 0; minutes < 60; minutes++) await pass(1);
    expect((await show()).status).toBe("prepared");
    expect((await service.show(bob, "rival", host)).status).toBe("pending_dns");
  });

  test("when that claim was removed, and its record is still there", async () => {
    const { fixture, authority, dns, pass } = await prepared();
    const { service } = fixture;
    await pass(0);
    dns.lines = { ...elsewhere, [`${challengeName} TXT`]: valueFor(1) };
    await service.remove(ann, "shop", host, false);
    authority.seen.shares = true;
    await service.add(bob, "rival", host, "prepared");
    for (let minutes = 0; minutes < 60; minutes++) await pass(1);
    const claim = await service.show(bob, "rival", host);
    expect(claim.status).toBe("pending_dns");
    expect(authority.seen.validated).toEqual([]);
    expect(claim.records.map(({ fullName }) => fullName)).toContain(`_petstore-proof.${host}`);
  });
});

test("names that others prepare use nothing of the limits of a zone", async () => {
  const { fixture, pass } = await prepared();
  const { service } = fixture;
  for (let n = 0; n < 50; n++) {
    await service.add(bob, "rival", `n${n}.example.com`, "prepared");
  }
  for (let minutes = 0; minutes < 5; minutes++) await pass(1);
  const { budget } = await service.show(ann, "shop", host);
  expect(budget.map(({ used }) => used)).toEqual([0, 0, 0]);
});

test("who comes back and points here already needs nothing else, even if the authority trusts the name", async () => {
  const { authority, pass, show, worker } = await prepared({ [`${host} CNAME`]: target });
  authority.seen.trusts = true;
  await pass(0);
  expect((await show()).status).toBe("live");
  expect(await worker.takeDue()).toBe(0);
});

test("an order that expired before its record came is replaced, and no validation fails", async () => {
  const { authority, dns, pass, show } = await prepared();
  await pass(0);
  authority.seen.forgets = true;
  dns.lines = { ...elsewhere, [`${challengeName} TXT`]: valueFor(1) };
  await pass(1);
  authority.seen.forgets = false;
  await pass(0);
  await pass(1);
  expect(authority.seen.validated).toEqual([]);
  const told = await show();
  expect(told.records.map(({ value }) => value)).toEqual([valueFor(2)]);
  expect(told.findings.map(({ code }) => code)).toEqual(["CHALLENGE_MISSING"]);
  dns.lines = { ...elsewhere, [`${challengeName} TXT`]: valueFor(2) };
  await pass(10);
  expect((await show()).status).toBe("prepared");
});

test("an order that waits for its record is looked after each day", async () => {
  const { authority, pass, show } = await prepared();
  await pass(0);
  authority.seen.forgets = true;
  await pass(12 * 60);
  expect((await show()).records.map(({ value }) => value)).toEqual([valueFor(1)]);
  await pass(13 * 60);
  expect((await show()).records.map(({ value }) => value)).toEqual([valueFor(2)]);
  expect(authority.seen.orders).toBe(2);
});

test("a prepared name that has lost its certificate is ordered for again", async () => {
  const { fixture, pass } = await prepared();
  await pass(0);
  const { domain } = (await fixture.domains.claimsOn(host))[0] ?? {};
  const jobs = domain && scheduledJobs(certificateLost(domain), fixture.clock.now());
  expect(jobs?.map(({ job }) => job)).toEqual(["issue", "check", "abandon"]);
});

test("a late certificate is not put down to a CAA record that permits this validation", async () => {
  let down = false;
  const detail = "It is down.";
  const refusal = { reason: "unavailable", detail, retryAtMs: undefined } as const;
  const caa = { "example.com CAA": "ca.example; validationmethods=dns-01" };
  const { dns, pass, show } = await prepared(
    { ...elsewhere, ...caa },
    { caaIdentities: ["ca.example"], unreachable: () => (down ? refusal : undefined) },
  );
  await pass(0);
  down = true;
  dns.lines = { ...dns.lines, [`${challengeName} TXT`]: valueFor(1) };
  for (let minutes = 0; minutes < 33; minutes++) await pass(1);
  const late = await show();
  expect(late.status).toBe("certificate_delayed");
  expect(late.findings.map(({ code }) => code)).toEqual(["CERTIFICATE_OVERDUE", "CA_UNAVAILABLE"]);
});
