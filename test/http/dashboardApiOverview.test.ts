/** The last hour of the service, and the certificates of those who ask. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Problem } from "../../src/core/problems.ts";
import { Recent, stepSeconds, stepsMax } from "../../src/http/recentRequests.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { domainFor, nowMs, servedIn } from "../store/domainSamples.ts";
import {
  type DashboardApiFixture,
  openDashboardApiFixture,
} from "./dashboardApi/dashboardApiFixture.ts";

describe("the last hour", () => {
  const clock = fakeClock(nowMs);
  let recent: Recent;
  beforeEach(() => {
    recent = new Recent(clock);
  });

  test("counts requests, errors of the service alone, commits and writes in the present step", () => {
    for (const status of [200, 404, 429, 500, 503]) recent.observe("listPets", status, 0.001);
    recent.commit({ writes: 7, durationMs: 1 });
    recent.commit({ writes: 3, durationMs: 1 });
    const series = recent.series();
    expect(series.requests.at(-1)).toBe(5);
    expect(series.errors.at(-1)).toBe(2);
    expect([series.commits.at(-1), series.writes.at(-1)]).toEqual([2, 10]);
    expect(series.requests.length).toBe(stepsMax);
  });

  test("moves on with time, and forgets what is older than an hour", () => {
    recent.observe("listPets", 200, 0.001);
    clock.advance(stepSeconds * 1000);
    recent.observe("listPets", 200, 0.001);
    recent.observe("listPets", 200, 0.001);
    expect(recent.series().requests.slice(-2)).toEqual([1, 2]);
    clock.advance(stepSeconds * 1000 * (stepsMax - 2));
    expect(recent.series().requests.slice(0, 3)).toEqual([1, 2, 0]);
    expect(recent.series().fromMs).toBe(clock.now() - (stepsMax - 1) * stepSeconds * 1000);
    clock.advance(stepSeconds * 1000 * 2);
    expect(recent.series().requests.every((count) => count === 0)).toBe(true);
  });

  test("knows latencies within an eighth, from microseconds to minutes, and gaps as gaps", () => {
    for (const ms of [0.002, 0.05, 0.7, 1, 3.3, 42, 999, 60_000]) {
      const one = new Recent(clock);
      one.observe("getPet", 200, ms / 1000);
      const measured = one.series().p50Ms.at(-1) ?? 0;
      expect(Math.abs(measured - ms) / ms).toBeLessThan(ms < 0.01 ? 0.5 : 0.13);
    }
    expect(recent.series().p50Ms.at(-1)).toBeUndefined();
  });

  test("tells the slow few from the many", () => {
    for (let count = 0; count < 98; count++) recent.observe("getPet", 200, 0.001);
    for (let count = 0; count < 2; count++) recent.observe("getPet", 200, 1);
    const { p50Ms, p99Ms } = recent.series();
    expect(p50Ms.at(-1)).toBeLessThan(1.2);
    expect(p99Ms.at(-1)).toBeGreaterThan(800);
  });
});

describeOnEngines("the overview", (engine) => {
  let fixture: DashboardApiFixture;
  beforeEach(async () => {
    fixture = await openDashboardApiFixture(engine);
    const { domains } = fixture.stores;
    for (const project of ["shop", "rival"]) {
      await domains.add(domainFor(`docs.${project}.com`, project), nowMs, []);
    }
  });
  afterEach(() => fixture.close());

  test("shows the operator everything", async () => {
    fixture.recent.observe("listPets", 200, 0.002);
    const { status, body } = await fixture.ask("GET", "/overview", { as: "operator" });
    expect(status).toBe(200);
    expect(body.series.requests.at(-1)).toBe(1);
    expect(body.series.p99Ms.at(-1)).toBeGreaterThan(1);
    expect(body.series.p99Ms.at(0)).toBeNull();
    expect(body.certificates.map(({ host }: { host: string }) => host).sort()).toEqual([
      "docs.rival.com",
      "docs.shop.com",
    ]);
    expect(body).toMatchObject({ projects: 2, ready: true, trouble: null });
    expect(body.domains).toEqual([{ status: "pending_dns", count: 2 }]);
  });

  test("shows an owner their own domains, and nothing of the service's traffic", async () => {
    const { body } = await fixture.ask("GET", "/overview");
    expect(body.series).toBeNull();
    expect(body.certificates).toEqual([
      {
        host: "docs.shop.com",
        project: "shop",
        status: "pending_dns",
        notAfter: null,
        renewAt: null,
      },
    ]);
    expect(body.projects).toBe(1);
  });

  test("of many, shows those that are not live", async () => {
    const { stores } = fixture;
    for (let count = 0; count < 20; count++) await servedIn(stores, `n${count}.shop.com`);
    const { body } = await fixture.ask("GET", "/overview");
    expect(body.domains).toEqual([
      { status: "pending_dns", count: 1 },
      { status: "live", count: 20 },
    ]);
    expect(body.certificates).toMatchObject([{ host: "docs.shop.com", status: "pending_dns" }]);
  });

  test("says what keeps the service from its work", async () => {
    fixture.state.trouble = new Problem("store_unavailable");
    const { body } = await fixture.ask("GET", "/overview");
    expect(body.ready).toBe(false);
    expect(body.trouble).toContain("database");
  });
});
