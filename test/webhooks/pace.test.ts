import { describe, expect, test } from "bun:test";
import { Pace } from "../../src/petstore/webhooks/pace.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";

/** A second of requests, and of as many deliveries as may start in it: 1,000 are asked for. */
function startedBeside(perSecond: { requests: number; requestMs: number; cpuMs: number }): number {
  const clock = fakeClock(0);
  const load = () => {
    const seconds = clock.elapsed() / 1_000;
    const { requests, requestMs, cpuMs } = perSecond;
    return {
      requests: requests * seconds,
      requestMs: requestMs * seconds,
      cpuMs: cpuMs * seconds,
    };
  };
  const pace = new Pace(clock, load);
  const start = () => Array.from({ length: 10 }, () => pace.take()).filter(Boolean).length;
  // What it knows of the time before.
  clock.advance(200);
  start();
  let started = 0;
  for (let step = 0; step < 100; step++) {
    clock.advance(10);
    started += start();
  }
  return started;
}

describe("deliveries", () => {
  const idle = { requests: 0, requestMs: 0, cpuMs: 0 };
  test("are as fast as they can without requests, whatever they cost", () => {
    expect(startedBeside(idle)).toBe(1_000);
    expect(startedBeside({ ...idle, cpuMs: 2_000 })).toBe(1_000);
  });

  test("are as fast beside requests that the process has time for", () => {
    expect(startedBeside({ requests: 3_000, requestMs: 6_000, cpuMs: 400 })).toBe(1_000);
  });

  test("are one for twenty requests while these wait for each other", () => {
    expect(startedBeside({ requests: 6_000, requestMs: 60_000, cpuMs: 300 })).toBeWithin(290, 312);
  });

  test("are at most 500 a second while requests take the processor", () => {
    const started = startedBeside({ requests: 80_000, requestMs: 900, cpuMs: 950 });
    expect(started).toBeWithin(490, 512);
  });

  test("are 100 a second however slow requests are", () => {
    expect(startedBeside({ requests: 20, requestMs: 20_000, cpuMs: 50 })).toBeWithin(95, 112);
  });

  test("begin slowly after a pause, until it is known whether the process is busy", () => {
    const clock = fakeClock(0);
    const pace = new Pace(clock, () => idle);
    const start = () => Array.from({ length: 100 }, () => pace.take()).filter(Boolean).length;
    clock.advance(200);
    expect(start()).toBe(100);
    clock.advance(60_000);
    expect(start()).toBe(10);
    clock.advance(100);
    expect(start()).toBe(100);
  });

  test("of all endpoints take turns", () => {
    const clock = fakeClock(0);
    const busy = () => ({
      requests: clock.elapsed(),
      requestMs: clock.elapsed() * 100,
      cpuMs: 0,
    });
    const pace = new Pace(clock, busy);
    const started = [0, 0, 0];
    const endpoints = started.map((_, at) => {
      const pump = () => {
        while (pace.take()) started[at] = (started[at] ?? 0) + 1;
        pace.later(pump);
      };
      return pump;
    });
    clock.advance(200);
    for (const pump of endpoints) pump();
    clock.advance(60_000);
    for (const count of started) expect(count).toBeWithin(1_900, 2_100);
  });
});
