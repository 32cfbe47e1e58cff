import { describe, expect, test } from "bun:test";
import { Semaphore, SemaphoreFull } from "../src/core/semaphore.ts";
import { fakeClock } from "../testkit/fakeClock.ts";
import { rejectionOf } from "./store/rejection.ts";

/** Work that goes on until it is told to end. */
function endless(): { work: () => Promise<string>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, end: () => resolve("done") };
}

describe("a semaphore", () => {
  test("runs no more at once than it may, and the next in order when one has ended", async () => {
    const semaphore = new Semaphore(1, 10);
    const first = endless();
    const order: string[] = [];
    const one = semaphore.run(first.work);
    const two = semaphore.run(async () => order.push("second"));
    const three = semaphore.run(async () => order.push("third"));
    await Promise.resolve();
    expect(order).toEqual([]);
    first.end();
    await Promise.all([one, two, three]);
    expect(order).toEqual(["second", "third"]);
  });

  test("refuses a task when the queue is full", async () => {
    const semaphore = new Semaphore(1, 1);
    const first = endless();
    const one = semaphore.run(first.work);
    const two = semaphore.run(async () => "two");
    expect(await rejectionOf(semaphore.run(async () => "three"))).toBeInstanceOf(SemaphoreFull);
    first.end();
    expect(await Promise.all([one, two])).toEqual(["done", "two"]);
  });

  test("refuses a task that has waited too long, and frees its place in the queue", async () => {
    const clock = fakeClock(0);
    const semaphore = new Semaphore(1, 1);
    const first = endless();
    const one = semaphore.run(first.work);
    const two = semaphore.run(async () => "two", { clock, afterMs: 1000 });
    clock.advance(1000);
    expect(await rejectionOf(two)).toBeInstanceOf(SemaphoreFull);
    const three = semaphore.run(async () => "three");
    first.end();
    expect(await Promise.all([one, three])).toEqual(["done", "three"]);
    expect(await semaphore.run(async () => "four")).toBe("four");
  });

  test("goes on after a task that failed", async () => {
    const semaphore = new Semaphore(1, 1);
    const failure = new Error("broken");
    const failed = semaphore.run(() => Promise.reject(failure)).catch((cause) => cause);
    expect(await failed).toBe(failure);
    expect(await semaphore.run(async () => "next")).toBe("next");
  });

  test("gives the place of a task that failed to the one that waits", async () => {
    const semaphore = new Semaphore(1, 1);
    const failing = semaphore.run(() => Promise.reject(new Error("no memory")));
    const next = semaphore.run(async () => "done");
    expect((await rejectionOf(failing)).message).toBe("no memory");
    expect(await next).toBe("done");
    expect(await semaphore.run(async () => "again")).toBe("again");
  });
});
