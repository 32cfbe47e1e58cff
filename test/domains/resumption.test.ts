/** Orders that a process left without an outcome, and what becomes of them. */
import { describe, expect, test } from "bun:test";
import type {
  OrderOutcome,
  RefusalReason,
} from "../../src/hosting/domains/certificateAuthority.ts";
import type { DomainStore } from "../../src/hosting/domains/domains.ts";
import { Life } from "../simulation/life.ts";
import {
  ann,
  type DomainServiceFixture,
  domainServiceFixture,
  target,
} from "./domainServiceFixture.ts";
import { issued, type Order, resolverOf, workerWith, workOff } from "./workerFixture.ts";

const host = "docs.example.com";
const minuteMs = 60_000;
const pointing = resolverOf((name, type) =>
  type === "CNAME" && !name.startsWith("unused-") ? [target] : [],
);
const refusedFor = (reason: RefusalReason): OrderOutcome => ({
  kind: "refused",
  refusal: { reason, detail: "", retryAtMs: undefined },
});

/** Lets everything happen that waits for nothing. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const kindsOf = ({ domains }: DomainServiceFixture) =>
  domains.attempts({ host, registrable: "example.com" }, 0).map(({ kind }): string => kind);

describe("a process that is killed while it orders", () => {
  const hosts = Array.from({ length: 30 }, (_, n) => `n${n}.example.com`);
  const ordersMax = 30;

  /** An authority that survives its clients, and the certificates it has issued. */
  function authorityOf({ clock }: DomainServiceFixture) {
    const orders = new Map<string, { certificate: OrderOutcome; issued: boolean }>();
    /** Each order goes as far as it is said: to where nothing is stored, to the key, to the end. */
    const order =
      (until: "placed" | "stored" | "issued" | "told"): Order =>
      async (request) => {
        const never = () => new Promise<never>(() => {});
        const url = request.resume?.url ?? `order ${orders.size + 1}`;
        const known = orders.get(url) ?? {
          certificate: issued(request.host, clock.now()),
          issued: false,
        };
        orders.set(url, known);
        if (until === "placed") return never();
        if (request.resume === undefined) {
          await request.placed({ directory: "https://ca.example", url, privateKeyPem: url });
        }
        if (until === "stored") return never();
        known.issued = true;
        return until === "issued" ? never() : { ...known.certificate, privateKeyPem: url };
      };
    return { order, certificates: () => [...orders.values()].filter((each) => each.issued).length };
  }

  async function killed(...steps: Parameters<ReturnType<typeof authorityOf>["order"]>[0][]) {
    const fixture = await domainServiceFixture();
    const { service, clock, domains } = fixture;
    const authority = authorityOf(fixture);
    for (const name of hosts) await service.add(ann, "shop", name);
    clock.advance(15_000);
    for (const step of steps) {
      const life = new Life(step);
      const order = authority.order(step);
      const store = life.between<DomainStore>(domains);
      const worker = workerWith(fixture, pointing, { order, store, holder: step });
      expect(await worker.takeDue()).toBe(ordersMax);
      for (let turns = 0; turns < 100; turns++) await turn();
      life.kill();
      clock.advance(30_000);
    }
    const order = authority.order("told");
    await workOff(workerWith(fixture, pointing, { order, holder: "last" }));
    const shown = await Promise.all(hosts.map((name) => service.show(ann, "shop", name)));
    return { shown, certificates: authority.certificates() };
  }

  for (const steps of [
    ["placed"],
    ["stored"],
    ["issued"],
    ["placed", "stored", "issued", "stored", "placed"],
  ] as const) {
    test(`at the step ${steps} costs nothing: 30 names of one zone go live with 30 certificates`, async () => {
      const { shown, certificates } = await killed(...steps);
      expect(shown.map(({ status }) => status)).toEqual(Array(30).fill("live"));
      expect(certificates).toBe(30);
      const used = shown[0]?.budget.map((each) => each.used);
      expect(used).toEqual([0, 1, 30]);
    });
  }
});

test("an order whose key cannot be opened any more is placed anew, and may have come to something", async () => {
  const fixture = await domainServiceFixture();
  const { service, clock } = fixture;
  const resumed: (string | undefined)[] = [];
  const order: Order = async (request) => {
    resumed.push(request.resume?.url);
    await request.placed({ directory: "https://ca.example", url: "one", privateKeyPem: "key" });
    return resumed.length === 1 ? refusedFor("unavailable") : issued(host, clock.now());
  };
  await service.add(ann, "shop", host);
  clock.advance(15_000);
  await workOff(workerWith(fixture, pointing, { order }));
  clock.advance(10 * minuteMs);
  await workOff(workerWith(fixture, pointing, { order, secret: "another secret" }));
  expect(resumed).toEqual([undefined, undefined]);
  expect(kindsOf(fixture)).toEqual(["order", "order", "certificate"]);
});

test("an order is resumed after an outage of the authority, and placed anew after a refusal", async () => {
  const fixture = await domainServiceFixture();
  const { service, clock } = fixture;
  const reasons = ["unavailable", "rate_limited", "authorization_failed", "policy"] as const;
  const resumed: (string | undefined)[] = [];
  const order: Order = async (request) => {
    const reason = reasons[resumed.length];
    const url = request.resume?.url ?? `order ${resumed.length}`;
    resumed.push(request.resume?.url);
    if (request.resume === undefined) {
      await request.placed({ directory: "https://ca.example", url, privateKeyPem: "key" });
    }
    if (reason === undefined) return issued(host, clock.now());
    return refusedFor(reason);
  };
  await service.add(ann, "shop", host);
  const worker = workerWith(fixture, pointing, { order });
  for (let hours = 0; hours < 60; hours++) {
    clock.advance(60 * minuteMs);
    await workOff(worker);
  }
  expect(resumed).toEqual([undefined, "order 0", "order 0", undefined, undefined]);
  expect(kindsOf(fixture)).toEqual([
    ...["order", "failed_authorization", "order", "settled", "order", "certificate"],
  ]);
});
