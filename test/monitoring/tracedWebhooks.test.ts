/** How traces lead from requests to the webhooks that these cause. */
import { describe, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { Vault } from "../../src/core/vault.ts";
import { createEndpoint } from "../../src/petstore/webhooks/webhooks.ts";
import { eventually } from "../../testkit/eventually.ts";
import { startTestService, testSecret } from "../end-to-end/service.ts";
import { answering, Receiver, response } from "../outbound/receiver.ts";
import { collector } from "./collector.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = "00f067aa0ba902b7";
const traceparent = (flags = "01") => `00-${traceId}-${parent}-${flags}`;

describe("a webhook continues the trace of the request that caused it", () => {
  /** Creates a pet by a request, and gives the trace headers of the webhooks that tell of it. */
  async function webhooksOf(variables: Record<string, string>, headers: Record<string, string>) {
    await using receiver = await new Receiver(answering(response(204))).listen();
    const running = await startTestService({
      variables: { PETSTORE_WEBHOOK_NETWORKS: "127.0.0.0/8", ...variables },
    });
    const url = `http://127.0.0.1:${receiver.port}/`;
    const wanted = { url, types: undefined, description: "" };
    const { endpoint } = createEndpoint(wanted, new Vault(testSecret, systemClock), systemClock);
    await running.stores.webhooks.add(endpoint);
    const created = await fetch(`${running.base}/pets`, {
      method: "POST",
      headers: {
        ...headers,
        authorization: `Bearer ${running.token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ name: "Bella", categoryId: 1 }),
    });
    expect(created.status).toBe(201);
    await eventually(() => receiver.requests.length > 0);
    await running.stop();
    const [request = ""] = receiver.requests;
    const header = (name: string) => new RegExp(`^${name}: (.+)\\r$`, "m").exec(request)?.[1];
    return { traceparent: header("traceparent"), tracestate: header("tracestate") };
  }

  test("as the client sent it, where nothing is recorded", async () => {
    const given = { traceparent: traceparent("00"), tracestate: "a=b" };
    expect(await webhooksOf({}, given)).toEqual(given);
    expect(await webhooksOf({}, { traceparent: "nonsense", tracestate: "a=b" })).toEqual({
      traceparent: undefined,
      tracestate: undefined,
    });
  });

  test("by spans that follow from each other, where they are recorded", async () => {
    await using collecting = collector();
    const variables = { PETSTORE_OTLP_URL: collecting.url, PETSTORE_TRACE_RATIO: "0" };
    const told = await webhooksOf(variables, { traceparent: traceparent(), tracestate: "a=b" });
    const spans = collecting.spans();
    const server = spans.find(({ name }) => name === "POST /v1/pets");
    const webhook = spans.find(({ name }) => name === "webhook");
    expect(server).toMatchObject({ traceId, parentSpanId: parent, traceState: "a=b" });
    expect(webhook).toMatchObject({ traceId, parentSpanId: server?.spanId, traceState: "a=b" });
    expect(told).toEqual({ traceparent: `00-${traceId}-${webhook?.spanId}-01`, tracestate: "a=b" });
    expect(spans).toHaveLength(2);
  });

  test("of which a share is recorded: each is decided on once", async () => {
    await using collecting = collector();
    const running = await startTestService({
      variables: { PETSTORE_OTLP_URL: collecting.url, PETSTORE_TRACE_RATIO: "0.1" },
    });
    const creates = 100;
    for (let times = 0; times < creates; times++) {
      await running.client.post("/pets", { name: "Bella", categoryId: 1 });
    }
    await running.stop();
    // Each has a commit. The start of the service has a few more.
    const recorded = collecting.spans().length;
    expect(recorded).toBeGreaterThanOrEqual(0.1 * 2 * creates);
    expect(recorded).toBeLessThan(0.1 * 2.5 * creates);
  });
});
