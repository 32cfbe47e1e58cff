import { describe, expect, test } from "bun:test";
import {
  type AttemptResult,
  afterAttempt,
  retryDelaysMs,
} from "../../src/petstore/webhooks/schedule.ts";
import type { Delivery } from "../../src/petstore/webhooks/webhooks.ts";

const hourMs = 60 * 60_000;
const startMs = Date.UTC(2026, 10, 16, 12);
const fresh: Delivery = {
  ...{ endpointId: "whe_1", eventId: 7, type: "pet.created", body: "{}", state: "pending" },
  ...{ tries: 0, attempts: [], createdAtMs: startMs, dueAtMs: startMs },
};
const answered = (status: number, rest: Partial<AttemptResult> = {}): AttemptResult => ({
  ...{ atMs: startMs, durationMs: 12, status, ...rest },
});

interface Life {
  readonly delivery: Delivery;
  readonly delaysMs: number[];
  readonly last: ReturnType<typeof afterAttempt>;
}

/** Attempts the delivery whenever it is due, until it has ended. */
function live(
  random: number,
  result: Partial<AttemptResult> = { status: 500 },
  failingSinceMs: number | undefined = undefined,
): Life {
  let delivery = fresh;
  let endpoint = { failingSinceMs };
  let nowMs = startMs;
  const delaysMs: number[] = [];
  for (;;) {
    const attempt = { atMs: nowMs, durationMs: 12, ...result };
    const last = afterAttempt(delivery, endpoint, attempt, nowMs, random);
    delivery = { ...delivery, ...last.settled };
    endpoint = last;
    if (delivery.dueAtMs === undefined) return { delivery, delaysMs, last };
    delaysMs.push(delivery.dueAtMs - nowMs);
    nowMs = delivery.dueAtMs;
  }
}

describe("a delivery", () => {
  test("has ended with any 2xx", () => {
    for (const status of [200, 202, 204, 299]) {
      const { settled, failingSinceMs, disabled } = afterAttempt(
        ...([fresh, { failingSinceMs: startMs - hourMs }, answered(status), startMs, 0] as const),
      );
      expect(settled).toEqual({
        ...{ eventId: 7, state: "delivered", tries: 1, dueAtMs: undefined },
        attempts: [{ atMs: startMs, durationMs: 12, status }],
      });
      expect({ failingSinceMs, disabled }).toEqual({
        failingSinceMs: undefined,
        disabled: undefined,
      });
    }
  });

  test("is attempted ten times over about three days, and has then failed", () => {
    const { delivery, delaysMs } = live(0);
    expect(delaysMs).toEqual([...retryDelaysMs]);
    expect(delivery).toMatchObject({ state: "failed", tries: 10 });
    expect(delivery.attempts).toHaveLength(10);
    const totalMs = delaysMs.reduce((sum, each) => sum + each, 0);
    expect(totalMs / hourMs).toBeGreaterThan(72);
    expect(totalMs / hourMs).toBeLessThan(84);
  });

  test("is spread by up to a tenth of each delay", () => {
    const latest = live(0.999);
    for (const [index, delayMs] of latest.delaysMs.entries()) {
      const usualMs = retryDelaysMs[index] ?? 0;
      expect(delayMs).toBeGreaterThan(usualMs * 1.09);
      expect(delayMs).toBeLessThanOrEqual(usualMs * 1.1);
    }
  });

  for (const status of [100, 199, 300, 302, 308, 400, 404, 429, 500, 503]) {
    test(`is attempted again after ${status}`, () => {
      const { settled } = afterAttempt(
        fresh,
        { failingSinceMs: undefined },
        answered(status),
        startMs,
        0,
      );
      expect(settled).toMatchObject({ state: "pending", tries: 1, dueAtMs: startMs + 5_000 });
    });
  }

  for (const [header, expectedMs] of [
    ["60", 60_000],
    [new Date(startMs + 2 * hourMs).toUTCString(), 2 * hourMs],
    // Sooner than the schedule, longer than a day, and nonsense.
    ["1", 5_000],
    ["864000", 24 * hourMs],
    ["99999999999999999999", 24 * hourMs],
    ["soon", 5_000],
    ["-5", 5_000],
  ] as const) {
    test(`waits ${expectedMs} ms after Retry-After: ${header}`, () => {
      const told = answered(503, { retryAfter: header });
      const { settled } = afterAttempt(fresh, { failingSinceMs: undefined }, told, startMs, 0);
      expect(settled.dueAtMs).toBe(startMs + expectedMs);
      expect(JSON.stringify(settled.attempts)).not.toContain("retryAfter");
    });
  }

  test("starts its schedule again when it is replayed, and keeps the latest twenty attempts", () => {
    const { delivery } = live(0);
    const again = { ...delivery, state: "pending", tries: 0 } as const;
    const { settled } = afterAttempt(again, { failingSinceMs: startMs }, answered(500), startMs, 0);
    expect(settled).toMatchObject({ tries: 1, dueAtMs: startMs + 5_000 });
    expect(settled.attempts).toHaveLength(11);
    const many = { ...again, attempts: Array.from({ length: 20 }, () => answered(500)) };
    const next = afterAttempt(many, { failingSinceMs: startMs }, answered(502), startMs, 0);
    expect(next.settled.attempts).toHaveLength(20);
    expect(next.settled.attempts.at(-1)).toMatchObject({ status: 502 });
  });
});

describe("an endpoint", () => {
  test("is disabled by 410, and the delivery has failed", () => {
    const { settled, disabled } = afterAttempt(
      fresh,
      { failingSinceMs: undefined },
      answered(410),
      startMs,
      0,
    );
    expect({ state: settled.state, due: settled.dueAtMs, disabled }).toEqual({
      ...{ state: "failed", due: undefined, disabled: { atMs: startMs, reason: "gone" } },
    });
  });

  test("is disabled when all attempts of a delivery failed and nothing else was delivered meanwhile", () => {
    expect(live(0).last.disabled).toMatchObject({ reason: "failing" });
    const since = startMs - hourMs;
    expect(live(0, { error: "timed out" }, since).last.disabled?.reason).toBe("failing");
    // Something was delivered after this one began to fail.
    expect(live(0, { status: 400 }, startMs + hourMs).last.disabled).toBeUndefined();
  });

  test("is not disabled before, even if the clock jumps by a year", () => {
    const laterMs = startMs + 365 * 24 * hourMs;
    const late = answered(500, { atMs: laterMs });
    const second = { ...fresh, tries: 8, attempts: Array.from({ length: 8 }, () => answered(500)) };
    const { disabled } = afterAttempt(second, { failingSinceMs: startMs }, late, laterMs, 0);
    expect(disabled).toBeUndefined();
  });

  test("counts as failing since the first failure after a success", () => {
    const failed = afterAttempt(fresh, { failingSinceMs: undefined }, answered(500), startMs, 0);
    expect(failed.failingSinceMs).toBe(startMs);
    const later = answered(500, { atMs: startMs + hourMs });
    expect(afterAttempt(fresh, failed, later, startMs + hourMs, 0).failingSinceMs).toBe(startMs);
  });
});
