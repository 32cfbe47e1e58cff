import { afterAll, beforeAll, expect, test } from "bun:test";
import { publish } from "../../../src/hosting/sites/publish.ts";
import { startTestBed, type TestBed } from "../../../testkit/testBed/testBed.ts";
import { sourcesOf } from "../../sites/sources.ts";
import { rejectionOf } from "../../store/rejection.ts";
import { type DomainsFixture, operator, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import { ask, certificateAt, handshake, visit } from "./visits.ts";

let testBed: TestBed;
let fixture: DomainsFixture;
let ca: string;
const host = "docs.acme.test";

describeWithTestBedOnEngines("a domain that moves between projects", (engine) => {
  beforeAll(async () => {
    testBed = await startTestBed();
    fixture = await startDomainsFixture(testBed, engine);
    ca = await testBed.caRoots();
    await testBed.zone("acme.test", { records: `docs CNAME ${testBed.target}.` });
    await fixture.newProject("acme");
    const { sites: store } = fixture.service.stores;
    const { clock } = fixture;
    await store.addProject({ slug: "handbook", ownerId: "acme", nowMs: clock.now() });
    const files = sourcesOf({ "index.html": "<!doctype html><title>handbook</title>" });
    await publish("handbook", files, { store, clock, unless: "newest" });
    await store.addProject({ slug: "empty", ownerId: "acme", nowMs: clock.now() });
    await fixture.newProject("rival");
    await fixture.goLive("acme", host);
  });
  afterAll(async () => {
    await fixture?.stop();
    await testBed?.stop();
  });

  const at = () => ({ port: testBed.httpsPort, host, ca });
  const move = (from: string, to: string, confirmed = false) =>
    fixture.domainService.move(operator, from, host, to, confirmed);
  const titleIn = (body: string) => /<title>(\w+)</.exec(body)?.[1];

  test("is served through fifty moves, and by the other project from the next request on", async () => {
    const { fingerprint256 } = await certificateAt(at());
    let moving = true;
    const seen: string[] = [];
    /** On a connection that stays, and on new ones. */
    const poll = async (visitOnce: () => Promise<{ status: number; body: string }>) => {
      while (moving) {
        const { status, body } = await visitOnce();
        seen.push(`${status} ${titleIn(body)}`);
      }
    };
    const socket = await handshake(at());
    const kept = await handshake(at());
    const polling = [poll(() => ask(kept, host)), poll(() => visit(at()))];
    const projects = ["acme", "handbook"] as const;
    for (let count = 0; count < 50; count++) {
      const [from, to] = count % 2 === 0 ? projects : projects.toReversed();
      await move(from ?? "", to ?? "");
      expect(titleIn((await ask(socket, host)).body)).toBe(to ?? "");
    }
    moving = false;
    await Promise.all(polling);
    kept.destroy();
    socket.destroy();
    expect(new Set(seen)).toEqual(new Set(["200 acme", "200 handbook"]));
    expect((await certificateAt(at())).fingerprint256).toBe(fingerprint256);
    const { timeline, status } = await fixture.show("acme", host);
    expect(status).toBe("live");
    expect(timeline.filter(({ event }) => event === "moved")).toHaveLength(50);
    expect(timeline[0]?.message).toBe(`${host} was moved from handbook to acme.`);
  });

  test("stays where it is unless the other project is the same owner's and shows something", async () => {
    const refusals = ["rival", "empty", "nowhere", "acme"].map(async (to) => {
      const { code } = (await rejectionOf(move("acme", to))) as { code?: string };
      return `${to}: ${code}`;
    });
    expect(await Promise.all(refusals)).toEqual([
      "rival: project_not_found",
      "empty: deployment_required",
      "nowhere: project_not_found",
      "acme: already_attached",
    ]);
    expect(titleIn((await visit(at())).body)).toBe("acme");
  });

  test("leaves the routing of its project only when that is confirmed", async () => {
    await fixture.domainService.applyRouting(operator, "acme", { primary: host, redirects: [] });
    const refused = (await rejectionOf(move("acme", "handbook"))) as { code?: string };
    expect(refused.code).toBe("confirmation_needed");
    expect(titleIn((await visit(at())).body)).toBe("acme");
    await move("acme", "handbook", true);
    expect(titleIn((await visit(at())).body)).toBe("handbook");
    expect((await fixture.domainService.routing(operator, "acme")).primary).toBeUndefined();
  });
});
