/** What Prometheus reads from a running service, on either engine. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { Vault } from "../../src/core/vault.ts";
import { afterAttempt } from "../../src/notifications/mails.ts";
import { createEndpoint } from "../../src/petstore/webhooks/webhooks.ts";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { eventually } from "../../testkit/eventually.ts";
import { type FakeClock, fakeClock } from "../../testkit/fakeClock.ts";
import { faultyStores } from "../../testkit/faultyStores.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService, testSecret } from "../end-to-end/service.ts";
import {
  certificateNamed,
  dayMs,
  domainFor,
  holding,
  nowMs,
  projectIn,
} from "../store/domainSamples.ts";
import { deliveryOf } from "../store/webhooks.suite.ts";
import { metricsIn, sampleOf, scraped } from "./scraped.ts";

/** Longer than what was read from the store is shown again. */
const storeEveryMs = 10_000;

describeOnEngines("metrics", (engine) => {
  let clock: FakeClock;
  let running: TestService;
  let faulty: ReturnType<typeof faultyStores>;

  beforeAll(async () => {
    clock = fakeClock(nowMs);
    running = await startTestService({
      engine,
      clock,
      async openStores(_options, usual) {
        faulty = faultyStores(await usual());
        return faulty;
      },
    });
  });
  afterAll(() => running.stop());

  /** As they are in the store now. */
  const read = () => {
    clock.advance(storeEveryMs);
    return scraped(running.service.metricsPort);
  };

  test("domains are counted by status, and certificates in use by the days they are left", async () => {
    await projectIn(running.stores, "shop");
    await projectIn(running.stores, "free", { plan: "free" });
    const right = { ...domainFor("").dns, verdict: "right", everRight: true } as const;
    for (const [name, project, days] of [
      ["a", "shop", 90],
      ["b", "shop", 20],
      ["c", "shop", 6],
      ["d", "shop", -1],
      ["e", "free", 6],
    ] as const) {
      const domain = domainFor(`${name}.example.com`, project, { dns: right });
      const notAfterMs = nowMs + days * dayMs;
      const certificate = certificateNamed(name, domain.host, { notAfterMs });
      await running.stores.domains.add(domain, nowMs, []);
      const change = { domain: holding(domain, certificate), version: 1, dueAtMs: nowMs };
      await running.stores.domains.change({ ...change, entries: [], certificate });
    }
    await running.stores.domains.add(domainFor("new.example.com"), nowMs, []);
    const text = await read();
    const domains = (status: string) => sampleOf(text, `petstore_domains{status="${status}"}`);
    expect(["live", "verified", "suspended", "pending_dns", "degraded"].map(domains)).toEqual([
      3, 1, 1, 1, 0,
    ]);
    const within = (days: number) =>
      sampleOf(text, `petstore_certificates_expiring{within_days="${days}"}`);
    expect([0, 7, 14, 30].map(within)).toEqual([1, 2, 2, 3]);
    expect(sampleOf(text, "petstore_certificates")).toBe(4);
    expect(sampleOf(text, "petstore_certificate_first_expiry_timestamp_seconds")).toBe(
      (nowMs - dayMs) / 1000,
    );
  });

  test("what waits for webhooks is counted, with the age of the oldest", async () => {
    const { webhooks } = running.stores;
    const vault = new Vault(testSecret, clock);
    const wanted = { url: "https://example.com/", types: undefined, description: "" };
    const [enabled, disabled] = [0, 1].map(() => createEndpoint(wanted, vault, clock).endpoint);
    if (enabled === undefined || disabled === undefined) throw new Error("There are two.");
    for (const endpoint of [enabled, disabled]) await webhooks.add(endpoint);
    const atMs = clock.now();
    // Of another worker, which keeps ours from sending anything.
    const untilMs = atMs + 25_000;
    const leased = await webhooks.lease({ holder: "another", nowMs: atMs, untilMs });
    for (const { id: endpointId, place: from } of leased) {
      const lease = { holder: "another", endpointId };
      const created = [atMs - 90_000, atMs - 50_000];
      const deliveries = created.map((createdAtMs, at) =>
        deliveryOf(endpointId, at + 1, { createdAtMs, dueAtMs: atMs + dayMs }),
      );
      const planned = webhooks.plan({ lease, from, to: from + 2, deliveries });
      // It waits for other writes, to share their commit.
      clock.advance(1_000);
      expect(await planned).toBe(true);
    }
    await webhooks.setDisabled(disabled.id, { atMs, reason: "failing" });
    const text = await read();
    expect(sampleOf(text, "petstore_webhook_deliveries_pending")).toBe(2);
    expect(sampleOf(text, "petstore_webhook_oldest_pending_age_seconds")).toBe(
      90 + (clock.now() - atMs) / 1000,
    );
    expect(sampleOf(text, 'petstore_webhook_endpoints{state="enabled"}')).toBe(1);
    expect(sampleOf(text, 'petstore_webhook_endpoints{state="failing"}')).toBe(1);
  });

  test("counts mails that wait or could not be sent", async () => {
    const { mails } = running.stores;
    const atMs = clock.now();
    for (const id of ["mail_1", "mail_2", "mail_3"]) {
      const content = { kind: "invitation", name: id } as never;
      const mail = { id, recipient: id, address: "a@example.com", content, sealed: undefined };
      expect(await mails.add(mail, atMs)).toBe(true);
    }
    const taken = await mails.takeDue(atMs, atMs + dayMs);
    if (taken === undefined) throw new Error("Three are due.");
    const refused = { kind: "refused", error: "550 No such user" } as const;
    await mails.settle(afterAttempt(taken, refused, atMs, 0));
    const text = await read();
    expect(sampleOf(text, 'petstore_mails{state="pending"}')).toBe(2);
    expect(sampleOf(text, 'petstore_mails{state="failed"}')).toBe(1);
  });

  test("what was read from the store is shown again for ten seconds", async () => {
    await read();
    await running.stores.domains.add(domainFor("later.example.com"), nowMs, []);
    const pending = (text: string) => sampleOf(text, 'petstore_domains{status="pending_dns"}');
    expect(pending(await scraped(running.service.metricsPort))).toBe(1);
    expect(pending(await read())).toBe(2);
  });

  test("a store that fails takes nothing along but what is in it", async () => {
    faulty.fault = new Error("The disk is gone.");
    const text = await read();
    faulty.fault = undefined;
    expect(sampleOf(text, "petstore_store_up")).toBe(0);
    expect(sampleOf(text, "petstore_write_queue_length")).toBeDefined();
    expect(metricsIn(text).has("petstore_domains")).toBe(false);
    expect(sampleOf(await read(), "petstore_store_up")).toBe(1);
  });

  test("queues, pools, descriptors and the event loop are among them", async () => {
    const names = metricsIn(await read());
    expect([...names.keys()]).toEqual(
      expect.arrayContaining([
        ...["petstore_write_queue_length", "petstore_write_queue_limit", "petstore_store_bytes"],
        ...["petstore_event_loop_delay_seconds", "petstore_disk_free_bytes", "process_open_fds"],
        ...["process_max_fds", "process_heap_bytes", "petstore_disk_size_bytes"],
      ]),
    );
    expect(names.has("petstore_postgres_connections")).toBe(engine.name === "PostgreSQL");
  });

  test("connections and bytes are counted by listener, and open streams of events", async () => {
    const before = await read();
    const api = (metric: string, text: string) =>
      sampleOf(text, `petstore_${metric}{listener="api"}`) ?? Number.NaN;
    const stream = await fetch(`${running.base}/events`, {
      headers: { authorization: `Bearer ${running.token}`, accept: "text/event-stream" },
    });
    const text = await read();
    expect(sampleOf(text, "petstore_event_streams")).toBe(1);
    expect(api("connections", text)).toBeGreaterThan(0);
    expect(api("received_bytes_total", text)).toBeGreaterThan(api("received_bytes_total", before));
    expect(api("sent_bytes_total", text)).toBeGreaterThan(api("sent_bytes_total", before));
    await stream.body?.cancel();
    await eventually(async () => sampleOf(await read(), "petstore_event_streams") === 0);
  });

  const promtool = Bun.which("promtool");
  const missing =
    promtool === null ? "not installed: promtool. apt-get install prometheus" : undefined;
  describeUnless(missing, "promtool", () => {
    test("has no complaint about names, units and help", async () => {
      await running.client.get("/pets");
      const { status, stdout, stderr } = spawnSync(promtool ?? "", ["check", "metrics"], {
        input: await read(),
        encoding: "utf8",
      });
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
    });
  });
});
