/** What keeps a name from going to somebody who only says that it is theirs. */
import { describe, expect, test } from "bun:test";
import type { DomainView } from "../../src/hosting/domains/domainView.ts";
import { unreachable } from "./answers.ts";
import {
  addOwner,
  addProject,
  ann,
  bob,
  ownerOf,
  refusalOf,
  type ServiceWorld,
  serviceWorld,
  target,
} from "./serviceWorld.ts";
import { recordsOf, resolverOf, workerWith, workOff } from "./workerWorld.ts";

const host = "docs.example.com";
const pointing = { [`${host} CNAME`]: target };
const typesOf = ({ records }: DomainView) => records.map(({ type }) => type);

function proofIn({ records }: DomainView): Record<string, string> {
  const proof = records.find(({ type }) => type === "TXT");
  if (proof === undefined) throw new Error("A proof should be asked for.");
  return { [`${proof.fullName} TXT`]: proof.value };
}

/** Lets a check fall due, and has it done while DNS has these records. */
async function look(world: ServiceWorld, lines: Readonly<Record<string, string>>): Promise<void> {
  world.clock.advance(61_000);
  await workOff(workerWith(world, resolverOf(recordsOf(lines))));
}

describe("who never showed that a name is theirs", () => {
  test("does not get it back when who proved it removes it", async () => {
    const world = await serviceWorld();
    const { service, clock, edgeView } = world;
    await service.add(ann, "shop", host);
    const claim = await service.add(bob, "rival", host, true);
    for (let round = 0; round < 2; round++) {
      await service.remove(ann, "shop", host, true);
      clock.advance(1_000);
      await service.add(ann, "shop", host);
    }
    await service.remove(ann, "shop", host, true);
    await look(world, { ...pointing, ...proofIn(claim) });
    expect((await service.show(bob, "rival", host)).status).toBe("live");
    await service.remove(bob, "rival", host, true);
    expect(typesOf(await service.add(ann, "shop", host))).toEqual(["CNAME", "TXT"]);
    await look(world, pointing);
    expect(edgeView.route(host)).toBeUndefined();
  });

  test("leaves no grave, so that the next one needs no proof", async () => {
    const world = await serviceWorld();
    await world.service.add(ann, "shop", host);
    await world.service.remove(ann, "shop", host, true);
    expect(typesOf(await world.service.add(bob, "rival", host))).toEqual(["CNAME"]);
  });

  test("is not served when who means to prove it points it here first", async () => {
    const world = await serviceWorld();
    const { service, edgeView } = world;
    await service.add(ann, "shop", host);
    const claim = await service.add(bob, "rival", host, true);
    await look(world, pointing);
    expect(edgeView.route(host)).toBeUndefined();
    const contested = await service.show(ann, "shop", host);
    expect(typesOf(contested)).toEqual(["CNAME", "TXT"]);
    expect(contested.timeline.map(({ event }) => event)).toContain("contested");
    await look(world, { ...pointing, ...proofIn(claim) });
    expect(edgeView.route(host)).toMatchObject({ kind: "site", project: "rival" });
  });

  test("has the name again once they prove it, also after a contest", async () => {
    const world = await serviceWorld();
    await world.service.add(ann, "shop", host);
    await world.service.add(bob, "rival", host, true);
    const contested = await world.service.show(ann, "shop", host);
    await look(world, { ...pointing, ...proofIn(contested) });
    expect(world.edgeView.route(host)).toMatchObject({ project: "shop" });
  });

  test("does not get a name for nothing by contesting it, leaving it and coming again", async () => {
    const world = await serviceWorld();
    const { service, edgeView } = world;
    await addOwner(world, "cleo");
    await addProject(world, "third", "cleo");
    await service.add(ann, "shop", host);
    await service.add(bob, "rival", host, true);
    await service.remove(bob, "rival", host, true);
    expect(typesOf(await service.add(bob, "rival", host))).toEqual(["CNAME", "TXT"]);
    expect(typesOf(await service.add(ownerOf("cleo"), "third", host))).toEqual(["CNAME", "TXT"]);
    await look(world, pointing);
    expect(edgeView.route(host)).toBeUndefined();
  });
});

test("a holder whose DNS was right once is not contested", async () => {
  const world = await serviceWorld();
  const { service, edgeView } = world;
  await service.add(ann, "shop", host);
  await look(world, pointing);
  await service.add(bob, "rival", host, true);
  expect(edgeView.route(host)).toMatchObject({ project: "shop" });
  const events = (await service.show(ann, "shop", host)).timeline.map(({ event }) => event);
  expect(events).not.toContain("contested");
});

test("who lost a name to a proof is told so when they ask for a check", async () => {
  const world = await serviceWorld();
  const { service } = world;
  await service.add(ann, "shop", host);
  await look(world, pointing);
  const claim = await service.add(bob, "rival", host, true);
  await look(world, { ...pointing, ...proofIn(claim) });
  const refusal = await refusalOf(service.verify(ann, "shop", host));
  expect(refusal.code).toBe("not_verifiable");
  expect(refusal.message).toBe(
    `Another owner proved by DNS that ${host} is theirs, so it was detached here.`,
  );
});

describe("a wildcard that points here", () => {
  const wild = { "*.example.com CNAME": target };

  test("lets nobody have a name below it without a proof", async () => {
    const world = await serviceWorld();
    const { service, edgeView } = world;
    await service.add(ann, "shop", host);
    await look(world, wild);
    expect(edgeView.route(host)).toBeUndefined();
    const asked = await service.show(ann, "shop", host);
    expect([asked.status, ...typesOf(asked)]).toEqual(["pending_dns", "CNAME", "TXT"]);
    expect(asked.findings.map(({ code }) => code)).toEqual(["WILDCARD_MATCH"]);
    await look(world, wild);
    expect(edgeView.route(host)).toBeUndefined();
    await look(world, { ...wild, ...pointing, ...proofIn(asked) });
    expect((await service.show(ann, "shop", host)).status).toBe("live");
    await look(world, { ...wild, ...pointing });
    expect((await service.show(ann, "shop", host)).status).toBe("live");
  });

  test("asks who gives a record of its own to the name no less: nothing tells the two apart", async () => {
    const world = await serviceWorld();
    await world.service.add(ann, "shop", host);
    await look(world, { ...wild, ...pointing });
    expect(typesOf(await world.service.show(ann, "shop", host))).toEqual(["CNAME", "TXT"]);
  });

  test("and comes later does not touch what is live", async () => {
    const world = await serviceWorld();
    const { service, clock } = world;
    await service.add(ann, "shop", host);
    await look(world, pointing);
    clock.advance(6 * 3_600_000);
    await look(world, { ...wild, ...pointing });
    const { status, findings, records } = await service.show(ann, "shop", host);
    expect([status, findings, records.length]).toEqual(["live", [], 1]);
  });

  test("may hide behind a name server that is silent about it: then nothing is decided", async () => {
    const world = await serviceWorld();
    const { service, clock, edgeView } = world;
    await service.add(ann, "shop", host);
    const told = resolverOf(recordsOf(pointing));
    const half = {
      ...told,
      ask: (...asked: Parameters<typeof told.ask>) =>
        asked[1] === host ? told.ask(...asked) : Promise.resolve(unreachable("timeout")),
    };
    clock.advance(15_000);
    await workOff(workerWith(world, half));
    const { status, findings, records } = await service.show(ann, "shop", host);
    expect([status, records.length]).toEqual(["pending_dns", 1]);
    expect(findings.map(({ code }) => code)).toEqual(["SERVFAIL"]);
    await look(world, pointing);
    expect(edgeView.route(host)).toBeDefined();
  });

  test("elsewhere does not keep a name with its own record from being right", async () => {
    const world = await serviceWorld();
    await world.service.add(ann, "shop", host);
    await look(world, { "*.example.com CNAME": "other.example", ...pointing });
    expect((await world.service.show(ann, "shop", host)).status).toBe("live");
  });
});
