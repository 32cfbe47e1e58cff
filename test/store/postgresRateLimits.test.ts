/** Quotas that several processes share. The windows are long: nothing grows back within a test. */
import { describe, expect, test } from "bun:test";
import type { Problem } from "../../src/core/problems.ts";
import type { RateLimiter } from "../../src/petstore/keys/rateLimiter.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { rejectionOf } from "./rejection.ts";

const database = usePostgres({ migrated: true });
const quota = { requests: 50, windowSeconds: 100_000 };

async function limiters(count: number): Promise<RateLimiter[]> {
  const stores = await Promise.all(Array.from({ length: count }, () => database.open()));
  return stores.map((each) => each.limiter?.(quota)).filter((each) => each !== undefined);
}

const take = async (limiter: RateLimiter, keyId = "key_a") => limiter.take(keyId);

describe("a quota on PostgreSQL", () => {
  test("is spent by all processes together, to the last request and not beyond", async () => {
    const processes = await limiters(3);
    const verdicts = await Promise.all(
      Array.from({ length: 90 }, (_, n) => take(processes[n % 3] as RateLimiter)),
    );
    expect(verdicts.filter(({ allowed }) => allowed).length).toBe(50);
    const [first] = processes as [RateLimiter];
    const refused = await take(first);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.secondsUntilNext).toBeGreaterThan(1_900);
    expect(refused.secondsUntilNext).toBeLessThanOrEqual(2_000);
  });

  test("is each key's own", async () => {
    const [one, other] = (await limiters(2)) as [RateLimiter, RateLimiter];
    for (let n = 0; n < 50; n++) await take(one, "key_spent");
    expect((await take(other, "key_spent")).allowed).toBe(false);
    const verdicts = await Promise.all(["key_b", "key_c", "key_b"].map((key) => take(other, key)));
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true]);
    expect((await take(one, "key_b")).remaining).toBe(47);
  });

  test("has a request again that was given back, in every process", async () => {
    const [one, other] = (await limiters(2)) as [RateLimiter, RateLimiter];
    for (let n = 0; n < 50; n++) await take(one);
    expect((await one.giveBack("key_a")).remaining).toBe(1);
    expect((await take(other)).allowed).toBe(true);
    expect((await take(one)).allowed).toBe(false);
  });

  test("never holds more than it is", async () => {
    const [one] = (await limiters(1)) as [RateLimiter];
    for (let n = 0; n < 5; n++) expect((await one.giveBack("key_a")).remaining).toBe(50);
  });

  test("grows back by the database's clock", async () => {
    const [stores] = await Promise.all([database.open()]);
    const quick = stores.limiter?.({ requests: 1_000, windowSeconds: 1 }) as RateLimiter;
    const verdicts = await Promise.all(Array.from({ length: 1_000 }, () => take(quick)));
    expect(verdicts.every(({ allowed }) => allowed)).toBe(true);
    let later = await take(quick);
    for (let asked = 0; !later.allowed && asked < 1_000; asked++) later = await take(quick);
    expect(later.allowed).toBe(true);
  });

  test("refuses at once past 10,000 who wait, except what is given back", async () => {
    const [limiter] = (await limiters(1)) as [RateLimiter];
    const waiting = Array.from({ length: 10_000 }, () => take(limiter));
    const refusal = (await rejectionOf(take(limiter, "key_b"))) as Problem;
    expect(refusal.code).toBe("store_unavailable");
    const givenBack = limiter.giveBack("key_b");
    expect((await Promise.all(waiting)).filter(({ allowed }) => allowed)).toHaveLength(50);
    expect((await givenBack).remaining).toBe(50);
    expect((await take(limiter, "key_b")).allowed).toBe(true);
  });
});
