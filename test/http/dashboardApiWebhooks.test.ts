/** Webhook endpoints and their deliveries, for operators only. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { MintedWebhook } from "../../src/contract/generated/platform.ts";
import type { Endpoint } from "../../src/petstore/webhooks/webhooks.ts";
import { endpointsMax } from "../../src/petstore/webhooks/webhooks.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { answering, Receiver, response } from "../outbound/receiver.ts";
import { deliveryOf } from "../store/webhooks.suite.ts";
import {
  type DashboardApiFixture,
  openDashboardApiFixture,
} from "./dashboardApi/dashboardApiFixture.ts";

const url = "https://example.com/hooks";
const attempt = {
  ...{ atMs: Date.UTC(2026, 10, 16), durationMs: 12 },
  request: { url, headers: [["webhook-id", "evt_1"] as const] },
  ...{ status: 500, headers: [["retry-after", "5"] as const], body: "No." },
};

describeOnEngines("webhooks", (engine) => {
  let fixture: DashboardApiFixture;
  beforeEach(async () => {
    fixture = await openDashboardApiFixture(engine);
  });
  afterEach(() => fixture.close());

  const ask = (method: string, path: string, body?: unknown) =>
    fixture.ask(method, path, { as: "operator", ...(body === undefined ? {} : { body }) });

  async function create(body: object = { url }) {
    const answer = await ask("POST", "/webhooks", body);
    expect(answer.status).toBe(201);
    return answer.body as MintedWebhook;
  }

  const stored = async (id: string): Promise<Endpoint | undefined> =>
    (await fixture.stores.webhooks.list()).find((endpoint) => endpoint.id === id);

  /** Deliveries of the events 1 to `count`, of which those with an odd id have failed. */
  async function withDeliveries(count: number): Promise<string> {
    const { webhook } = await create();
    const { webhooks } = fixture.stores;
    const nowMs = fixture.clock.now();
    const lease = { holder: "one", endpointId: webhook.id };
    const [{ place: from = 0 } = {}] = await webhooks.lease({
      ...{ holder: "one", nowMs, untilMs: nowMs + 1_000 },
    });
    const deliveries = Array.from({ length: count }, (_, index) => {
      const type = index % 3 === 0 ? "pet.deleted" : "pet.created";
      const parts =
        index % 2 === 0
          ? ({ type, state: "failed", attempts: [attempt], dueAtMs: undefined } as const)
          : ({ type } as const);
      return deliveryOf(webhook.id, index + 1, parts);
    });
    const to = Math.max(from, count);
    expect(await webhooks.plan({ lease, from, to, deliveries })).toBe(true);
    return webhook.id;
  }

  test("an owner gets to none of it", async () => {
    const { webhook } = await create();
    const at = `/webhooks/${webhook.id}`;
    const places = [
      ...[["GET", "/webhooks"] as const, ["POST", "/webhooks"] as const],
      ...(["GET", "PUT", "DELETE"] as const).map((method) => [method, at] as const),
      ...["enable", "disable", "test", "rotate", "replay"].map(
        (verb) => ["POST", `${at}/${verb}`] as const,
      ),
      ["GET", `${at}/deliveries`] as const,
      ["GET", `${at}/deliveries/1`] as const,
      ["POST", `${at}/deliveries/1/replay`] as const,
    ];
    for (const [method, path] of places) {
      const answer = await fixture.ask(method, path, method === "GET" ? {} : { body: {} });
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, "operator_only"]);
    }
    expect(await stored(webhook.id)).toMatchObject({ url, disabled: undefined });
  });

  describe("an endpoint", () => {
    test("is created with what was asked, and its secret is in no other response", async () => {
      const types = ["order.placed", "order.placed", "pet.created"];
      const { webhook, secret } = await create({ url, types, description: "Ours" });
      expect(webhook).toEqual({
        ...{ id: webhook.id, url, description: "Ours", state: "delivering", disabled: null },
        types: ["order.placed", "pet.created"],
        createdAt: new Date(fixture.clock.now()).toISOString(),
        ...{ failingSince: null, oldSecretExpiresAt: null },
      });
      expect(secret).toMatch(/^whsec_/);
      const list = await ask("GET", "/webhooks");
      expect(list.body.webhooks).toEqual([webhook]);
      expect(list.body.types).toContain("pet.created");
      const one = await ask("GET", `/webhooks/${webhook.id}`);
      expect(one.body).toEqual({ ...webhook, pending: 0, behind: 0 });
      expect(JSON.stringify([list.body, one.body])).not.toMatch(/whsec_|sealed/);
      expect(fixture.logged()).not.toContain(secret.slice(6));
    });

    for (const [body, code, complaint] of [
      [{ url: "https://10.0.0.1/" }, "webhook_url_invalid", "not public"],
      [{ url: "https://[::ffff:169.254.169.254]/" }, "webhook_url_invalid", "not public"],
      [{ url: "https://user:word@example.com/" }, "webhook_url_invalid", "username"],
      [{ url: "ftp://example.com/" }, "webhook_url_invalid", "https URL"],
      [{ url, types: [] }, "body_invalid", "at least one type"],
      [{ url, types: ["pet.creatd"] }, "body_invalid", "pet.created"],
      [{ url, types: "none" }, "body_invalid", "types"],
      [{ url, description: "a".repeat(201) }, "body_invalid", "description"],
      [{ url, secret: "mine" }, "body_invalid", "secret"],
      [{}, "body_invalid", "url"],
    ] as const) {
      test(`is neither created nor changed to ${JSON.stringify(body).slice(0, 60)}`, async () => {
        const { webhook } = await create();
        for (const [method, path] of [
          ["POST", "/webhooks"],
          ["PUT", `/webhooks/${webhook.id}`],
        ] as const) {
          const answer = await ask(method, path, body);
          expect([answer.status, answer.body.code]).toEqual([400, code]);
          expect(answer.body.message).toContain(complaint);
        }
        expect((await ask("GET", "/webhooks")).body.webhooks).toEqual([webhook]);
      });
    }

    test("is one of a thousand at most", async () => {
      const { webhook } = await create();
      const first = await stored(webhook.id);
      if (first === undefined) throw new Error("It is not stored.");
      const others = Array.from({ length: endpointsMax - 1 }, (_, at) => `${first.id}${at}`);
      const { webhooks } = fixture.stores;
      await Promise.all(others.map((id) => webhooks.add({ ...first, id })));
      const answer = await ask("POST", "/webhooks", { url });
      expect([answer.status, answer.body.code]).toEqual([409, "too_many_webhooks"]);
    });

    test("is changed, disabled, enabled and removed", async () => {
      const { webhook } = await create({ url, types: ["pet.created"], description: "Ours" });
      const at = `/webhooks/${webhook.id}`;
      const changed = { url: "https://example.org/", types: "all", description: "" };
      const typed = { ...changed, url: " HTTPS://Example.ORG:443" };
      expect((await ask("PUT", at, typed)).body).toEqual({ ...webhook, ...changed });
      fixture.clock.advance(1_000);
      const disabled = { at: new Date(fixture.clock.now()).toISOString(), reason: "operator" };
      expect((await ask("POST", `${at}/disable`)).body).toMatchObject({
        ...{ state: "disabled", disabled },
      });
      expect((await stored(webhook.id))?.disabled).toEqual({
        ...{ atMs: fixture.clock.now(), reason: "operator" },
      });
      expect((await ask("POST", `${at}/enable`)).body).toMatchObject({
        ...{ state: "delivering", disabled: null },
      });
      expect((await ask("DELETE", at)).status).toBe(204);
      expect((await ask("GET", "/webhooks")).body.webhooks).toEqual([]);
    });

    test("that there is not is not found", async () => {
      const at = "/webhooks/whe_none";
      const body = { url, overlapSeconds: 0 };
      for (const [method, path, sent] of [
        ["GET", at, undefined],
        ["PUT", at, { url }],
        ["DELETE", at, undefined],
        ["POST", `${at}/enable`, undefined],
        ["POST", `${at}/disable`, undefined],
        ["POST", `${at}/test`, undefined],
        ["POST", `${at}/rotate`, { overlapSeconds: body.overlapSeconds }],
        ["POST", `${at}/replay`, undefined],
        ["GET", `${at}/deliveries`, undefined],
        ["GET", `${at}/deliveries/1`, undefined],
        ["POST", `${at}/deliveries/1/replay`, undefined],
      ] as const) {
        const answer = await ask(method, path, sent);
        expect([path, answer.status, answer.body.code]).toEqual([path, 404, "webhook_not_found"]);
      }
    });
  });

  describe("a secret", () => {
    test("is rotated, with an overlap in which both sign", async () => {
      await using receiver = await new Receiver(answering(response(202, "ok"))).listen();
      const made = await create({ url: `http://127.0.0.1:${receiver.port}/` });
      const at = `/webhooks/${made.webhook.id}`;
      fixture.clock.advance(Date.now() - fixture.clock.now());
      const rotated = await ask("POST", `${at}/rotate`, { overlapSeconds: 60 });
      expect(rotated.body.webhook.oldSecretExpiresAt).toBe(
        new Date(fixture.clock.now() + 60_000).toISOString(),
      );
      await ask("POST", `${at}/test`);
      fixture.clock.advance(60_000);
      expect((await ask("GET", at)).body.oldSecretExpiresAt).toBeNull();
      await ask("POST", `${at}/test`);
      const verifies = (secret: string, request = "") => {
        const [head = "", body = ""] = request.split("\r\n\r\n");
        const lines = head.split("\r\n").slice(1);
        const headers = Object.fromEntries(
          lines.map((line) => line.split(": ") as [string, string]),
        );
        try {
          return new Webhook(secret).verify(body, headers) !== undefined;
        } catch {
          return false;
        }
      };
      const [first, second] = receiver.requests;
      expect([verifies(made.secret, first), verifies(rotated.body.secret, first)]).toEqual([
        ...[true, true],
      ]);
      expect([verifies(made.secret, second), verifies(rotated.body.secret, second)]).toEqual([
        ...[false, true],
      ]);
    });

    test("that another secret of the service has sealed cannot be used, and is replaced", async () => {
      await using receiver = await new Receiver(answering(response(200))).listen();
      const { webhook } = await create({ url: `http://127.0.0.1:${receiver.port}/` });
      const { webhooks } = fixture.stores;
      const endpoint = await stored(webhook.id);
      if (endpoint === undefined) throw new Error("It should be stored.");
      await webhooks.replaceSecrets(endpoint, [{ sealed: "v1.AAAA" }]);
      const refused = await ask("POST", `/webhooks/${webhook.id}/test`);
      expect([refused.status, refused.body.code]).toEqual([409, "webhook_secret_unreadable"]);
      await ask("POST", `/webhooks/${webhook.id}/rotate`, { overlapSeconds: 60 });
      expect((await ask("POST", `/webhooks/${webhook.id}/test`)).body.delivered).toBe(true);
    });
  });

  test("a test sends one signed message, and returns what was sent and what came back", async () => {
    await using receiver = await new Receiver(
      answering(response(503, "Busy", "X-Why: load\r\n")),
    ).listen();
    const { webhook } = await create({ url: `http://127.0.0.1:${receiver.port}/` });
    const { body } = await ask("POST", `/webhooks/${webhook.id}/test`);
    expect(body).toMatchObject({
      ...{ delivered: false, id: expect.stringMatching(/^test_/) },
      attempt: {
        ...{ status: 503, body: "Busy", error: null, durationSeconds: expect.any(Number) },
        headers: [
          { name: "content-length", value: "4" },
          { name: "x-why", value: "load" },
        ],
      },
    });
    const lines = body.attempt.requestHeaders.map(
      ({ name, value }: { name: string; value: string }) => `${name}: ${value}\r\n`,
    );
    expect(receiver.requests).toEqual([`POST / HTTP/1.1\r\n${lines.join("")}\r\n${body.body}`]);
    expect((await ask("GET", `/webhooks/${webhook.id}/deliveries`)).body.items).toEqual([]);
  });

  describe("deliveries", () => {
    const idsIn = ({ body }: { body: { items: { eventId: number }[] } }) =>
      body.items.map(({ eventId }) => eventId);

    test("are listed in pages, the newest first, by state and type", async () => {
      const at = `/webhooks/${await withDeliveries(6)}/deliveries`;
      expect(idsIn(await ask("GET", at))).toEqual([6, 5, 4, 3, 2, 1]);
      const first = await ask("GET", `${at}?limit=4`);
      expect([idsIn(first), first.body.next]).toEqual([[6, 5, 4, 3], 3]);
      const second = await ask("GET", `${at}?limit=4&before=3`);
      expect([idsIn(second), second.body.next]).toEqual([[2, 1], null]);
      expect(idsIn(await ask("GET", `${at}?state=failed`))).toEqual([5, 3, 1]);
      expect(idsIn(await ask("GET", `${at}?type=pet.deleted`))).toEqual([4, 1]);
      expect(idsIn(await ask("GET", `${at}?type=pet.deleted&state=failed`))).toEqual([1]);
      expect(idsIn(await ask("GET", `${at}?type=no.such`))).toEqual([]);
      expect((await ask("GET", `${at}?state=lost`)).body.code).toBe("parameter_invalid");
      expect((await ask("GET", `${at}?state=failed`)).body.items.at(-1)).toEqual({
        ...{ eventId: 1, type: "pet.deleted", state: "failed", dueAt: null, attempts: 1 },
        createdAt: expect.any(String),
        ...{ lastAt: "2026-11-16T00:00:00.000Z", lastStatus: 500, lastError: null },
      });
    });

    test("are shown with each attempt, its request and its response", async () => {
      const at = `/webhooks/${await withDeliveries(2)}/deliveries`;
      expect((await ask("GET", `${at}/1`)).body).toEqual({
        ...{ eventId: 1, messageId: "evt_1", type: "pet.deleted", state: "failed", dueAt: null },
        ...{ createdAt: expect.any(String), body: '{"id":1}' },
        attempts: [
          {
            ...{ at: "2026-11-16T00:00:00.000Z", durationSeconds: 0.012, url, error: null },
            requestHeaders: [{ name: "webhook-id", value: "evt_1" }],
            ...{ status: 500, headers: [{ name: "retry-after", value: "5" }], body: "No." },
          },
        ],
      });
      for (const event of ["9", "x", "-1", "1e3", "99999999999999999999"]) {
        const answer = await ask("GET", `${at}/${event}`);
        expect([answer.status, answer.body.code]).toEqual([404, "delivery_not_found"]);
      }
    });

    test("are replayed one by one, or all that failed", async () => {
      const id = await withDeliveries(6);
      const at = `/webhooks/${id}`;
      const failed = async () => idsIn(await ask("GET", `${at}/deliveries?state=failed`));
      expect((await ask("POST", `${at}/deliveries/3/replay`)).body).toEqual({ replayed: 1 });
      expect(await failed()).toEqual([5, 1]);
      expect((await ask("POST", `${at}/deliveries/9/replay`)).body.code).toBe("delivery_not_found");
      expect((await ask("POST", `${at}/replay`)).body).toEqual({ replayed: 2 });
      expect(await failed()).toEqual([]);
      expect((await ask("GET", at)).body.pending).toBe(6);
    });
  });
});
