import { describe, expect, test } from "bun:test";
import { budgetFor, budgetWindowMs, usedOf } from "../../src/hosting/domains/budget.ts";
import type { CaAttempt } from "../../src/hosting/domains/domains.ts";
import * as schedule from "../../src/hosting/domains/schedule.ts";
import fc from "../../testkit/fastCheck.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe("checks of DNS", () => {
  test("come after 15 s, 30 s and then each minute, ten times", () => {
    const delays = Array.from({ length: 12 }, (_, checks) => schedule.checkDelayMs(checks));
    expect(delays).toEqual([15 * second, 30 * second, ...Array<number>(10).fill(minute)]);
  });

  test("then come ever more seldom by 1.15, until they come every 4 hours", () => {
    expect(schedule.checkDelayMs(12)).toBe(69 * second);
    expect(schedule.checkDelayMs(13)).toBe(79_350);
    for (let checks = 12; checks < 200; checks++) {
      const [delay, next] = [schedule.checkDelayMs(checks), schedule.checkDelayMs(checks + 1)];
      expect(Math.abs(next - Math.min(delay * 1.15, 4 * hour))).toBeLessThanOrEqual(1.2);
      expect(Number.isSafeInteger(delay)).toBe(true);
    }
    expect(schedule.checkDelayMs(200)).toBe(4 * hour);
    expect(schedule.checkDelayMs(1_000_000)).toBe(4 * hour);
  });

  test("that were never right are told of after 48 hours and end after 30 days", () => {
    expect(schedule.propagationMs).toBe(48 * hour);
    expect(schedule.abandonAfterMs).toBe(30 * day);
    expect(schedule.tombstoneMs).toBe(30 * day);
    let [atMs, checks] = [0, 0];
    while (atMs < schedule.abandonAfterMs) atMs += schedule.checkDelayMs(checks++);
    expect(checks).toBeLessThan(300);
  });

  test("of what is live come every 6 hours, as do questions for the renewal window", () => {
    expect(schedule.liveCheckMs).toBe(6 * hour);
    expect(schedule.askWindowMs).toBe(6 * hour);
  });
});

describe("attempts at a certificate", () => {
  for (const [attempts, delayMs] of [
    [1, minute],
    [2, 10 * minute],
    [3, 100 * minute],
    [4, day],
    [5, day],
    [99, day],
  ] as const) {
    test(`after ${attempts} wait ${delayMs / minute} minutes`, () =>
      expect(schedule.issueDelayMs(attempts)).toBe(delayMs));
  }
});

test("after an outage of the authority, attempts wait one to two minutes", () => {
  const delays = [0, 0.5, 1, 1 / 7].map(schedule.outageDelayMs);
  expect(delays).toEqual([minute, 1.5 * minute, 2 * minute, 68_571]);
});

test("a check may be requested every 10 seconds, and 20 times in an hour", () => {
  const clicks = (count: number) => Array.from({ length: count }, (_, n) => (n + 1) * minute);
  expect(schedule.verifyFreeAtMs([])).toBe(0);
  expect(schedule.verifyFreeAtMs(clicks(1))).toBe(minute + 10 * second);
  expect(schedule.verifyFreeAtMs(clicks(19))).toBe(19 * minute + 10 * second);
  expect(schedule.verifyFreeAtMs(clicks(20))).toBe(minute + hour);
  expect(schedule.verifyFreeAtMs(clicks(22))).toBe(3 * minute + hour);
});

test("a worker that crashed and an edge that is gone are noticed after 30 seconds", () => {
  expect([schedule.leaseMs, schedule.edgeSilentMaxMs]).toEqual([30 * second, 30 * second]);
});

describe("renewal", () => {
  for (const [life, left, lifeMs, leftMs] of [
    ["90 days", "30 days", 90 * day, 30 * day],
    ["45 days", "15 days", 45 * day, 15 * day],
    ["10 days", "a third", 10 * day, (10 * day) / 3],
    ["10 days less a second", "half", 10 * day - second, 5 * day - second / 2],
    ["6 days", "3 days", 6 * day, 3 * day],
    ["a minute", "30 seconds", minute, 30 * second],
  ] as const) {
    test(`of a certificate of ${life} comes with ${left} left`, () => {
      const leftOf =
        1_700_000_000_000 +
        lifeMs -
        schedule.renewalMs(1_700_000_000_000, 1_700_000_000_000 + lifeMs);
      expect(Math.abs(leftOf - leftMs)).toBeLessThan(1);
    });
  }

  test("falls on a whole millisecond, as all that is stored, however long the life", () => {
    const seconds = fc.integer({ min: 1, max: 400 * 86_400 });
    fc.assert(
      fc.property(seconds, (life) => {
        const atMs = schedule.renewalMs(1_700_000_000_000, 1_700_000_000_000 + life * second);
        expect(Number.isSafeInteger(atMs)).toBe(true);
      }),
    );
  });

  test("falls within the window that the authority told, at any chance", () => {
    expect(schedule.instantIn(1000, 2000, 0)).toBe(1000);
    expect(schedule.instantIn(1000, 2000, 0.5)).toBe(1500);
    expect(schedule.instantIn(1000, 2000, 255 / 256)).toBe(1996);
    expect(schedule.instantIn(1000, 1000, 0.7)).toBe(1000);
  });
});

describe("the budget", () => {
  const host = "docs.example.com";
  const nowMs = 1_700_000_000_000;
  const week = 7 * day;
  const attempts = (
    kind: CaAttempt["kind"],
    count: number,
    agoMs: number,
    of = host,
  ): CaAttempt[] =>
    Array.from({ length: count }, (_, index) => ({
      host: of,
      registrable: "example.com",
      kind,
      // The oldest is exactly so long ago, the others a second later each.
      atMs: nowMs - agoMs + index * second,
    }));
  const other = "other.example.com";

  const cases: readonly [what: string, attempts: readonly CaAttempt[], untilMs?: number][] = [
    ["nothing", []],
    ["3 failures within the hour", attempts("failed_authorization", 3, hour - 1)],
    ["4 failures within the hour", attempts("failed_authorization", 4, hour - 1), nowMs + 1],
    ["4 failures, the first exactly an hour ago", attempts("failed_authorization", 4, hour)],
    ["4 failures just now", attempts("failed_authorization", 4, 0), nowMs + hour],
    [
      "6 failures: until only 3 of them count",
      attempts("failed_authorization", 6, 10 * minute),
      nowMs + 50 * minute + 2 * second,
    ],
    ["4 failures of another name", attempts("failed_authorization", 4, minute, other)],
    ["3 certificates within the week", attempts("certificate", 3, week - 1)],
    ["4 certificates within the week", attempts("certificate", 4, week - 1), nowMs + 1],
    ["4 certificates, the first exactly a week ago", attempts("certificate", 4, week)],
    ["44 certificates of other names", attempts("certificate", 44, day, other)],
    ["45 certificates of other names", attempts("certificate", 45, day, other), nowMs + 6 * day],
    ["45, the first exactly a week ago", attempts("certificate", 45, week, other)],
    [
      "45 with those of this name",
      [...attempts("certificate", 43, day, other), ...attempts("certificate", 2, day)],
      nowMs + 6 * day,
    ],
    [
      "any number of orders that came to nothing",
      attempts("order", 100, minute).flatMap((order) => [order, { ...order, kind: "settled" }]),
    ],
    [
      "4 orders of workers that died: each may have failed",
      attempts("order", 4, 30 * minute),
      nowMs + 30 * minute,
    ],
    ["3 orders of workers that died, and one's own", attempts("order", 4, minute)],
    [
      "two limits at once: the later end",
      [...attempts("failed_authorization", 4, minute), ...attempts("certificate", 4, day)],
      nowMs + 6 * day,
    ],
  ];
  for (const [what, made, untilMs] of cases) {
    test(`after ${what} is ${untilMs === undefined ? "open" : "spent"}`, () => {
      const budget = budgetFor(host, made, nowMs);
      if (untilMs === undefined) expect(budget).toEqual({ kind: "open" });
      else {
        expect(budget).toMatchObject({ kind: "spent", untilMs });
        expect(budgetFor(host, made, untilMs)).toEqual({ kind: "open" });
        expect(budgetFor(host, made, untilMs - 1)).toMatchObject({ kind: "spent" });
      }
    });
  }

  test("looks back over a week, and says which limit it was", () => {
    expect(budgetWindowMs).toBe(week);
    expect(budgetFor(host, attempts("failed_authorization", 4, 0), nowMs)).toMatchObject({
      words: expect.stringContaining("4 failed attempts"),
    });
  });

  test("counts orders that are under way below the same registered domain, those before one's own", () => {
    const made = Array.from({ length: 44 }, (_, n) => ({
      host: `n${n}.example.com`,
      registrable: "example.com",
      kind: "certificate" as const,
      atMs: nowMs - hour,
    }));
    const order = (name: string) => ({
      host: name,
      registrable: "example.com",
      kind: "order" as const,
      atMs: nowMs - 1_000,
    });
    const [first, second] = ["a.example.com", "b.example.com"] as const;
    expect(budgetFor(second, made, nowMs).kind).toBe("open");
    expect(budgetFor(second, [...made, order(first)], nowMs).kind).toBe("spent");
    const both = [...made, order(first), order(second)];
    expect(budgetFor(first, both, nowMs).kind).toBe("open");
    expect(budgetFor(second, both, nowMs)).toMatchObject({ untilMs: nowMs + 10 * 60_000 });
    const failed = { ...order(first), kind: "failed_authorization" as const };
    expect(budgetFor(second, [...both, failed], nowMs).kind).toBe("open");
    // Whoever does not tell for so long is dead, and may have got one.
    expect(budgetFor(second, both, nowMs + 10 * 60_000).kind).toBe("spent");
    const settled = both.flatMap((each): CaAttempt[] =>
      each.kind === "order" ? [each, { ...each, kind: "settled" }] : [each],
    );
    expect(budgetFor(second, settled, nowMs).kind).toBe("open");
  });

  test("ends when what is known to count allows it, whatever becomes of an order in progress", () => {
    const made = attempts("certificate", 45, day, other);
    const inProgress = { ...attempts("order", 1, 1_000, other)[0] } as CaAttempt;
    const spent = budgetFor(host, [...made, inProgress], nowMs);
    expect(spent).toMatchObject({ untilMs: nowMs + 6 * day });
  });

  test("tells what is used of each limit, and until when", () => {
    const made = attempts("failed_authorization", 4, 0);
    const [failed, ...rest] = usedOf(host, made, nowMs);
    expect(failed).toMatchObject({ used: 4, max: 4, untilMs: nowMs + hour });
    expect(rest.map(({ used, max, untilMs }) => [used, max, untilMs])).toEqual([
      [0, 4, undefined],
      [0, 45, undefined],
    ]);
  });

  test("takes attempts in any order", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 * hour }), { minLength: 4, maxLength: 12 }),
        (agosMs) => {
          const kind = "failed_authorization" as const;
          const made = agosMs.map((agoMs) => ({
            host,
            registrable: "example.com",
            kind,
            atMs: nowMs - agoMs,
          }));
          const open = agosMs.filter((agoMs) => agoMs < hour).length < 4;
          expect(budgetFor(host, made, nowMs).kind).toBe(open ? "open" : "spent");
        },
      ),
    );
  });
});
