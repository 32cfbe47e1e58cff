/** Processes that end when they should not, and figures that outlive them. The processes are made up. */
import { beforeEach, describe, expect, test } from "bun:test";
import { createLog } from "../../src/core/log.ts";
import type { Family } from "../../src/core/metrics.ts";
import { Recent } from "../../src/http/recentRequests.ts";
import { type Plan, Supervisor } from "../../src/serve/supervisor/supervisor.ts";
import type { Ending, Worker } from "../../src/serve/supervisor/worker.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";

class FakeWorker implements Worker {
  readonly slot: number;
  readonly pid = 1;
  readonly #started = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<Ending>();
  readonly started = this.#started.promise;
  readonly ended = this.#ended.promise;
  readonly accepts: number[] = [];
  requests = 0;
  told: string | undefined;
  answers = true;
  /** Whether it was asked last for what is in the store, too. */
  stored: boolean | undefined;

  constructor(slot: number) {
    this.slot = slot;
    this.started.catch(() => {});
  }

  begin(): void {
    this.#started.resolve();
  }

  end(ending: Partial<Ending> = {}): void {
    this.#started.reject(new Error("It ended."));
    this.#ended.resolve({ code: 1, signal: null, ...ending });
  }

  families(stored: boolean): Promise<Family[]> {
    this.stored = stored;
    if (!this.answers) return new Promise(() => {});
    const samples = [{ value: this.requests }];
    return Promise.resolve([{ name: "requests_total", type: "counter", help: "", samples }]);
  }

  recent = async () => [];

  async accept(indexes: readonly number[]): Promise<void> {
    this.accepts.push(...indexes);
  }

  stop({ replaced }: { readonly replaced: boolean }): void {
    this.told = replaced ? "replaced" : "stopped";
  }

  kill(): void {
    this.told = "killed";
    this.end({ code: null, signal: "SIGKILL" });
  }
}

let clock: FakeClock;
let workers: FakeWorker[];
let supervisor: Supervisor;
let logged: Record<string, unknown>[];

beforeEach(() => {
  clock = fakeClock(Date.UTC(2026, 10, 15));
  workers = [];
  logged = [];
  const log = createLog("info", clock, (lines) => {
    const entries = lines.split("\n").filter((line) => line !== "");
    logged.push(...entries.map((line) => JSON.parse(line)));
  });
  supervisor = new Supervisor({ clock, log, recent: new Recent(clock) });
});

const plan = (processes: number): Plan => ({
  processes,
  sockets: processes,
  stopMsMax: 10_000,
  start(slot) {
    const worker = new FakeWorker(slot);
    workers.push(worker);
    return worker;
  },
});

/** Lets everything that has been promised happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

async function startTwo(): Promise<[FakeWorker, FakeWorker]> {
  const started = supervisor.start(plan(2));
  for (const worker of workers) worker.begin();
  await started;
  return workers.slice() as [FakeWorker, FakeWorker];
}

const delays = () =>
  logged.filter(({ event }) => event === "process.restart_scheduled").map(({ inMs }) => inMs);

async function requestsCounted(): Promise<number | undefined> {
  const families = await supervisor.families();
  return families.find(({ name }) => name === "requests_total")?.samples[0]?.value;
}

describe("a process that ends by itself", () => {
  test("is logged and started again, and the other one accepts for it meanwhile", async () => {
    const [first, second] = await startTwo();
    first.end({ code: null, signal: "SIGSEGV" });
    await settle();
    expect(logged).toContainEqual(
      expect.objectContaining({ event: "process.exited", slot: 0, signal: "SIGSEGV" }),
    );
    expect(second.accepts).toEqual([0]);
    clock.advance(100);
    expect(workers.map(({ slot }) => slot)).toEqual([0, 1, 0]);
    workers[2]?.begin();
    await settle();
    // One after the other: now the new one stands in for the second.
    second.end();
    await settle();
    expect(workers[2]?.accepts).toEqual([1]);
  });

  test("again and again is started less and less often, and soon again once it ran for a while", async () => {
    await startTwo();
    for (let crash = 0; crash < 12; crash++) {
      workers.findLast(({ slot }) => slot === 0)?.end();
      await settle();
      clock.advance(30_000);
      workers.findLast(({ slot }) => slot === 0)?.begin();
      await settle();
    }
    expect(delays().slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect(delays().slice(-2)).toEqual([30_000, 30_000]);
    clock.advance(60_000);
    workers.findLast(({ slot }) => slot === 0)?.end();
    await settle();
    expect(delays().at(-1)).toBe(100);
  });

  test("before it has started is started again, too", async () => {
    const [first] = await startTwo();
    first.end();
    await settle();
    clock.advance(100);
    workers[2]?.end();
    await settle();
    clock.advance(200);
    expect(workers.length).toBe(4);
  });

  test("is started again later where the system runs no more processes", async () => {
    let full = false;
    const ordinary = plan(1);
    const started = supervisor.start({
      ...ordinary,
      start(slot) {
        if (full) throw new Error("There is no room.");
        return ordinary.start(slot);
      },
    });
    workers[0]?.begin();
    await started;
    full = true;
    workers[0]?.end();
    await settle();
    clock.advance(100);
    await settle();
    expect(logged.at(-1)).toMatchObject({ event: "process.start_failed", slot: 0 });
    full = false;
    clock.advance(200);
    expect(workers.length).toBe(2);
  });

  test("is no start at all where the first cannot be run", async () => {
    const start = () => {
      throw new Error("There is no room.");
    };
    await expect(supervisor.start({ ...plan(2), start })).rejects.toThrow("There is no room.");
    expect(delays()).toEqual([]);
  });
});

describe("a reload", () => {
  test("stops the old ones only when all new ones accept", async () => {
    const old = await startTwo();
    const reloaded = supervisor.reload(plan(2));
    await settle();
    const [, , third, fourth] = workers;
    third?.begin();
    await settle();
    expect(old.map(({ told }) => told)).toEqual([undefined, undefined]);
    fourth?.begin();
    await reloaded;
    expect(old.map(({ told }) => told)).toEqual(["replaced", "replaced"]);
  });

  test("of which one does not start ends the other new ones and touches no old one", async () => {
    const old = await startTwo();
    const reloaded = supervisor.reload(plan(2));
    await settle();
    workers[2]?.begin();
    workers[3]?.end();
    await expect(reloaded).rejects.toThrow("It ended.");
    expect(workers[2]?.told).toBe("killed");
    expect(old.map(({ told }) => told)).toEqual([undefined, undefined]);
    // And the old ones are still looked after.
    old[0].end();
    await settle();
    clock.advance(100);
    expect(workers.length).toBe(5);
  });

  test("waits for those of the reload before, so that there are never three generations", async () => {
    const old = await startTwo();
    const first = supervisor.reload(plan(2));
    await settle();
    for (const worker of workers) worker.begin();
    await first;
    const second = supervisor.reload(plan(2));
    await settle();
    expect(workers.length).toBe(4);
    for (const worker of old) worker.end({ code: 0 });
    await settle();
    expect(workers.length).toBe(6);
    for (const worker of workers) worker.begin();
    await second;
  });

  test("kills what does not end in its time", async () => {
    const old = await startTwo();
    const reloaded = supervisor.reload(plan(2));
    await settle();
    for (const worker of workers) worker.begin();
    await reloaded;
    clock.advance(15_000);
    expect(old.map(({ told }) => told)).toEqual(["killed", "killed"]);
  });
});

test("a stop ends all processes, and none is started again", async () => {
  const all = await startTwo();
  const stopped = supervisor.stop();
  await settle();
  expect(all.map(({ told }) => told)).toEqual(["stopped", "stopped"]);
  for (const worker of all) worker.end({ code: 0 });
  await stopped;
  clock.advance(60_000);
  expect(workers.length).toBe(2);
});

describe("what the processes count", () => {
  test("is added up, and stays when one of them ends, with or without a last word", async () => {
    const [first, second] = await startTwo();
    first.requests = 3;
    second.requests = 4;
    expect(await requestsCounted()).toBe(7);
    const samples = [{ value: 5 }];
    first.end({ families: [{ name: "requests_total", type: "counter", help: "", samples }] });
    await settle();
    expect(await requestsCounted()).toBe(9);
    second.end();
    await settle();
    expect(await requestsCounted()).toBe(9);
  });

  test("is asked of all, but what is in the store of one, which accepts", async () => {
    const [first, second] = await startTwo();
    await requestsCounted();
    expect([first.stored, second.stored]).toEqual([false, true]);
    second.end();
    await settle();
    await requestsCounted();
    expect(first.stored).toBe(true);
    clock.advance(1_000);
    await requestsCounted();
    expect(workers.map(({ stored }) => stored)).toEqual([true, true, false]);
    workers[2]?.begin();
    await settle();
    await requestsCounted();
    expect(workers.map(({ stored }) => stored)).toEqual([false, true, true]);
  });

  test("is shown as it was where one does not answer", async () => {
    const [first, second] = await startTwo();
    first.requests = 3;
    second.requests = 4;
    await requestsCounted();
    second.answers = false;
    first.requests = 10;
    const counted = requestsCounted();
    await settle();
    clock.advance(2_000);
    expect(await counted).toBe(14);
  });
});
