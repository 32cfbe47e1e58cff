import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { nginxConfiguration } from "../../bench/contestants/nginx.ts";
import { ourDialect } from "../../bench/contestants/ours.ts";
import { drawSample } from "../../bench/sample.ts";
import { type Call, callsOf } from "../../bench/works.ts";

const dialect = ourDialect("a-key");
const sample = drawSample(5_000);

describe("the sample", () => {
  test("is the same in every run", () => {
    expect(drawSample(5_000)).toEqual(sample);
  });

  test("holds no id twice and none that is not stored", () => {
    expect(new Set(sample.ids).size).toBe(sample.ids.length);
    expect(Math.min(...sample.ids)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...sample.ids)).toBeLessThanOrEqual(5_000);
  });

  test("goes deep enough to be deep, and leaves a full page after each", () => {
    expect(Math.max(...sample.depths)).toBeGreaterThan(4_000);
    expect(Math.max(...sample.depths)).toBeLessThanOrEqual(5_000 - 20);
  });
});

test("mixed work is 80 % of one pet, 15 % of lists of all three kinds, 5 % of creates", () => {
  const calls = callsOf("mixed", dialect, sample);
  const share = (fits: (call: Call) => boolean) => calls.filter(fits).length / calls.length;
  expect(share(({ path }) => path.startsWith("/v1/pets/"))).toBeCloseTo(0.8);
  expect(share(({ method }) => method === "POST")).toBeCloseTo(0.05);
  const listed = (path: RegExp) => share((call) => call.method === "GET" && path.test(call.path));
  expect(listed(/pets$/)).toBeGreaterThan(0.03);
  expect(listed(/status=/)).toBeGreaterThan(0.03);
  expect(listed(/cursor=/)).toBeGreaterThan(0.03);
});

test("any pet is drawn from all, and from the sample for who has no others", () => {
  const paths = (sampleOnly: boolean) =>
    callsOf("getPetAny", { ...dialect, sampleOnly }, sample).map(({ path }) => path);
  expect(paths(false)).toEqual(["/v1/pets/{any}"]);
  expect(paths(true)).toEqual(sample.ids.map((id) => `/v1/pets/${id}`));
});

test("nginx keeps fewer files open than it may, with room for connections", () => {
  const cached = Number(/open_file_cache max=(\d+)/.exec(nginxConfiguration(""))?.[1]);
  const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  expect(cached).toBeWithin(1, Number(limit) - 1_024);
});
