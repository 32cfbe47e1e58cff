/** Traces of a running service, read by a collector of the test and by OpenTelemetry's own schema. */
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { MetricsRegistry, metricsText } from "../../src/core/metrics.ts";
import { parseTraceparent, type Span, Tracer, validTracestate } from "../../src/core/tracing.ts";
import { exportText, OtlpExporter } from "../../src/outbound/otlpExporter.ts";
import { traceCommit, tracedAuthority, tracedSend } from "../../src/serve/serveTraces.ts";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { eventually } from "../../testkit/eventually.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { startTestService } from "../end-to-end/service.ts";
import { collector } from "./collector.ts";
import { sampleOf, scraped } from "./scraped.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = "00f067aa0ba902b7";
const traceparent = (flags = "01") => `00-${traceId}-${parent}-${flags}`;

describe("a traceparent", () => {
  test("is read as the standard says, and ignored if it is not valid", () => {
    expect(parseTraceparent(traceparent())).toEqual({ traceId, spanId: parent, sampled: true });
    expect(parseTraceparent(traceparent("00"))?.sampled).toBe(false);
    // Other flags are for others, and later versions may append something.
    expect(parseTraceparent(traceparent("fb"))?.sampled).toBe(true);
    expect(parseTraceparent(`01-${traceId}-${parent}-01-more`)?.traceId).toBe(traceId);
    for (const wrong of [
      undefined,
      "",
      `00-${traceId}-${parent}`,
      `00-${traceId}-${parent}-01-more`,
      `ff-${traceId}-${parent}-01`,
      `00-${"0".repeat(32)}-${parent}-01`,
      `00-${traceId}-${"0".repeat(16)}-01`,
      traceparent().toUpperCase(),
      ` ${traceparent()}`,
      `${traceparent()}, ${traceparent()}`,
    ]) {
      expect({ wrong, read: parseTraceparent(wrong) }).toEqual({ wrong, read: undefined });
    }
  });

  test("comes with a tracestate that is kept if it is valid", () => {
    expect(validTracestate("rojo=00f067aa0ba902b7, congo=t61rcWkgMzE")).toBe(
      "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
    );
    expect(validTracestate("tenant@system=a/b:c")).toBe("tenant@system=a/b:c");
    for (const wrong of [undefined, "", "a", "A=1", "a=b=c", "a=é", `a=${"x".repeat(600)}`]) {
      expect(validTracestate(wrong)).toBeUndefined();
    }
    const many = Array.from({ length: 33 }, (_, at) => `k${at}=v`).join(",");
    expect(validTracestate(many)).toBeUndefined();
  });
});

test("the sampled flag decides, and without one the ratio", () => {
  const tracer = new Tracer(fakeClock(0), 0.25, () => {});
  const context = { traceId, spanId: parent };
  expect(tracer.begin({ ...context, sampled: false })).toBeUndefined();
  expect(tracer.begin({ ...context, sampled: true }, "a=b")).toMatchObject({
    traceId,
    parentSpanId: parent,
    state: "a=b",
  });
  const begun = Array.from({ length: 100 }, () => tracer.begin());
  expect(begun.filter((span) => span !== undefined)).toHaveLength(25);
  expect(new Tracer(fakeClock(0), 0, () => {}).begin()).toBeUndefined();
});

test("a service sends spans of what its clients sample, and of a share of the rest", async () => {
  await using collecting = collector();
  const running = await startTestService({
    variables: { PETSTORE_OTLP_URL: `${collecting.url}/`, PETSTORE_TRACE_RATIO: "0" },
  });
  const get = (path: string, headers: Record<string, string>) =>
    fetch(`${running.base}${path}`, {
      headers: { authorization: `Bearer ${running.token}`, ...headers },
    });
  await get("/pets", { traceparent: traceparent(), tracestate: "a=b" });
  await get("/pets/77", { traceparent: traceparent("00") });
  await get("/pets/78", { traceparent: "nonsense" });
  await get("/pets", {});
  await eventually(() => collecting.spans().length > 0);
  const metrics = await scraped(running.service.metricsPort);
  await running.stop();
  const [span, ...others] = collecting.spans();
  expect(others).toEqual([]);
  expect(span).toMatchObject({
    ...{ traceId, parentSpanId: parent, traceState: "a=b", name: "GET /v1/pets", kind: 2 },
    status: {},
  });
  expect(span?.spanId).toMatch(/^[0-9a-f]{16}$/);
  expect(span?.attributes).toContainEqual({
    key: "http.response.status_code",
    value: { intValue: "200" },
  });
  expect(sampleOf(metrics, 'petstore_trace_spans_total{outcome="exported"}')).toBe(1);
  const logged = running
    .logged()
    .split("\n")
    .filter((line) => line.includes('"request.completed"'))
    .map((line) => JSON.parse(line).traceId);
  expect(logged).toEqual([traceId, traceId, undefined, undefined]);
});

test("with a ratio of 1, everything is traced, commits too, and the new id is logged", async () => {
  await using collecting = collector();
  const running = await startTestService({
    variables: { PETSTORE_OTLP_URL: collecting.url, PETSTORE_TRACE_RATIO: "1" },
  });
  await running.client.post("/pets", { name: "Bella", categoryId: 1 });
  for (let times = 0; times < 4; times++) await running.client.get("/pets/1");
  await running.stop();
  const spans = collecting.spans();
  expect(spans.filter(({ name }) => name === "GET /v1/pets/{petId}")).toHaveLength(4);
  expect(spans.some(({ name }) => name === "commit")).toBe(true);
  for (const { name, traceId: id } of spans) {
    if (name.startsWith("POST")) expect(running.logged()).toContain(`"traceId":"${id}"`);
  }
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
});

test("without a collector the traceId of a request is logged, also where its response is cached", async () => {
  const running = await startTestService();
  const headers = { authorization: `Bearer ${running.token}`, traceparent: traceparent() };
  for (let times = 0; times < 5; times++) await fetch(`${running.base}/pets?id=1`, { headers });
  const traced = running.logged().split(`"traceId":"${traceId}"`).length - 1;
  await running.stop();
  expect(traced).toBe(5);
});

describe("the exporter", () => {
  const span: Span = {
    ...{ traceId, spanId: parent, name: "GET /v1/pets", kind: "server", startMs: 1_000.25 },
    ...{ durationMs: 1.5, attributes: { a: "b", n: 1, f: 0.5, none: undefined } },
  };

  function exporting(url: string) {
    const registry = new MetricsRegistry();
    const failures: unknown[] = [];
    const clock = fakeClock(0);
    const failed = (cause: unknown) => void failures.push(cause);
    const exporter = new OtlpExporter({ url, resource: {}, clock, registry, failed });
    const counted = (outcome: string) =>
      sampleOf(
        metricsText(registry.families()),
        `petstore_trace_spans_total{outcome="${outcome}"}`,
      );
    return { exporter, failures, clock, counted };
  }

  test("drops what a collector does not take, counts it, and says so once", async () => {
    let status = 503;
    await using collecting = collector(() => new Response("{}", { status }));
    const { exporter, failures, clock, counted } = exporting(collecting.url);
    for (const dropped of [1, 2]) {
      exporter.record(span);
      clock.advance(1_000);
      await eventually(() => counted("dropped") === dropped);
    }
    expect(failures).toHaveLength(1);
    status = 200;
    exporter.record(span);
    await exporter.stop();
    expect(counted("exported")).toBe(1);
  });

  test("counts what a collector rejects of a batch as dropped", async () => {
    await using collecting = collector(() =>
      Response.json({ partialSuccess: { rejectedSpans: "2" } }),
    );
    const { exporter, counted } = exporting(collecting.url);
    for (let times = 0; times < 5; times++) exporter.record(span);
    await exporter.stop();
    expect([counted("exported"), counted("dropped")]).toEqual([3, 2]);
  });

  test("holds a bounded number while the collector hangs, and gives it up in time", async () => {
    await using collecting = collector(() => new Response(new ReadableStream({})));
    const { exporter, clock, counted, failures } = exporting(collecting.url);
    exporter.record(span);
    clock.advance(1_000);
    await eventually(() => collecting.bodies.length === 1);
    for (let times = 0; times < 5_000; times++) exporter.record(span);
    expect(counted("dropped")).toBe(5_000 - 4_096);
    clock.advance(5_000);
    await eventually(() => failures.length === 1);
  });

  const python = Bun.which("python3");
  const imports = spawnSync(python ?? "false", [
    "-c",
    "import opentelemetry.proto.trace.v1.trace_pb2",
  ]);
  const missing =
    imports.status === 0 ? undefined : "not installed: opentelemetry-proto of PyPI, as in .ci/run";
  describeUnless(missing, "writes what OpenTelemetry's published schema", () => {
    test("reads without an unknown field, to the same values", () => {
      const failed: Span = { ...span, parentSpanId: "1".repeat(16), state: "a=b", failure: "No." };
      const text = exportText([span, failed], { "service.name": "petstore" });
      const { status, stdout, stderr } = spawnSync(python ?? "", ["-c", reader], {
        input: text,
        encoding: "utf8",
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(JSON.parse(stdout)).toEqual([
        [
          "petstore",
          traceId,
          parent,
          "",
          "",
          "GET /v1/pets",
          2,
          1_000_250_000,
          1_001_750_000,
          0,
          3,
        ],
        [
          ...["petstore", traceId, parent, "1".repeat(16), "a=b", "GET /v1/pets", 2],
          ...[1_000_250_000, 1_001_750_000, 2, 3],
        ],
      ]);
    });
  });
});

/** Ids are in hex in OTLP, and in base64 in the JSON of protocol buffers. */
const reader = `
import base64, json, sys
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
given = json.load(sys.stdin)
for resource in given["resourceSpans"]:
    for scope in resource["scopeSpans"]:
        for span in scope["spans"]:
            for name in ("traceId", "spanId", "parentSpanId"):
                if name in span:
                    span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
read = json_format.ParseDict(given, ExportTraceServiceRequest())
print(json.dumps([[
    resource.resource.attributes[0].value.string_value, span.trace_id.hex(), span.span_id.hex(),
    span.parent_span_id.hex(), span.trace_state, span.name, span.kind, span.start_time_unix_nano,
    span.end_time_unix_nano, span.status.code, len(span.attributes),
] for resource in read.resource_spans for scope in resource.scope_spans for span in scope.spans]))
`;

describe("beside requests", () => {
  function recording() {
    const spans: Span[] = [];
    const clock = fakeClock(0);
    return { spans, clock, tracer: new Tracer(clock, 1, (span) => void spans.push(span)) };
  }

  test("all attempts to deliver a webhook are of one trace, which the receiver is told", async () => {
    const { spans, tracer } = recording();
    const told: (string | undefined)[] = [];
    const results = [{ status: 500 }, { error: "It hangs." }, { status: 204 }];
    const send = tracedSend(async ({ headers }) => {
      told.push(headers["traceparent"]);
      return { atMs: 0, durationMs: 5, ...results.shift() };
    }, tracer);
    const headers = { "webhook-id": "evt_7" };
    const message = { url: "https://example.com/hooks", headers, body: "" };
    for (let times = 0; times < 3; times++) await send(message);
    await send({ ...message, headers: { "webhook-id": "evt_8" } });
    expect(told).toEqual(spans.map((span) => `00-${span.traceId}-${span.spanId}-01`));
    const [first, second, third, other] = spans;
    expect([second?.traceId, third?.traceId]).toEqual([first?.traceId, first?.traceId]);
    expect(other?.traceId).not.toBe(first?.traceId as string);
    expect(spans.slice(0, 3).map(({ failure }) => failure)).toEqual([
      "The endpoint answered 500.",
      "It hangs.",
      undefined,
    ]);
    expect(headers).toEqual({ "webhook-id": "evt_7" });
  });

  test("orders and commits are spans", async () => {
    const { spans, clock, tracer } = recording();
    traceCommit(tracer, { writes: 3, durationMs: 2 });
    const refusal = { reason: "caa", detail: "CAA forbids it.", retryAtMs: undefined } as const;
    const authority = tracedAuthority(
      {
        reach: async () => [],
        async order() {
          clock.advance(700);
          return { kind: "refused", refusal };
        },
        renewalWindow: async () => ({ kind: "not_offered" }),
      },
      tracer,
      clock,
    );
    expect(await authority.order({ host: "a.example" } as never, [])).toEqual({
      kind: "refused",
      refusal,
    });
    expect(spans).toMatchObject([
      { name: "commit", durationMs: 2, attributes: { "db.operation.batch.size": 3 } },
      {
        ...{ name: "acme order", durationMs: 700, failure: "CAA forbids it." },
        attributes: { "petstore.host": "a.example", "error.type": "caa" },
      },
    ]);
  });
});
