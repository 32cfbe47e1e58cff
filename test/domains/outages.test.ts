/** Outages of the certificate authority: retried every one to two minutes, for as long as they last. */
import { describe, expect, test } from "bun:test";
import type { AuthorityRefusal } from "../../src/hosting/domains/certificateAuthority.ts";
import { ann, domainServiceFixture, startMs, target } from "./domainServiceFixture.ts";
import { issued, resolverOf, workerWith, workOff } from "./workerFixture.ts";

const host = "docs.example.com";
const secondMs = 1000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const down: AuthorityRefusal = {
  reason: "unavailable",
  detail: "The authority answered 503.",
  // What a server that fails says of its return is not relied on.
  retryAtMs: startMs + 24 * hourMs,
};

/** Names that point here, an authority that may be down, and what was asked of either. */
async function outageFixture(downAt: "directory" | "order", names: readonly string[] = [host]) {
  const fixture = await domainServiceFixture();
  const { clock, service } = fixture;
  const asked = { orders: 0, dns: 0, logged: 0 };
  const authority = { down: true };
  const resolver = resolverOf((name, type) => {
    asked.dns += 1;
    return type === "CNAME" && !name.startsWith("unused-") ? [target] : [];
  });
  const worker = workerWith(fixture, resolver, {
    unreachable: () => (authority.down && downAt === "directory" ? down : undefined),
    order: async (request) => {
      asked.orders += 1;
      if (authority.down) return { kind: "refused", refusal: down };
      return issued(request.host, clock.now());
    },
    log: (event) => void (event === "domain.certificate_refused" && asked.logged++),
  });
  for (const name of names) await service.add(ann, "shop", name);
  const pass = async (ms: number, stepMs = 10 * secondMs) => {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      clock.advance(stepMs);
      await workOff(worker);
    }
  };
  return { ...fixture, asked, authority, worker, pass };
}

describe("an outage of the authority", () => {
  for (const downAt of ["directory", "order"] as const) {
    test(`of the ${downAt} for a day is over within two minutes of its end`, async () => {
      const { service, authority, pass, asked } = await outageFixture(downAt);
      await pass(24 * hourMs);
      const { status, findings } = await service.show(ann, "shop", host);
      expect(status).toBe("certificate_delayed");
      const codes = findings.map(({ code }) => code);
      expect(codes).toEqual(["CERTIFICATE_OVERDUE", "CA_UNAVAILABLE"]);
      expect(findings[1]?.message).toContain("since 2026-11-15 12:00 UTC");
      expect(findings[1]?.message).toContain("The authority answered 503.");
      expect(findings[1]?.next).toContain("every one to two minutes");
      authority.down = false;
      const ordered = asked.orders;
      await pass(2 * minuteMs);
      expect((await service.show(ann, "shop", host)).status).toBe("live");
      expect(asked.orders).toBe(ordered + 1);
    });
  }

  test("is retried after one to two minutes, by chance", async () => {
    const { service, pass, clock } = await outageFixture("directory");
    const delaysMs = new Set<number>();
    for (let attempt = 0; attempt < 50; attempt++) {
      const { retryAtMs = 0, findings } = await service.show(ann, "shop", host);
      if (retryAtMs > clock.now()) {
        expect(findings.at(-1)?.untilMs).toBe(retryAtMs);
        delaysMs.add(retryAtMs - clock.now());
        clock.advance(retryAtMs - clock.now() - secondMs);
      }
      await pass(secondMs, secondMs);
    }
    expect(delaysMs.size).toBeGreaterThan(5);
    expect(Math.min(...delaysMs)).toBeGreaterThanOrEqual(minuteMs);
    expect(Math.max(...delaysMs)).toBeLessThanOrEqual(2 * minuteMs);
  });

  test("asks nothing of DNS at a retry, places no orders and fills neither log nor timeline", async () => {
    const { service, pass, asked, domains } = await outageFixture("directory");
    await pass(5 * minuteMs);
    const { dns, logged } = asked;
    const before = await service.show(ann, "shop", host);
    await pass(20 * minuteMs);
    const after = await service.show(ann, "shop", host);
    const checks = after.timeline.filter(({ event }) => event === "dns_checked").length;
    const checksBefore = before.timeline.filter(({ event }) => event === "dns_checked").length;
    // Only the checks that are due anyway.
    expect((asked.dns - dns) / (checks - checksBefore)).toBeLessThan(20);
    expect(asked.logged).toBe(logged);
    expect(after.timeline.filter(({ event }) => event === "certificate_refused")).toHaveLength(1);
    expect(asked.orders).toBe(0);
    expect(domains.attempts({ host, registrable: "example.com" }, 0)).toEqual([]);
  });

  test("of which the end is near gets a renewal in time", async () => {
    const { service, authority, pass, clock } = await outageFixture("order");
    authority.down = false;
    await pass(minuteMs);
    const { certificate } = await service.show(ann, "shop", host);
    // Down for the last month of the certificate, up to an hour before its end.
    authority.down = true;
    const { notAfterMs = 0 } = certificate ?? {};
    await pass(notAfterMs - hourMs - clock.now(), hourMs);
    expect((await service.show(ann, "shop", host)).status).toBe("renewal_failing");
    authority.down = false;
    await pass(2 * minuteMs);
    const renewed = await service.show(ann, "shop", host);
    expect(renewed.status).toBe("live");
    expect(renewed.certificate?.notAfterMs).toBeGreaterThan(notAfterMs);
  });

  test("of 100 names ends for all of them within minutes, and not at once", async () => {
    const names = Array.from({ length: 100 }, (_, n) => `docs.n${n}.com`);
    const { service, authority, pass } = await outageFixture("directory", names);
    await pass(6 * hourMs, 30 * secondMs);
    authority.down = false;
    const live = async () =>
      (await service.list(ann, { project: "shop", statuses: ["live"], limit: 100 })).items.length;
    await pass(minuteMs / 2);
    expect(await live()).toBeLessThan(90);
    await pass(3 * minuteMs);
    expect(await live()).toBe(100);
  });
});
