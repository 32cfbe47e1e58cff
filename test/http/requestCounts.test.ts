import { expect, test } from "bun:test";
import { MetricsRegistry, metricsText } from "../../src/core/metrics.ts";
import { createMetrics } from "../../src/http/metrics.ts";

function rendered(observations: [string | undefined, number, number][]): string[] {
  const registry = new MetricsRegistry();
  const metrics = createMetrics(registry);
  for (const [operation, status, seconds] of observations) {
    metrics.observe(operation, status, seconds);
  }
  return metricsText(registry.families()).split("\n");
}

test("requests are counted by operation and status", () => {
  const lines = rendered([
    ["getPet", 200, 0.001],
    ["getPet", 200, 0.001],
    ["getPet", 404, 0.001],
    [undefined, 401, 0.001],
  ]);
  expect(lines).toContain("# TYPE petstore_requests_total counter");
  expect(lines.filter((line) => line.startsWith("petstore_requests_total"))).toEqual([
    'petstore_requests_total{operation="getPet",status="200"} 2',
    'petstore_requests_total{operation="getPet",status="404"} 1',
    'petstore_requests_total{operation="none",status="401"} 1',
  ]);
});

test("a bucket holds all that took as long as its bound or less, and the last holds all", () => {
  const lines = rendered([
    ["listPets", 200, 0.000_05],
    ["listPets", 200, 0.001],
    ["listPets", 200, 0.002],
    ["listPets", 503, 60],
  ]);
  const name = "petstore_request_duration_seconds";
  expect(lines).toContain(`# TYPE ${name} histogram`);
  const bucket = (le: string) =>
    lines.find((line) => line.startsWith(`${name}_bucket{le="${le}",operation="listPets"}`));
  expect(
    ["0.0001", "0.0005", "0.001", "0.0025", "5", "+Inf"].map((le) => bucket(le)?.split(" ")[1]),
  ).toEqual(["1", "1", "2", "3", "3", "4"]);
  expect(lines).toContain(`${name}_sum{operation="listPets"} 60.00305`);
  expect(lines).toContain(`${name}_count{operation="listPets"} 4`);
});

test("what a label or a help holds cannot break a line", () => {
  const samples = [{ labels: { part: 'a "b"\\\n' }, value: 1.5 }];
  const text = metricsText([{ name: "x_bytes", type: "gauge", help: "One\ntwo \\.", samples }]);
  expect(text.split("\n")).toEqual([
    "# HELP x_bytes One\\ntwo \\\\.",
    "# TYPE x_bytes gauge",
    'x_bytes{part="a \\"b\\"\\\\\\n"} 1.5',
    "",
  ]);
});
