import { describe, expect, test } from "bun:test";
import {
  createOfFastifyMin,
  getPetOfNginxMin,
  grossRegressions,
  judge,
  listOfNginxMin,
} from "../../bench/goals.ts";
import { resultsWith } from "./results.ts";

const well = {
  getPet: { ours: 900, nginx: 1_000 },
  listPlain: { ours: 900, nginx: 1_000 },
  createPet: { ours: 9_000, fastify: 1_000 },
};

describe("a gross regression", () => {
  test("is not what a noisy machine shows", () => {
    const noisy = {
      getPet: { ours: 1_000 * getPetOfNginxMin, nginx: 1_000 },
      listPlain: { ours: 1_000 * listOfNginxMin, nginx: 1_000 },
      createPet: { ours: 1_000 * createOfFastifyMin, fastify: 1_000 },
    };
    expect(grossRegressions(resultsWith(noisy))).toEqual([]);
  });

  for (const [work, theirs] of [
    ["getPet", "nginx"],
    ["listPlain", "nginx"],
    ["createPet", "fastify"],
  ] as const) {
    test(`of ${work} is named, and only that`, () => {
      const broken = { ...well, [work]: { ours: 100, [theirs]: 1_000 } };
      const found = grossRegressions(resultsWith(broken));
      expect(found).toHaveLength(1);
      expect(found[0]).toStartWith(`${work} is 0.10 × ${theirs}`);
    });
  }

  test("is a request of ours that failed, however fast the rest was", () => {
    expect(grossRegressions(resultsWith(well, { faults: 1 })).join()).toContain("refused");
  });
});

describe("a goal", () => {
  const verdictOn = (what: string, results: ReturnType<typeof resultsWith>) =>
    judge(results).find((verdict) => verdict.what === what);

  test("is reached at its bound and missed below it", () => {
    const at = (ours: number) => resultsWith({ getPet: { ours, nginx: 1_000 } });
    expect(verdictOn("getPet", at(1_000))?.reached).toBe(true);
    expect(verdictOn("getPet", at(999))?.reached).toBe(false);
  });

  test("of reads beside orders is judged by the reads without them", () => {
    const among = (ours: number) =>
      resultsWith({ getPetAmongOrders: { ours, fastify: 1 }, getPet: { ours: 1_000, nginx: 1 } });
    const what = "getPet while 100 orders a second are placed";
    expect(verdictOn(what, among(800))?.reached).toBe(true);
    expect(verdictOn(what, among(799))?.reached).toBe(false);
  });

  test("with two peers is judged beside each", () => {
    const getPetAny = { ours: 1_000, nginx: 2_001, fastify: 400 };
    const verdicts = judge(resultsWith({ getPetAny })).filter(
      ({ what }) => what === "getPet, any of all pets",
    );
    expect(verdicts.map(({ bound, reached }) => [bound, reached])).toEqual([
      ["≥ 0.5 × nginx", false],
      ["≥ 2.5 × Fastify", true],
    ]);
  });

  const withPart = (name: string, facts: Record<string, number>) =>
    resultsWith({}, { parts: [{ name, title: "", method: "", columns: [], rows: [], facts }] });

  test("that bounds from above is missed above it", () => {
    const growth = (memoryMb: number) => withPart("growth", { memoryMb });
    expect(verdictOn("memory with most pets", growth(150))?.reached).toBe(true);
    expect(verdictOn("memory with most pets", growth(151))?.reached).toBe(false);
  });

  test("of the edge is another for each version of HTTP", () => {
    const edge = withPart("edge", { http1: 0.99, http2: 0.35 });
    expect(verdictOn("HTTPS page at the edge, HTTP/1.1", edge)?.reached).toBe(false);
    expect(verdictOn("HTTPS page at the edge, HTTP/2", edge)?.reached).toBe(true);
  });

  test("that was not measured is neither reached nor missed", () => {
    expect(verdictOn("getPet", resultsWith({}))?.reached).toBeUndefined();
  });
});
