/** Our own limits, which are below those of a public authority. */
import { describe, expect, test } from "bun:test";
import { ann, domainServiceFixture, startMs, target } from "./domainServiceFixture.ts";
import { issued, type Order, recordsOf, resolverOf, workerWith, workOff } from "./workerFixture.ts";

const host = "docs.example.com";
const minuteMs = 60_000;
const pointing = resolverOf(recordsOf({ [`${host} CNAME`]: target }));
const everywhere = resolverOf((name, type) =>
  type === "CNAME" && !name.startsWith("unused-") ? [target] : [],
);

/** Lets everything happen that waits for nothing. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("our own limits", () => {
  async function certificatesOf60(ownLimits: boolean) {
    const fixture = await domainServiceFixture();
    const { service, clock } = fixture;
    let certificates = 0;
    const order: Order = async ({ host: name }) => {
      await turn();
      certificates += 1;
      return issued(name, clock.now());
    };
    const worker = workerWith(fixture, everywhere, { ownLimits, order });
    for (let n = 0; n < 60; n++) await service.add(ann, "shop", `n${n}.example.com`);
    for (let round = 0; round < 10; round++) {
      clock.advance(20_000);
      await workOff(worker);
    }
    return { certificates, fixture, worker };
  }

  test("let 45 of 60 names of one registered domain have certificates in a week", async () => {
    const { certificates, fixture, worker } = await certificatesOf60(true);
    expect(certificates).toBe(45);
    // Those that had to wait for the outcome of others know when by now.
    fixture.clock.advance(11 * minuteMs);
    await workOff(worker);
    const { items: views } = await fixture.service.list(ann, { project: "shop", limit: 100 });
    const waiting = views.filter(({ status }) => status !== "live");
    const issuedAtMs = views.flatMap(({ certificate }) => certificate?.notBeforeMs ?? []);
    for (const { findings, retryAtMs } of waiting) {
      expect(findings.map(({ code }) => code)).toEqual(["OWN_LIMIT"]);
      expect(findings[0]?.message).toContain("Our own limit");
      expect(findings[0]?.untilMs).toBe(Math.min(...issuedAtMs) + 7 * 24 * 60 * minuteMs);
      expect(retryAtMs).toBe(findings[0]?.untilMs);
    }
    expect(waiting).toHaveLength(15);
  });

  test("do not apply to an authority that is not public", async () => {
    expect((await certificatesOf60(false)).certificates).toBe(60);
  });

  test("end at the time that is told, however often it was tried before", async () => {
    const fixture = await domainServiceFixture();
    const { service, clock } = fixture;
    const refusal = {
      reason: "authorization_failed",
      detail: "No.",
      retryAtMs: undefined,
    } as const;
    let orders = 0;
    const worker = workerWith(fixture, pointing, {
      order: async () => {
        orders += 1;
        return { kind: "refused", refusal };
      },
    });
    await service.add(ann, "shop", host);
    clock.advance(15_000);
    await workOff(worker);
    for (let click = 0; click < 4; click++) {
      clock.advance(20_000);
      await service.verify(ann, "shop", host);
      await workOff(worker);
    }
    expect(orders).toBe(4);
    const { status, findings, retryAtMs } = await service.show(ann, "shop", host);
    expect(status).toBe("blocked");
    const codes = findings.map(({ code }) => code);
    expect(codes).toEqual(["OWN_LIMIT", "AUTHORIZATION_FAILED"]);
    expect(findings[0]?.untilMs).toBe(startMs + 15_000 + 60 * minuteMs);
    expect(retryAtMs).toBe(findings[0]?.untilMs);
    clock.advance(10_000);
    // Verify does not shorten it, and is not needed either.
    await service.verify(ann, "shop", host);
    await workOff(worker);
    expect(orders).toBe(4);
    clock.advance((retryAtMs ?? 0) - clock.now() - 1);
    await workOff(worker);
    expect(orders).toBe(4);
    clock.advance(1);
    await workOff(worker);
    expect(orders).toBe(5);
  });
});
