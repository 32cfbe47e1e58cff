/** What keeps a name from going to somebody who only says that it is theirs. */
import { describe, expect, test } from "bun:test";
import type { DomainView } from "../../src/hosting/domains/domainView.ts";
import { unreachable } from "./answers.ts";
import {
  addOwner,
  addProject,
  ann,
  bob,
  type DomainServiceFixture,
  domainServiceFixture,
  ownerOf,
  refusalOf,
  target,
} from "./domainServiceFixture.ts";
import { recordsOf, resolverOf, workerWith, workOff } from "./workerFixture.ts";

const host = "docs.example.com";
const pointing = { [`${host} CNAME`]: target };
const pointingAs = ({ target }: { target: string }) => ({ [`${host} CNAME`]: target });
const typesOf = ({ records }: DomainView) => records.map(({ type }) => type);

/** What the first of the records tells the owner to point to. */
const valueIn = ({ records }: DomainView) => ({ target: records[0]?.value ?? "" });

function proofIn({ records }: DomainView): Record<string, string> {
  const proof = records.find(({ type }) => type === "TXT");
  if (proof === undefined) throw new Error("A proof should be asked for.");
  return { [`${proof.fullName} TXT`]: proof.value };
}

/** Lets a check fall due, and has it done while DNS has these records. */
async function look(
  fixture: DomainServiceFixture,
  lines: Readonly<Record<string, string>>,
): Promise<void> {
  fixture.clock.advance(61_000);
  await workOff(workerWith(fixture, resolverOf(recordsOf(lines))));
}

describe("who never showed that a name is theirs", () => {
  test("does not get it back when who proved it removes it", async () => {
    const fixture = await domainServiceFixture();
    const { service, clock, edgeView } = fixture;
    await service.add(ann, "shop", host);
    const claim = await service.add(bob, "rival", host, true);
    for (let round = 0; round < 2; round++) {
      await service.remove(ann, "shop", host, true);
      clock.advance(1_000);
      await service.add(ann, "shop", host);
    }
    await service.remove(ann, "shop", host, true);
    await look(fixture, { ...pointingAs(valueIn(claim)), ...proofIn(claim) });
    expect((await service.show(bob, "rival", host)).status).toBe("live");
    await service.remove(bob, "rival", host, true);
    expect(typesOf(await service.add(ann, "shop", host))).toEqual(["CNAME", "TXT"]);
    await look(fixture, pointing);
    expect(edgeView.route(host)).toBeUndefined();
  });

  test("leaves no grave, so that the next one needs no proof", async () => {
    const fixture = await domainServiceFixture();
    await fixture.service.add(ann, "shop", host);
    await fixture.service.remove(ann, "shop", host, true);
    expect(typesOf(await fixture.service.add(bob, "rival", host))).toEqual(["CNAME"]);
  });

  test("is not served when who means to prove it points it here first", async () => {
    const fixture = await domainServiceFixture();
    const { service, edgeView } = fixture;
    await service.add(ann, "shop", host);
    const claim = await service.add(bob, "rival", host, true);
    await look(fixture, pointing);
    expect(edgeView.route(host)).toBeUndefined();
    const contested = await service.show(ann, "shop", host);
    expect(typesOf(contested)).toEqual(["CNAME", "TXT"]);
    expect(contested.timeline.map(({ event }) => event)).toContain("contested");
    await look(fixture, { ...pointing, ...proofIn(claim) });
    expect(edgeView.route(host)).toMatchObject({ kind: "site", project: "rival" });
  });

  test("has the name again once they prove it, also after a contest", async () => {
    const fixture = await domainServiceFixture();
    await fixture.service.add(ann, "shop", host);
    await fixture.service.add(bob, "rival", host, true);
    const contested = await fixture.service.show(ann, "shop", host);
    await look(fixture, { ...pointingAs(valueIn(contested)), ...proofIn(contested) });
    expect(fixture.edgeView.route(host)).toMatchObject({ project: "shop" });
  });

  test("does not get a name for nothing by contesting it, leaving it and coming again", async () => {
    const fixture = await domainServiceFixture();
    const { service, edgeView } = fixture;
    await addOwner(fixture, "cleo");
    await addProject(fixture, "third", "cleo");
    await service.add(ann, "shop", host);
    await service.add(bob, "rival", host, true);
    await service.remove(bob, "rival", host, true);
    expect(typesOf(await service.add(bob, "rival", host))).toEqual(["CNAME", "TXT"]);
    expect(typesOf(await service.add(ownerOf("cleo"), "third", host))).toEqual(["CNAME", "TXT"]);
    await look(fixture, pointing);
    expect(edgeView.route(host)).toBeUndefined();
  });
});

test("a holder whose DNS was right once is not contested", async () => {
  const fixture = await domainServiceFixture();
  const { service, edgeView } = fixture;
  await service.add(ann, "shop", host);
  await look(fixture, pointing);
  await service.add(bob, "rival", host, true);
  expect(edgeView.route(host)).toMatchObject({ project: "shop" });
  const events = (await service.show(ann, "shop", host)).timeline.map(({ event }) => event);
  expect(events).not.toContain("contested");
});

test("who lost a name to a proof is told so when they ask for a check", async () => {
  const fixture = await domainServiceFixture();
  const { service } = fixture;
  await service.add(ann, "shop", host);
  await look(fixture, pointing);
  const claim = await service.add(bob, "rival", host, true);
  await look(fixture, { ...pointing, ...proofIn(claim) });
  const refusal = await refusalOf(service.verify(ann, "shop", host));
  expect(refusal.code).toBe("not_verifiable");
  expect(refusal.message).toBe(
    `Another owner proved by DNS that ${host} is theirs, so it was detached here.`,
  );
});

describe("a wildcard that points here", () => {
  const wildAs = (to: { target: string }) => ({ "*.example.com CNAME": to.target });
  const wild = wildAs({ target });

  test("lets nobody have a name below it without a proof", async () => {
    const fixture = await domainServiceFixture();
    const { service, edgeView } = fixture;
    const wild = wildAs(valueIn(await service.add(ann, "shop", host)));
    await look(fixture, wild);
    expect(edgeView.route(host)).toBeUndefined();
    const asked = await service.show(ann, "shop", host);
    expect([asked.status, ...typesOf(asked)]).toEqual(["pending_dns", "CNAME", "TXT"]);
    expect(asked.findings.map(({ code }) => code)).toEqual(["WILDCARD_MATCH"]);
    await look(fixture, wild);
    expect(edgeView.route(host)).toBeUndefined();
    await look(fixture, { ...wild, ...pointing, ...proofIn(asked) });
    expect((await service.show(ann, "shop", host)).status).toBe("live");
    await look(fixture, { ...wild, ...pointing });
    expect((await service.show(ann, "shop", host)).status).toBe("live");
  });

  test("asks who gives a record of its own to the name no less: nothing tells the two apart", async () => {
    const fixture = await domainServiceFixture();
    const wild = wildAs(valueIn(await fixture.service.add(ann, "shop", host)));
    await look(fixture, { ...wild, ...pointing });
    expect(typesOf(await fixture.service.show(ann, "shop", host))).toEqual(["CNAME", "TXT"]);
  });

  test("and comes later does not touch what is live", async () => {
    const fixture = await domainServiceFixture();
    const { service, clock } = fixture;
    await service.add(ann, "shop", host);
    await look(fixture, pointing);
    clock.advance(6 * 3_600_000);
    await look(fixture, { ...wild, ...pointing });
    const { status, findings, records } = await service.show(ann, "shop", host);
    expect([status, findings, records.length]).toEqual(["live", [], 1]);
  });

  test("may hide behind a name server that is silent about it: then nothing is decided", async () => {
    const fixture = await domainServiceFixture();
    const { service, clock, edgeView } = fixture;
    await service.add(ann, "shop", host);
    const told = resolverOf(recordsOf(pointing));
    const half = {
      ...told,
      ask: (...asked: Parameters<typeof told.ask>) =>
        asked[1] === host ? told.ask(...asked) : Promise.resolve(unreachable("timeout")),
    };
    clock.advance(15_000);
    await workOff(workerWith(fixture, half));
    const { status, findings, records } = await service.show(ann, "shop", host);
    expect([status, records.length]).toEqual(["pending_dns", 1]);
    expect(findings.map(({ code }) => code)).toEqual(["SERVFAIL"]);
    await look(fixture, pointing);
    expect(edgeView.route(host)).toBeDefined();
  });

  test("elsewhere does not keep a name with its own record from being right", async () => {
    const fixture = await domainServiceFixture();
    await fixture.service.add(ann, "shop", host);
    await look(fixture, { "*.example.com CNAME": "other.example", ...pointing });
    expect((await fixture.service.show(ann, "shop", host)).status).toBe("live");
  });
});
