import { expect, test } from "bun:test";
import { keepEventsFor } from "../../src/petstore/events/retention.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";

const startMs = Date.UTC(2026, 10, 15, 12);
const dayMs = 86_400_000;
const minuteMs = 60_000;

/** Lets what is waiting for promises go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("events are removed after so many days, in as many calls as it takes, and again later", async () => {
  const clock = fakeClock(startMs);
  const calls: number[] = [];
  const answers = [true, true, false, false];
  const store = {
    async prune(beforeMs: number) {
      calls.push(beforeMs);
      return answers.shift() ?? false;
    },
  };
  const retention = keepEventsFor(2, store, clock, () => {});
  clock.advance(10 * minuteMs);
  await turn();
  expect(calls).toEqual(Array(3).fill(startMs + 10 * minuteMs - 2 * dayMs));
  clock.advance(10 * minuteMs);
  await turn();
  expect(calls.at(-1)).toBe(startMs + 20 * minuteMs - 2 * dayMs);
  await retention.stop();
  clock.advance(dayMs);
  await turn();
  expect(calls).toHaveLength(4);
});

test("a failure is reported, and the next attempt is made all the same", async () => {
  const clock = fakeClock(startMs);
  const failures: unknown[] = [];
  const cause = new Error("The disk is full.");
  const store = { prune: () => Promise.reject(cause) };
  const retention = keepEventsFor(2, store, clock, (failure) => failures.push(failure));
  for (let count = 0; count < 2; count++) {
    clock.advance(10 * minuteMs);
    await turn();
  }
  await retention.stop();
  expect(failures).toEqual([cause, cause]);
});
