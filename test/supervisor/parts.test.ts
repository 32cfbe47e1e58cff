import { describe, expect, test } from "bun:test";
import { type Family, sumFamilies } from "../../src/core/metrics.ts";
import { Recent } from "../../src/http/recentRequests.ts";
import { OwnCounts } from "../../src/petstore/keys/rateLimiter.ts";
import { Channel } from "../../src/serve/supervisor/channel.ts";
import { settingsAmong, withSettings } from "../../src/serve/supervisor/control.ts";
import { answerTakes, remoteCounts } from "../../src/serve/supervisor/remoteCounts.ts";
import { socketsOf } from "../../src/serve/supervisor/serviceSockets.ts";
import { processorsIn } from "../../src/serve/supervisor/supervisor.ts";
import { wholeLines } from "../../src/serve/supervisor/worker.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";

const clock = fakeClock(0);

/** Two ends, and everything between them as the text that it would be. */
function channels(answers: ConstructorParameters<typeof Channel>[1]): [Channel, Channel] {
  const ends: Channel[] = [];
  const towards = (end: number) => (message: unknown) =>
    void ends[end]?.receive(JSON.parse(JSON.stringify(message)));
  ends.push(new Channel(towards(1), {}), new Channel(towards(0), answers));
  return ends as [Channel, Channel];
}

describe("a channel", () => {
  test("brings each answer to its question, and a failure as its reason", async () => {
    const [asking] = channels({
      twice: async (number: number) => number * 2,
      fail: () => {
        throw new Error("no room");
      },
    });
    const answers = await Promise.all([asking.ask("twice", 1), asking.ask("twice", 4)]);
    expect(answers).toEqual([2, 8]);
    await expect(asking.ask("fail")).rejects.toThrow("no room");
    await expect(asking.ask("unheard of")).rejects.toThrow("unheard of");
  });

  test("answers nobody once the other process is gone", async () => {
    const asking = new Channel(() => {}, {});
    const waiting = asking.ask("anything");
    asking.close();
    await expect(waiting).rejects.toThrow("gone");
    await expect(asking.ask("anything")).rejects.toThrow("gone");
  });
});

test("counts over a channel are those of the one that keeps them, in the order of the requests", async () => {
  const counts = new OwnCounts(clock);
  const quota = { requests: 3, windowSeconds: 60 };
  let messages = 0;
  const answer = answerTakes(counts);
  const [asking] = channels({
    take(takes: Parameters<typeof answer>[0]) {
      messages++;
      return answer(takes);
    },
  });
  const limiter = remoteCounts(asking, counts.salt, clock).limiter("key", quota);
  const seen = await Promise.all(Array.from({ length: 5 }, () => limiter.take("a")));
  expect(seen.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false]);
  expect(messages).toBe(1);
  expect((await limiter.giveBack("a")).remaining).toBe(1);
  expect(counts.limiter("key", quota).take("a")).toMatchObject({ allowed: true, remaining: 0 });
  expect(counts.limiter("other purpose", quota).take("a")).toMatchObject({ remaining: 2 });
});

test("lines come out whole, however they were cut, and the last one even without its end", () => {
  const passed: string[] = [];
  const lines = wholeLines((text) => passed.push(text));
  const bytes = Buffer.from("é one\ntwo\nthrée");
  for (const byte of bytes) lines.take(Buffer.from([byte]));
  expect(passed).toEqual(["é one\n", "two\n"]);
  lines.end();
  expect(passed.at(-1)).toBe("thrée\n");
});

test("each socket has a process, and each process a socket", () => {
  for (let processes = 1; processes <= 5; processes++) {
    for (let sockets = 1; sockets <= 5; sockets++) {
      const given = Array.from({ length: processes }, (_, slot) =>
        socketsOf(slot, processes, sockets),
      );
      expect(given.every((own) => own.length > 0)).toBe(true);
      expect([...new Set(given.flat())].sort()).toEqual([...Array(sockets).keys()]);
      if (processes <= sockets) expect(given.flat().length).toBe(sockets);
    }
  }
});

test("figures of several processes are added up, and what is of the machine is not", () => {
  const families = (requests: number, startedAt: number, bytes: number): Family[] => [
    {
      name: "requests_total",
      type: "counter",
      help: "",
      samples: [
        { labels: { status: 200 }, value: requests },
        { suffix: "_sum", value: 1 },
      ],
    },
    { name: "start", type: "gauge", help: "", together: "min", samples: [{ value: startedAt }] },
    { name: "store", type: "gauge", help: "", together: "max", samples: [{ value: bytes }] },
  ];
  const sum = sumFamilies([families(1, 30, 500), families(2, 20, 400)]);
  expect(sum.map(({ samples }) => samples.map(({ value }) => value))).toEqual([
    [3, 2],
    [20],
    [500],
  ]);
});

test("the last hour of several processes is added up step by step", () => {
  const [one, other] = [new Recent(clock), new Recent(clock)];
  one.observe("getPet", 200, 0.001);
  clock.advance(30_000);
  other.observe("getPet", 500, 1);
  other.commit({ writes: 3, durationMs: 1 });
  const { requests, errors, writes, p99Ms } = one.series([other.steps()]);
  expect(requests.slice(-2)).toEqual([1, 1]);
  expect([errors.at(-1), writes.at(-1)]).toEqual([1, 3]);
  expect(p99Ms.at(-1)).toBeGreaterThan(800);
  // Asking changed nothing, and absorbing does.
  expect(one.series().requests.slice(-2)).toEqual([1, 0]);
  one.absorb(JSON.parse(JSON.stringify(other.steps())));
  expect(one.series().requests.slice(-2)).toEqual([1, 1]);
});

test("a container with the time of two processors has two", () => {
  expect(processorsIn("200000 100000\n")).toBe(2);
  expect(processorsIn("150000 100000\n")).toBe(2);
  expect(processorsIn("max 100000\n")).toBeUndefined();
});

test("only settings are handed over, and they replace those that were there", () => {
  const given = { PORT: "1", PATH: "/evil", LD_PRELOAD: "/evil.so", PETSTORE_LOG: "off" };
  expect(settingsAmong(given)).toEqual({ PORT: "1", PETSTORE_LOG: "off" });
  const before = { PATH: "/bin", PETSTORE_RATE_LIMIT: "1/1", PORT: "2" };
  expect(withSettings(before, given)).toEqual({ PATH: "/bin", PORT: "1", PETSTORE_LOG: "off" });
});
