import { describe, expect, test } from "bun:test";
import { Line } from "../../src/dns/line.ts";
import { fakeClock } from "../fakes/clock.ts";

/** Work that goes on until it is told to end. */
function endless(): { work: () => Promise<string>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, end: () => resolve("done") };
}

describe("the line", () => {
  test("starts no more at once than it may, and the next when one has ended", async () => {
    const line = new Line(fakeClock(0), 1, 10);
    const first = endless();
    const order: string[] = [];
    const one = line.pass(1000, first.work);
    const two = line.pass(1000, async () => order.push("second"));
    const three = line.pass(1000, async () => order.push("third"));
    await Promise.resolve();
    expect(order).toEqual([]);
    first.end();
    await Promise.all([one, two, three]);
    expect(order).toEqual(["second", "third"]);
  });

  test("turns away whoever comes when it is full", async () => {
    const line = new Line(fakeClock(0), 1, 1);
    const first = endless();
    const one = line.pass(1000, first.work);
    const two = line.pass(1000, async () => "two");
    expect(await line.pass(1000, async () => "three")).toBeUndefined();
    first.end();
    expect(await Promise.all([one, two])).toEqual(["done", "two"]);
  });

  test("sends away whoever has waited too long, and keeps no place for them", async () => {
    const clock = fakeClock(0);
    const line = new Line(clock, 1, 1);
    const first = endless();
    const one = line.pass(1000, first.work);
    const two = line.pass(1000, async () => "two");
    clock.advance(1000);
    expect(await two).toBeUndefined();
    const three = line.pass(1000, async () => "three");
    first.end();
    expect(await Promise.all([one, three])).toEqual(["done", "three"]);
    expect(await line.pass(1000, async () => "four")).toBe("four");
  });

  test("goes on after work that failed", async () => {
    const line = new Line(fakeClock(0), 1, 1);
    const failure = new Error("broken");
    const failed = line.pass(1000, () => Promise.reject(failure)).catch((cause) => cause);
    expect(await failed).toBe(failure);
    expect(await line.pass(1000, async () => "next")).toBe("next");
  });
});
