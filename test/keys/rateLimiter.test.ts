import { describe, expect, test } from "bun:test";
import { OwnCounts, TokenBuckets } from "../../src/petstore/keys/rateLimiter.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import fc from "../../testkit/fastCheck.ts";

describe("token buckets", () => {
  test("never allow more than the quota and what grew back, and waste nothing that did", () => {
    const steps = fc.array(
      fc.oneof(fc.constant("take" as const), fc.integer({ min: 1, max: 5000 })),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 10 }),
        steps,
        (requests, windowSeconds, history) => {
          const clock = fakeClock(0);
          const buckets = new TokenBuckets({ requests, windowSeconds }, clock);
          // The same in whole numbers: a token is windowSeconds * 1000 units, one grows `requests` a ms.
          const token = windowSeconds * 1000;
          let units = requests * token;
          for (const step of history) {
            if (step === "take") {
              // Where a fraction of a millionth decides, both verdicts are right.
              const close = Math.abs(units - token) < 1e-6 * token;
              const { allowed } = buckets.take("key");
              if (!close) expect(allowed).toBe(units >= token);
              if (allowed) units -= token;
            } else {
              clock.advance(step);
              units = Math.min(requests * token, units + step * requests);
            }
          }
        },
      ),
    );
  });

  test("a wait as long as it says is enough, and one second less is not", () => {
    const clock = fakeClock(0);
    const buckets = new TokenBuckets({ requests: 1, windowSeconds: 60 }, clock);
    expect(buckets.take("key").allowed).toBe(true);
    const { secondsUntilNext } = buckets.take("key");
    expect(secondsUntilNext).toBe(60);
    clock.advance((secondsUntilNext - 1) * 1000);
    expect(buckets.take("key").allowed).toBe(false);
    clock.advance(1000);
    expect(buckets.take("key").allowed).toBe(true);
  });

  test("what is given back is never more than the quota", () => {
    const buckets = new TokenBuckets({ requests: 2, windowSeconds: 1 }, fakeClock(0));
    for (let times = 0; times < 5; times++) buckets.giveBack("key");
    expect(buckets.giveBack("key").remaining).toBe(2);
  });

  test("letting go of full buckets gives nobody more than their quota", () => {
    const clock = fakeClock(0);
    const buckets = new TokenBuckets({ requests: 1, windowSeconds: 10 }, clock);
    for (let key = 0; key < 10_000; key++) buckets.take(`early ${key}`);
    clock.advance(9_999);
    expect(buckets.take("late").allowed).toBe(true);
    clock.advance(1);
    for (let key = 0; key < 10_001; key++) buckets.take(`next ${key}`);
    expect(buckets.take("late").allowed).toBe(false);
    expect(buckets.take("early 1").allowed).toBe(true);
  });

  test("say what is left and how long to wait for the next request and for all of them", () => {
    const clock = fakeClock(0);
    const buckets = new TokenBuckets({ requests: 2, windowSeconds: 60 }, clock);
    const verdict = { allowed: true, remaining: 1, secondsUntilWhole: 30, secondsUntilNext: 0 };
    expect(buckets.take("key")).toEqual(verdict);
    buckets.take("key");
    clock.advance(12_000);
    const denied = { allowed: false, remaining: 0, secondsUntilWhole: 48, secondsUntilNext: 18 };
    expect(buckets.take("key")).toEqual(denied);
    clock.advance(18_000);
    expect(buckets.giveBack("key")).toEqual({ ...verdict, remaining: 2, secondsUntilWhole: 0 });
  });

  test("that are full are removed when there are many, and not for each new key", () => {
    const clock = fakeClock(0);
    const buckets = new TokenBuckets({ requests: 1, windowSeconds: 10 }, clock);
    const takeNew = (count: number) => {
      for (let n = 0; n < count; n++) buckets.take(`${clock.now()} ${n}`);
    };
    takeNew(10_000);
    clock.advance(9_999);
    takeNew(1);
    expect(buckets.size).toBe(10_001);
    clock.advance(1);
    takeNew(9_999);
    expect(buckets.size).toBe(20_000);
    takeNew(10_000);
    expect(buckets.size).toBe(10_001);
  });
});

test("counts are apart by purpose and quota", () => {
  const counts = new OwnCounts(fakeClock(0));
  const quota = { requests: 1, windowSeconds: 10 };
  expect(counts.limiter("keys", quota).take("a")).toMatchObject({ allowed: true });
  expect(counts.limiter("keys", { ...quota }).take("a")).toMatchObject({ allowed: false });
  expect(counts.limiter("sign-ins", quota).take("a")).toMatchObject({ allowed: true });
  const changed = { ...quota, windowSeconds: 20 };
  expect(counts.limiter("keys", changed).take("a")).toMatchObject({ allowed: true });
  expect(counts.salt).toMatch(/^[0-9a-f]{32}$/);
});
