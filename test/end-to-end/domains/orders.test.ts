import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { Problem } from "../../../src/core/problems.ts";
import type { DomainDetails } from "../../../src/hosting/domains/domainView.ts";
import {
  startTestBed,
  type TestBed,
  type TestBedOptions,
} from "../../../testkit/testBed/testBed.ts";
import { describeWithTestBed } from "../../../testkit/testBed/tools.ts";
import { type Engine, sqlite } from "../engines.ts";
import { type DomainsFixture, operator, startDomainsFixture } from "./domainsFixture.ts";
import { describeWithTestBedOnEngines } from "./engines.ts";
import {
  atRest,
  codesOf,
  findingOf,
  leadAuthorityBack,
  misleadAuthority,
  ordersFor,
  refusalsOf,
} from "./findings.ts";

let testBed: TestBed;
let fixture: DomainsFixture;
const project = "acme";
const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000];

async function start(engine: Engine, options?: TestBedOptions) {
  testBed = await startTestBed(options);
  // The calendar skips three minutes here while an order is under way, and its lease must outlast
  // that. But it must not outlast the 9.5 minutes before a third attempt and end with the rest of
  // them: a worker that has not put the domain down yet would place that order, and another one too.
  fixture = await startDomainsFixture(testBed, engine, {
    PETSTORE_LEASE_SECONDS: "300",
    // As with a public authority.
    PETSTORE_ACME_LIMITS: "on",
  });
  await fixture.newProject(project);
}

async function end() {
  await fixture?.stop();
  await testBed?.stop();
}

/** A domain whose DNS is right, on a zone of its own. */
async function addReady(name: string): Promise<string> {
  await testBed.zone(`${name}.test`, { records: `docs CNAME ${testBed.target}.` });
  const host = `docs.${name}.test`;
  await fixture.add(project, host);
  return host;
}

const click = (host: string) => fixture.domainService.verify(operator, project, host);
const untilLive = (host: string) => fixture.until(project, host, ({ status }) => status === "live");

/** How a click ended: undefined, or what the owner was told. */
async function clickOutcome(host: string): Promise<Problem | undefined> {
  try {
    await click(host);
    return undefined;
  } catch (cause) {
    if (cause instanceof Problem) return cause;
    throw cause;
  }
}

/** How often the authority was told to look: where all looks fail, its count of failures. */
const lookedAt = () => testBed.ca.count("challenge");

function expectTooSoon(refusal: Problem | undefined): void {
  expect(refusal?.code).toBe("verify_too_soon");
  expect(refusal?.retryAfterSeconds).toBe(10);
  expect(refusal?.message).toContain("in 10 seconds");
}

describeWithTestBedOnEngines("orders", (engine) => {
  beforeAll(() => start(engine));
  afterEach(() => testBed.ca.faults.clear());
  afterAll(end);

  test("are placed once for 20 clicks while the authority is slow", async () => {
    const host = await addReady("patient");
    const hold = testBed.ca.faults.hold("newOrder");
    await click(host);
    await hold.arrived();
    await fixture.clock.still(async () => {
      for (let clicks = 1; clicks < 20; clicks++) {
        await fixture.skip(10 * secondMs);
        expect(await clickOutcome(host)).toBeUndefined();
        if (clicks === 1) expectTooSoon(await clickOutcome(host));
      }
    });
    hold.release();
    await untilLive(host);
    await atRest(fixture, project, host);
    expect(ordersFor(fixture, host)).toBe(1);
  });

  test("are placed once for 20 clicks at the same moment", async () => {
    const host = await addReady("hasty");
    await fixture.clock.still(async () => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => clickOutcome(host)));
      const refused = outcomes.filter((outcome) => outcome !== undefined);
      expect(refused).toHaveLength(19);
      for (const refusal of refused) expectTooSoon(refusal);
    });
    await untilLive(host);
    await fixture.verify(project, host);
    await atRest(fixture, project, host);
    expect(ordersFor(fixture, host)).toBe(1);
  });

  test("that fail are tried again after 1, 10 and 100 minutes, and then daily", async () => {
    const host = await addReady("failing");
    await misleadAuthority(fixture);
    try {
      await click(host);
      for (const [attempts, waitMs] of [
        [1, minuteMs],
        [2, 10 * minuteMs],
        [3, 100 * minuteMs],
        [4, 24 * hourMs],
        [5, 24 * hourMs],
      ] as const) {
        // Not after the last: the authority has to be led back before the next attempt.
        if (attempts > 1) await fixture.skip(30 * secondMs);
        await fixture.until(project, host, (each) => refusalsOf(each).length === attempts);
        // Once more: the timeline is read after the rest, and may be ahead of it.
        const details = await atRest(fixture, project, host);
        expect(findingOf(details, "AUTHORIZATION_FAILED").message).toMatch(/\[::1\].*refused/);
        const failedAtMs = Math.max(...refusalsOf(details));
        expect(details.retryAtMs).toBe(failedAtMs + waitMs);
        await fixture.skip(waitMs - 30 * secondMs);
        await atRest(fixture, project, host);
        expect(ordersFor(fixture, host)).toBe(attempts);
      }
    } finally {
      await leadAuthorityBack(fixture);
    }
    await fixture.skip(30 * secondMs);
    await untilLive(host);
  });

  test("stay under the authority's limit however often somebody clicks", async () => {
    const host = await addReady("stubborn");
    await misleadAuthority(fixture);
    const before = lookedAt();
    const failedAtMs: number[] = [];
    const rests = ({ nextAtMs }: DomainDetails) => {
      const nowMs = fixture.clock.now();
      while (failedAtMs.length < lookedAt() - before) failedAtMs.push(nowMs);
      return nextAtMs > nowMs;
    };
    let waits = 0;
    try {
      const endMs = fixture.clock.now() + 2 * hourMs;
      while (fixture.clock.now() < endMs) {
        await click(host);
        const details = await fixture.until(project, host, rests);
        expect(findingOf(details, "AUTHORIZATION_FAILED").message).toMatch(/\[::1\].*refused/);
        if (details.status === "blocked") {
          waits++;
          const { untilMs = 0 } = findingOf(details, "OWN_LIMIT");
          // When exactly is held in budget.test.ts: it also depends on orders of which nothing is known.
          expect(untilMs).toBeGreaterThan(fixture.clock.now());
          expect(untilMs).toBeLessThanOrEqual(fixture.clock.now() + hourMs);
          expect(details.retryAtMs).toBe(untilMs);
        }
        await fixture.skip(6 * minuteMs);
      }
    } finally {
      await leadAuthorityBack(fixture);
    }
    const mostWithinAnHour = Math.max(
      ...failedAtMs.map(
        (fromMs) => failedAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + hourMs).length,
      ),
    );
    expect(mostWithinAnHour).toBe(4);
    expect(failedAtMs.length).toBeGreaterThanOrEqual(8);
    expect(waits).toBeGreaterThan(0);
    // An order under way would not outlive the hours.
    await fixture.until(project, host, rests);
    await fixture.skip(2 * hourMs);
    await untilLive(host);
  });

  test("that the authority refuses for CAA while it looks count as failures too", async () => {
    const host = await addReady("seenbyit");
    const before = lookedAt();
    // For as long as it takes: an attempt that comes by itself is refused like one that was asked for.
    const forbidden = { type: "caa", status: 403, detail: "not by us" };
    testBed.ca.faults.refuse({ kind: "authorization", onceTold: true, ...forbidden });
    // One more click where a busy machine could not even check DNS in time.
    for (let clicks = 0; clicks < 12 && lookedAt() - before < 4; clicks++) {
      const looks = lookedAt();
      await fixture.skip(10 * secondMs);
      await click(host);
      const rested = await atRest(fixture, project, host);
      if (lookedAt() === looks) continue;
      expect(findingOf(rested, "CAA_BLOCKS").message).toContain("not by us");
    }
    const placed = ordersFor(fixture, host);
    await fixture.verify(project, host);
    const spent = await atRest(fixture, project, host);
    expect(codesOf(spent)).toEqual(["OWN_LIMIT", "CAA_BLOCKS"]);
    expect(ordersFor(fixture, host)).toBe(placed);
    expect(lookedAt() - before).toBe(4);
  });

  test("that the authority limits wait as long as it says, and no other order does", async () => {
    const limited = await addReady("limited");
    testBed.ca.faults.rateLimit({ host: limited, times: 1, retryAfter: 3600 });
    const clickedAtMs = fixture.clock.now();
    await click(limited);
    const refused = await fixture.until(project, limited, ({ status }) => status === "blocked");
    const { untilMs = 0, message } = findingOf(refused, "RATE_LIMITED");
    expect(message).toContain("too many orders");
    expect(untilMs).toBeGreaterThanOrEqual(clickedAtMs + hourMs);
    expect(untilMs).toBeLessThanOrEqual(fixture.clock.now() + hourMs);
    expect(refused.retryAtMs).toBe(untilMs);

    const other = await addReady("unlimited");
    await click(other);
    await untilLive(other);

    await fixture.verify(project, limited);
    await fixture.skip(59 * minuteMs);
    expect((await atRest(fixture, project, limited)).status).toBe("blocked");
    expect(ordersFor(fixture, limited)).toBe(1);
    await fixture.skip(minuteMs);
    const live = await untilLive(limited);
    expect(live.findings).toEqual([]);
    expect(ordersFor(fixture, limited)).toBe(2);
  });

  test("go on when nonces are refused, also several in a row", async () => {
    const host = await addReady("nonces");
    testBed.ca.faults.rejectNonces(5);
    await click(host);
    const live = await untilLive(host);
    expect(refusalsOf(live)).toEqual([]);
    expect(live.timeline.filter(({ event }) => event === "order_placed")).toHaveLength(1);
  });

  test("wait for an authority that is out of service, and need nobody when it is back", async () => {
    const host = await addReady("outage");
    testBed.ca.faults.outage(true);
    await click(host);
    const blocked = await fixture.until(project, host, ({ status }) => status === "blocked");
    expect(codesOf(blocked)).toEqual(["CA_UNAVAILABLE"]);
    const { message, next, untilMs = 0 } = findingOf(blocked, "CA_UNAVAILABLE");
    expect(message).toMatch(/since .* UTC: .*(?:out of service|503)/);
    expect(next).toContain("every one to two minutes");
    expect(blocked.retryAtMs).toBe(untilMs);
    expect(untilMs).toBeLessThanOrEqual(fixture.clock.now() + 2 * minuteMs);
    // However long it lasts.
    for (const [skippedMs, shown] of [
      [2 * minuteMs, "blocked"],
      [10 * minuteMs, "blocked"],
      [20 * hourMs, "certificate_delayed"],
    ] as const) {
      await fixture.skip(skippedMs);
      const again = ({ retryAtMs = 0 }: DomainDetails) => retryAtMs > fixture.clock.now();
      const { status, retryAtMs = 0 } = await fixture.until(project, host, again);
      expect(status).toBe(shown);
      expect(retryAtMs).toBeLessThanOrEqual(fixture.clock.now() + 2 * minuteMs);
    }
    expect(refusalsOf(await fixture.show(project, host))).toHaveLength(1);
    // One, if the directory had been read before.
    expect(ordersFor(fixture, host)).toBeLessThanOrEqual(1);
    testBed.ca.faults.outage(false);
    await fixture.skip(2 * minuteMs);
    expect((await untilLive(host)).findings).toEqual([]);
  });

  test("survive that the authority goes away in the middle of one", async () => {
    const host = await addReady("midway");
    const hold = testBed.ca.faults.hold("challenge");
    await click(host);
    await hold.arrived();
    testBed.ca.faults.outage(true);
    hold.release();
    const blocked = await fixture.until(project, host, ({ status }) => status === "blocked");
    expect(codesOf(blocked)).toEqual(["CA_UNAVAILABLE"]);
    testBed.ca.faults.outage(false);
    await fixture.skip(2 * minuteMs);
    await untilLive(host);
  });
});

// Whatever the database: it has no part in this.
describeWithTestBed("an authority that refuses every fifth nonce", () => {
  beforeAll(() => start(sqlite, { nonceRejectPercent: 20 }));
  afterAll(end);

  test("gets the orders of several domains done all the same", async () => {
    const hosts = await Promise.all(["one", "two", "three", "four", "five"].map(addReady));
    await Promise.all(hosts.map(click));
    for (const host of hosts) expect(refusalsOf(await untilLive(host))).toEqual([]);
    const refusedNonces = testBed.ca.requests.filter(({ status }) => status === 400);
    expect(refusedNonces.length).toBeGreaterThan(0);
    expect(testBed.ca.hostsOrdered().length).toBeGreaterThanOrEqual(hosts.length);
  });
});
