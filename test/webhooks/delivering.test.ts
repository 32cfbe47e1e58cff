/** The worker with real stores and a receiver that checks with the published library. */
import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { metricsText } from "../../src/core/metrics.ts";
import { withTrace } from "../../src/core/tracing.ts";
import { inFlightMax } from "../../src/petstore/webhooks/endpointQueue.ts";
import { rotateSecret } from "../../src/petstore/webhooks/webhooks.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { sampleOf } from "../monitoring/scraped.ts";
import { type Answer, answering, Receiver, response } from "../outbound/receiver.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { useTemporaryFolder } from "../store/folder.ts";
import { takeWriterThread } from "../store/writerPool.ts";
import { add, Delivering } from "./delivering.ts";

const hourMs = 60 * 60_000;

const idOf = (request: string) => /webhook-id: (\S+)/.exec(request)?.[1] ?? "";
const bodyOf = (request: string) =>
  Buffer.from(request.slice(request.indexOf("\r\n\r\n") + 4), "latin1").toString();

function verifiedBy(secret: string, request: string): unknown {
  const lines = request.slice(0, request.indexOf("\r\n\r\n")).split("\r\n").slice(1);
  const headers = Object.fromEntries(lines.map((line) => line.split(": ") as [string, string]));
  return new Webhook(secret).verify(bodyOf(request), headers);
}

function describeDelivering(engine: string, open: () => Promise<Stores>): void {
  const begin = async (options?: { secret: string }) =>
    new Delivering(await open(), fakeClock(Date.now()), options);
  /** Two processes that agree on the time. */
  const beginTwo = async () => {
    const clock = fakeClock(Date.now());
    const [one, two] = [await open(), await open()];
    return [new Delivering(one, clock), new Delivering(two, clock)] as const;
  };

  describe(`the webhook worker on ${engine}`, () => {
    test("delivers each event that happens after the endpoint was created, as the published library accepts it", async () => {
      await using receiver = await new Receiver(answering(response(204))).listen();
      await using all = await begin();
      await add(all.stores, 2);
      const { endpoint, secret } = await all.endpoint(receiver);
      await add(all.stores, 40);
      await all.until(
        async () => (await all.states(endpoint)).filter((s) => s === "delivered").length === 40,
      );
      const received = receiver.requests.map((request) => verifiedBy(secret, request));
      const page = await all.stores.events.list({ after: 2, limit: 100 });
      expect(new Set(received.map((event) => (event as { id: number }).id))).toEqual(
        new Set(page?.events.map(({ id }) => id)),
      );
      expect(receiver.requests).toHaveLength(40);
      expect(received[0]).toMatchObject({ type: "pet.created", data: { name: "Bella" } });
      const [first] = await all.deliveries(endpoint);
      expect(first).toMatchObject({ eventId: 3, tries: 1, attempts: [{ status: 204, body: "" }] });
    });

    test("counts attempts by what they led to, and how long deliveries took, but not of replays", async () => {
      const statuses = [500, 204, 204, 410];
      await using receiver = await new Receiver(
        (_, socket) => void socket.write(response(statuses.shift() ?? 410)),
      ).listen();
      await using all = await begin();
      const { endpoint } = await all.endpoint(receiver);
      await add(all.stores, 1);
      await all.until(async () => (await all.states(endpoint))[0] === "delivered", 1_000);
      const metric = (series: string) =>
        sampleOf(metricsText(all.registry.families()), `petstore_webhook_${series}`);
      expect(metric('attempts_total{outcome="retried"}')).toBe(1);
      expect(metric('attempts_total{outcome="delivered"}')).toBe(1);
      expect(metric("delivery_delay_seconds_count")).toBe(1);
      expect(metric('delivery_delay_seconds_bucket{le="2.5"}')).toBe(0);
      expect(metric('delivery_delay_seconds_bucket{le="60"}')).toBe(1);
      const replayed = { endpointId: endpoint.id, eventId: 1, nowMs: all.clock.now() };
      await all.stores.webhooks.replay(replayed);
      await all.until(() => metric('attempts_total{outcome="delivered"}') === 2, 1_000);
      expect(metric("delivery_delay_seconds_count")).toBe(1);
      await add(all.stores, 1);
      await all.until(() => metric('attempts_total{outcome="failed"}') === 1);
    });

    test("delivers only the types that are wanted, and passes over the others", async () => {
      await using receiver = await new Receiver(answering(response(200))).listen();
      await using all = await begin();
      const { endpoint } = await all.endpoint(receiver, { types: ["pet.deleted"] });
      await add(all.stores, 3);
      await all.stores.catalogue.delete(1n);
      await all.until(async () => (await all.states(endpoint)).includes("delivered"));
      expect(receiver.requests.map(bodyOf).map((body) => JSON.parse(body).type)).toEqual([
        "pet.deleted",
      ]);
      expect((await all.stores.webhooks.list())[0]?.place).toBe(4);
    });

    test("reads an event once for all endpoints that do not want it", async () => {
      await using receiver = await new Receiver(answering(response(204))).listen();
      const stores = await open();
      let reads = 0;
      const list: typeof stores.events.list = (query) => {
        reads++;
        return stores.events.list(query);
      };
      const events = { ...stores.events, list };
      await using all = new Delivering({ ...stores, events }, fakeClock(Date.now()));
      for (let made = 0; made < 20; made++) await all.endpoint(receiver, { types: ["order.*"] });
      const { endpoint } = await all.endpoint(receiver, { types: ["pet.created"] });
      await add(stores, 1);
      await all.until(async () => (await all.states(endpoint)).join() === "delivered");
      reads = 0;
      await add(stores, 1);
      await all.until(async () => (await all.states(endpoint)).join() === "delivered,delivered");
      expect(reads).toBeLessThan(10);
      expect(receiver.requests).toHaveLength(2);
    });

    test("signs with both secrets while a rotation overlaps", async () => {
      await using receiver = await new Receiver(answering(response(200))).listen();
      await using all = await begin();
      const { endpoint, secret } = await all.endpoint(receiver);
      const next = rotateSecret(endpoint, hourMs, all.vault, all.clock);
      await all.stores.webhooks.replaceSecrets(endpoint, next.secrets);
      await add(all.stores, 1);
      await all.until(() => receiver.requests.length === 1);
      for (const either of [secret, next.secret]) {
        expect(verifiedBy(either, receiver.requests[0] ?? "")).toBeDefined();
      }
    });

    test("repeats what failed with the same id and body, with both attempts on record", async () => {
      const flaky: Answer = (_request, socket, number) =>
        void socket.write(number === 1 ? response(500, "Not now") : response(200, "Thanks"));
      await using receiver = await new Receiver(flaky).listen();
      await using all = await begin();
      const { endpoint } = await all.endpoint(receiver);
      await add(all.stores, 1);
      await all.until(async () => (await all.deliveries(endpoint))[0]?.tries === 1);
      expect((await all.deliveries(endpoint))[0]).toMatchObject({ state: "pending" });
      expect((await all.stores.webhooks.list())[0]?.failingSinceMs).toBeNumber();
      await all.until(async () => (await all.states(endpoint))[0] === "delivered", 2_000);
      const [one = "", two = ""] = receiver.requests;
      expect([idOf(two), bodyOf(two)]).toEqual([idOf(one), bodyOf(one)]);
      expect((await all.deliveries(endpoint))[0]?.attempts).toMatchObject([
        { status: 500, body: "Not now" },
        { status: 200, body: "Thanks" },
      ]);
      expect((await all.stores.webhooks.list())[0]?.failingSinceMs).toBeUndefined();
    });

    test("passes the trace of a request on with every attempt, after its event is gone, too", async () => {
      const flaky: Answer = (_request, socket, number) =>
        void socket.write(response(number === 1 ? 500 : 200));
      await using receiver = await new Receiver(flaky).listen();
      await using all = await begin();
      const { endpoint } = await all.endpoint(receiver);
      const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-00`;
      await withTrace(`${traceparent} a=b,c=d e`, () => add(all.stores, 1));
      await all.until(async () => (await all.deliveries(endpoint))[0]?.tries === 1);
      await all.stores.events.prune(Number.MAX_SAFE_INTEGER);
      await all.until(async () => (await all.states(endpoint))[0] === "delivered", 2_000);
      await add(all.stores, 1);
      await all.until(async () => receiver.requests.length === 3);
      const carried = receiver.requests.map((request) => [
        /^traceparent: (.+)\r$/m.exec(request)?.[1],
        /^tracestate: (.+)\r$/m.exec(request)?.[1],
      ]);
      const expected = [traceparent, "a=b,c=d e"];
      expect(carried).toEqual([expected, expected, [undefined, undefined]]);
    });

    test("disables an endpoint that answers 410, and continues once it is enabled", async () => {
      let status = 410;
      await using receiver = await new Receiver(
        (_, socket) => void socket.write(response(status, "No more of this")),
      ).listen();
      await using watcher = await new Receiver(answering(response(200))).listen();
      await using all = await begin();
      const { endpoint } = await all.endpoint(receiver);
      const watching = await all.endpoint(watcher, { types: ["webhook.*"] });
      await add(all.stores, 1);
      await all.until(() => all.logged.length > 1);
      expect((await all.stores.webhooks.list())[0]?.disabled).toMatchObject({ reason: "gone" });
      expect(all.logged).toContainEqual({
        ...{ level: "warn", event: "webhook.disabled" },
        fields: { endpoint: endpoint.id, reason: "gone" },
      });
      // Others get to know of it. What the receiver said, and its URL, are in no log.
      await all.until(() => watcher.requests.length === 1);
      expect(verifiedBy(watching.secret, watcher.requests[0] ?? "")).toMatchObject({
        ...{ type: "webhook.disabled", resource: `webhooks/${endpoint.id}` },
        data: { id: endpoint.id, disabled: { reason: "gone" } },
      });
      expect(JSON.stringify(all.logged)).not.toMatch(/No more of this|127\.0\.0\.1/);
      await add(all.stores, 2);
      for (let tick = 0; tick < 10; tick++) await all.until(() => true);
      expect(receiver.requests).toHaveLength(1);
      status = 200;
      await all.stores.webhooks.setDisabled(endpoint.id, undefined);
      await all.until(async () => (await all.states(endpoint)).length === 3);
      await all.until(async () => !(await all.states(endpoint)).includes("pending"));
      expect(await all.states(endpoint)).toEqual(["failed", "delivered", "delivered"]);
      // All but the one about itself.
      const types = (await all.deliveries(endpoint)).map(({ type }) => type);
      expect(new Set(types)).toEqual(new Set(["pet.created"]));
      expect((await all.stores.webhooks.list())[0]?.place).toBe(4);
    });

    test("disables an endpoint after three days of failures alone", async () => {
      await using receiver = await new Receiver(answering(response(500))).listen();
      await using all = await begin();
      const { endpoint } = await all.endpoint(receiver);
      await add(all.stores, 1);
      const startMs = all.clock.now();
      await all.until(async () => (await all.stores.webhooks.list())[0]?.disabled, 2 * hourMs);
      expect((await all.stores.webhooks.list())[0]?.disabled).toMatchObject({ reason: "failing" });
      expect((await all.deliveries(endpoint))[0]).toMatchObject({ state: "failed", tries: 10 });
      expect((all.clock.now() - startMs) / hourMs).toBeGreaterThan(72);
      expect(receiver.requests.length).toBeGreaterThanOrEqual(10);
    });

    test("is delayed by no endpoint but the one that hangs, and keeps a bounded number busy there", async () => {
      await using hanging = await new Receiver(() => {}).listen();
      await using receiver = await new Receiver(answering(response(200))).listen();
      await using all = await begin();
      const slow = await all.endpoint(hanging);
      const { endpoint } = await all.endpoint(receiver);
      await add(all.stores, 60);
      await all.until(
        async () => (await all.states(endpoint)).filter((s) => s === "delivered").length === 60,
      );
      await all.until(() => hanging.requests.length === inFlightMax);
      for (let tick = 0; tick < 10; tick++) await all.until(() => true);
      expect(hanging.requests).toHaveLength(inFlightMax);
      expect(new Set(await all.states(slow.endpoint))).toEqual(new Set(["pending"]));
    });

    test("replays a delivery with the id that it had", async () => {
      await using receiver = await new Receiver(answering(response(200))).listen();
      await using all = await begin();
      const { endpoint } = await all.endpoint(receiver);
      await add(all.stores, 1);
      await all.until(async () => (await all.states(endpoint))[0] === "delivered");
      const nowMs = all.clock.now();
      await all.stores.webhooks.replay({ endpointId: endpoint.id, eventId: 1, nowMs });
      await all.until(async () => (await all.deliveries(endpoint))[0]?.attempts.length === 2);
      expect(receiver.requests.map(idOf)).toEqual(["evt_1", "evt_1"]);
    });

    test("shares the work with others: each event comes once, also when one of them leaves", async () => {
      await using receiver = await new Receiver(answering(response(200))).listen();
      const [one, two] = await beginTwo();
      await using _one = one;
      await using _two = two;
      const { endpoint } = await one.endpoint(receiver);
      let moving = true;
      const other = (async () => {
        while (moving) {
          await two.until(() => true, 0);
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      await add(one.stores, 30);
      await one.until(
        async () => (await one.states(endpoint)).filter((s) => s === "delivered").length >= 10,
      );
      await one.worker.stop(60_000);
      moving = false;
      await other;
      await add(two.stores, 30);
      await two.until(
        async () => (await two.states(endpoint)).filter((s) => s === "delivered").length === 60,
      );
      expect(receiver.requests).toHaveLength(60);
      expect(new Set(receiver.requests.map(idOf)).size).toBe(60);
    });

    test("loses nothing to a process that dies: another one takes over when the lease has ended", async () => {
      let isDead = true;
      await using receiver = await new Receiver((_, socket) => {
        if (!isDead) socket.write(response(200));
      }).listen();
      const [one, two] = await beginTwo();
      await using _one = one;
      await using _two = two;
      const { endpoint } = await one.endpoint(receiver);
      await add(one.stores, 40);
      // It has sent some, and stores nothing of that: from now on it does nothing.
      await one.until(() => receiver.requests.length === inFlightMax);
      const before = receiver.requests.length;
      for (let tick = 0; tick < 20; tick++) await two.until(() => true);
      expect(receiver.requests).toHaveLength(before);
      isDead = false;
      await two.until(
        async () => (await two.states(endpoint)).every((s) => s === "delivered"),
        1_000,
      );
      const ids = receiver.requests.map(idOf);
      expect(new Set(ids).size).toBe(40);
      expect(ids.length).toBeLessThanOrEqual(40 + inFlightMax);
    });

    test("sends nothing that it cannot sign, and says so", async () => {
      await using receiver = await new Receiver(answering(response(200))).listen();
      await using all = await begin();
      await using other = await begin({ secret: "another secret than before" });
      await all.endpoint(receiver);
      await add(all.stores, 1);
      await other.until(() => other.logged.length > 0);
      expect(other.logged[0]).toMatchObject({ level: "error", event: "webhook.unsealing_failed" });
      expect(receiver.requests).toEqual([]);
    });

    test("says that some events are missing, whether or not those that are kept are wanted", async () => {
      await using receiver = await new Receiver(answering(response(200))).listen();
      await using all = await begin();
      await add(all.stores, 1);
      const { endpoint } = await all.endpoint(receiver, { types: ["order.*"] });
      await add(all.stores, 2);
      await all.stores.events.prune(Date.now() + hourMs);
      await add(all.stores, 1);
      await all.until(() => all.logged.length > 0);
      expect(all.logged).toEqual([
        {
          ...{ level: "warn", event: "webhook.events_missed" },
          fields: { endpoint: endpoint.id, after: 1 },
        },
      ]);
    });

    test("continues with the oldest event that is kept, and says that some are missing", async () => {
      await using receiver = await new Receiver(answering(response(200))).listen();
      await using all = await begin();
      await add(all.stores, 1);
      const { endpoint } = await all.endpoint(receiver);
      await add(all.stores, 2);
      await all.stores.events.prune(Date.now() + hourMs);
      await add(all.stores, 1);
      await all.until(async () => (await all.states(endpoint))[0] === "delivered");
      expect(receiver.requests.map(idOf)).toEqual(["evt_4"]);
      expect(all.logged).toContainEqual({
        ...{ level: "warn", event: "webhook.events_missed" },
        fields: { endpoint: endpoint.id, after: 1 },
      });
    });
  });
}

const folder = useTemporaryFolder(takeWriterThread);
describeDelivering("SQLite", () => folder.open());
const database = usePostgres({ migrated: true });
describeDelivering("PostgreSQL", () => database.open());
