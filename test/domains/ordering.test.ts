/** Orders: one at a time for a name, within what the authority allows, and never without an end. */
import { describe, expect, test } from "bun:test";
import type { OrderOutcome } from "../../src/hosting/domains/certificateAuthority.ts";
import type { CaAttempt, DomainStore } from "../../src/hosting/domains/domains.ts";
import {
  ann,
  bob,
  type DomainServiceFixture,
  domainServiceFixture,
  startMs,
  target,
} from "./domainServiceFixture.ts";
import { issued, type Order, recordsOf, resolverOf, workerWith, workOff } from "./workerFixture.ts";

const host = "docs.example.com";
const minuteMs = 60_000;
const pointing = resolverOf(recordsOf({ [`${host} CNAME`]: target }));
const abandoned: OrderOutcome = {
  kind: "refused",
  refusal: { reason: "abandoned", detail: "It was left.", retryAtMs: undefined },
};

/** Lets everything happen that waits for nothing. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const kindsOf = ({ domains }: DomainServiceFixture) =>
  domains
    .attempts({ host, registrable: "example.com" }, 0)
    .map(({ kind }: CaAttempt): string => kind);

/** Orders that end when they are told to, and how many there were at once. */
function heldBack(nowMs: () => number) {
  const begun: { end(): void; signal: AbortSignal }[] = [];
  const counted = { now: 0, most: 0 };
  let logged = () => {};
  const first = new Promise<void>((resolve) => {
    logged = resolve;
  });
  const order: Order = ({ host: name, signal }) =>
    new Promise((resolve) => {
      counted.now += 1;
      counted.most = Math.max(counted.most, counted.now);
      const end = (outcome: OrderOutcome) => {
        counted.now -= 1;
        resolve(outcome);
      };
      signal.addEventListener("abort", () => end(abandoned));
      begun.push({ end: () => end(issued(name, nowMs())), signal });
      logged();
    });
  return { order, begun, counted, first };
}

describe("one name", () => {
  test("is not ordered under a lease that ran out while DNS was checked", async () => {
    const world = await domainServiceFixture();
    await world.service.add(ann, "shop", host);
    world.clock.advance(15_000);
    // As when the machine was asleep: no timer ran meanwhile.
    let aheadMs = 0;
    const resolver = {
      ...pointing,
      async nameServers(name: string) {
        aheadMs = minuteMs;
        return pointing.nameServers(name);
      },
    };
    let orders = 0;
    const order: Order = async () => {
      orders++;
      return issued(host, startMs);
    };
    const worker = workerWith(world, resolver, {
      order,
      now: () => world.clock.now() + aheadMs,
    });
    expect(await workOff(worker)).toBe(1);
    expect(orders).toBe(0);
    expect(await workOff(worker)).toBe(1);
    expect(orders).toBe(1);
  });

  test("is ordered once at a time, also when it is removed and added again meanwhile", async () => {
    const fixture = await domainServiceFixture();
    const { service, clock } = fixture;
    const { order, begun, counted, first } = heldBack(clock.now);
    const one = workerWith(fixture, pointing, { order });
    const two = workerWith(fixture, pointing, { order, holder: "two" });
    await service.add(ann, "shop", host);
    clock.advance(15_000);
    await one.takeDue();
    await first;
    await service.remove(ann, "shop", host, true);
    await service.add(ann, "shop", host);
    clock.advance(15_000);
    expect(await workOff(two)).toBe(1);
    expect((await service.show(ann, "shop", host)).status).toBe("verified");
    begun[0]?.end();
    await one.settled();
    clock.advance(30_000);
    void workOff(two);
    await turn();
    begun[1]?.end();
    await two.settled();
    expect((await service.show(ann, "shop", host)).status).toBe("live");
    expect([begun.length, counted.most]).toEqual([2, 1]);
  });

  test("is not ordered beside the next worker by one that cannot extend its lease", async () => {
    const fixture = await domainServiceFixture();
    const { service, clock, domains } = fixture;
    const { order, begun, counted, first } = heldBack(clock.now);
    const cutOff: DomainStore = new Proxy(domains, {
      get(store, name) {
        if (name === "extendLease") return () => Promise.reject(new Error("It is locked."));
        const value = Reflect.get(store, name, store) as unknown;
        return typeof value === "function" ? value.bind(store) : value;
      },
    });
    const one = workerWith(fixture, pointing, { order, store: cutOff });
    await service.add(ann, "shop", host);
    clock.advance(15_000);
    await one.takeDue();
    await first;
    clock.advance(29_999);
    await turn();
    expect(begun[0]?.signal.aborted).toBe(false);
    clock.advance(1);
    await one.settled();
    expect(begun[0]?.signal.aborted).toBe(true);
    const two = workerWith(fixture, pointing, { order, holder: "two" });
    await two.takeDue();
    await turn();
    begun[1]?.end();
    await two.settled();
    expect((await service.show(ann, "shop", host)).status).toBe("live");
    expect([begun.length, counted.most]).toEqual([2, 1]);
  });
});

describe("an order that throws, by a fault of ours,", () => {
  async function attached() {
    const fixture = await domainServiceFixture();
    const causes: unknown[] = [];
    const broken = { orders: 0, fails: true };
    const worker = workerWith(fixture, pointing, {
      log: (event, { cause }) => void (event === "domain.order_failed" && causes.push(cause)),
      order: async (request) => {
        broken.orders += 1;
        if (broken.fails) throw new Error("The key opens nothing.");
        return issued(request.host, fixture.clock.now());
      },
    });
    await fixture.service.add(ann, "shop", host);
    return { fixture, worker, broken, causes };
  }

  test("is told as ours, and tried ever more seldom", async () => {
    const { fixture, worker, broken, causes } = await attached();
    for (let step = 0; step < 720; step++) {
      fixture.clock.advance(5_000);
      await workOff(worker);
    }
    expect(broken.orders).toBe(3);
    expect(causes).toHaveLength(3);
    const { status, findings } = await fixture.service.show(ann, "shop", host);
    expect(status).toBe("certificate_delayed");
    expect(findings.map(({ code }) => code)).toContain("HTTP_UNREACHABLE");
    expect(JSON.stringify(findings)).not.toContain("opens nothing");
  });

  test("counts against no limit, so that a click is enough once it is fixed", async () => {
    const { fixture, worker, broken } = await attached();
    const { service, clock } = fixture;
    for (let click = 0; click < 6; click++) {
      await service.verify(ann, "shop", host);
      await workOff(worker);
      clock.advance(20_000);
    }
    expect(kindsOf(fixture)).toEqual(Array(6).fill(["order", "settled"]).flat());
    broken.fails = false;
    await service.verify(ann, "shop", host);
    await workOff(worker);
    expect((await service.show(ann, "shop", host)).status).toBe("live");
  });
});

test("a renewal is ordered at the next look at DNS once it is right again, after however long", async () => {
  const fixture = await domainServiceFixture();
  const { service, clock } = fixture;
  let answers = target;
  const worker = workerWith(
    fixture,
    resolverOf((name, type) => recordsOf({ [`${host} CNAME`]: answers })(name, type)),
  );
  const orders = () => kindsOf(fixture).filter((kind) => kind === "order").length;
  const pass = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 10) {
      clock.advance(10 * minuteMs);
      await workOff(worker);
    }
  };
  await service.add(ann, "shop", host);
  clock.advance(15_000);
  await workOff(worker);
  expect(orders()).toBe(1);
  // A third of 90 days before its end it is time to renew.
  answers = "elsewhere.example.net";
  clock.advance(60 * 24 * 60 * minuteMs);
  await pass(60 * 60);
  expect(orders()).toBe(1);
  answers = target;
  await pass(4 * 60 + 10);
  expect(orders()).toBe(2);
});

describe("a worker", () => {
  test("gives up after 8 minutes whatever keeps it waiting, and takes what others wait for", async () => {
    const fixture = await domainServiceFixture();
    const { service, clock } = fixture;
    const logged: string[] = [];
    const stalling = {
      ...pointing,
      nameServers: (name: string) =>
        name === host ? pointing.nameServers(name) : new Promise<never>(() => {}),
    };
    const worker = workerWith(fixture, stalling, {
      atOnceMax: 1,
      log: (event) => void logged.push(event),
    });
    await service.add(ann, "shop", "docs.tarpit.com");
    clock.advance(1_000);
    await service.add(bob, "rival", host);
    clock.advance(15_000);
    expect(await worker.takeDue()).toBe(1);
    expect(await worker.takeDue()).toBe(0);
    clock.advance(8 * minuteMs);
    await worker.settled();
    expect(logged).toEqual(["domain.failed"]);
    expect(await workOff(worker)).toBe(1);
    expect((await service.show(bob, "rival", host)).status).toBe("live");
  });

  test("leaves what failed alone until the lease has run out", async () => {
    const fixture = await domainServiceFixture();
    const failing = {
      ...pointing,
      nameServers: () => Promise.reject(new Error("It cannot be asked.")),
    };
    const worker = workerWith(fixture, failing);
    await fixture.service.add(ann, "shop", host);
    fixture.clock.advance(15_000);
    expect(await workOff(worker)).toBe(1);
    fixture.clock.advance(29_999);
    expect(await workOff(worker)).toBe(0);
    fixture.clock.advance(1);
    expect(await workOff(worker)).toBe(1);
  });
});

describe("a certificate that takes longer than half an hour", () => {
  for (const [identities, words] of [
    [undefined, "DNS is right."],
    [["ca.example"], "DNS is right and no CAA record stands in the way."],
  ] as const) {
    test(`is told with CAA only where that was judged: ${identities ?? "nobody said by which name"}`, async () => {
      const fixture = await domainServiceFixture();
      const retryAtMs = startMs + 60 * minuteMs;
      const busy = { reason: "rate_limited", detail: "Too busy.", retryAtMs } as const;
      const worker = workerWith(fixture, pointing, {
        order: async () => ({ kind: "refused", refusal: busy }),
        ...(identities === undefined ? {} : { caaIdentities: identities }),
      });
      await fixture.service.add(ann, "shop", host);
      for (const passedMs of [15_000, 31 * minuteMs]) {
        fixture.clock.advance(passedMs);
        await workOff(worker);
      }
      const { timeline } = await fixture.service.show(ann, "shop", host);
      const logged = timeline.find(({ event }) => event === "certificate_overdue");
      expect(logged?.message).toBe(`There is no certificate after 30 minutes. ${words}`);
    });
  }
});

describe("a certificate from before", () => {
  for (const [secret, orders] of [
    ["secret", 1],
    ["another secret", 2],
  ] as const) {
    test(`that was sealed with "secret" makes ${orders} orders in all, now that it is "${secret}"`, async () => {
      const fixture = await domainServiceFixture();
      const { service, clock } = fixture;
      await service.add(ann, "shop", host);
      clock.advance(15_000);
      await workOff(workerWith(fixture, pointing));
      await service.remove(ann, "shop", host, true);
      await service.add(ann, "shop", host);
      clock.advance(15_000);
      await workOff(workerWith(fixture, pointing, { secret }));
      expect((await service.show(ann, "shop", host)).status).toBe("live");
      expect(kindsOf(fixture).filter((kind) => kind === "order")).toHaveLength(orders);
    });
  }
});

describe("the edges that must answer the authority", () => {
  const edge = { address: "192.0.2.77", httpPort: 80, revision: 0 };
  const publishing =
    ({ clock }: DomainServiceFixture): Order =>
    async (request) => {
      const challenge = { host: request.host, token: "t0k", keyAuthorization: "t0k.account" };
      const left = await request.publish(challenge).then(
        () => false,
        () => true,
      );
      return left ? abandoned : issued(request.host, clock.now());
    };

  async function ordered(seenAtMs: readonly number[], reached: boolean) {
    const fixture = await domainServiceFixture();
    for (const [index, each] of seenAtMs.entries()) {
      await fixture.edgeView.reportEdge({ ...edge, id: `edge-${index}`, seenAtMs: each });
    }
    await fixture.service.add(ann, "shop", host);
    fixture.clock.advance(15_000);
    const worker = workerWith(fixture, pointing, {
      order: publishing(fixture),
      probe: async ({ id, address }) =>
        reached && id === "edge-0"
          ? { kind: "answered", body: "t0k.account" }
          : { kind: "failed", detail: `${address} refused` },
    });
    await workOff(worker);
    return fixture.service.show(ann, "shop", host);
  }

  test("are not those that were seen in the future, before the clock was set back", async () => {
    const nowMs = startMs + 15_000;
    expect((await ordered([nowMs, nowMs + 3_600_000], true)).status).toBe("live");
    const { status, findings } = await ordered([nowMs + 3_600_000], true);
    expect(status).toBe("blocked");
    expect(findings[0]?.message).toContain("No server of ours is running");
  });

  test("have no address in what owners read", async () => {
    const details = await ordered([startMs + 15_000], false);
    expect(details.findings.map(({ code }) => code)).toEqual(["HTTP_UNREACHABLE"]);
    expect(JSON.stringify(details)).not.toContain(edge.address);
  });
});
