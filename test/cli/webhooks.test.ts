import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { answering, Receiver, response } from "../outbound/receiver.ts";
import { deliveryOf } from "../store/webhooks.suite.ts";
import { CliFixture } from "./cliFixture.ts";

const url = "https://example.com/hooks";

/** An endpoint with one delivery that failed and one that is pending. */
async function withDeliveries(cli: CliFixture): Promise<string> {
  const { id } = await cli.json("webhooks", "create", url);
  const nowMs = cli.clock.now();
  await cli.withStores(async ({ webhooks }) => {
    const lease = { holder: "one", endpointId: id };
    await webhooks.lease({ holder: "one", nowMs, untilMs: nowMs + 1_000 });
    const headers = [["x-why", "\u001b]0;owned\u0007"] as const];
    const attempts = [
      { atMs: nowMs, durationMs: 12, status: 500, headers, body: "No.\n\u001b[2J" },
    ];
    const failed = deliveryOf(id, 1, { state: "failed", attempts, dueAtMs: undefined });
    await webhooks.plan({ lease, from: 0, to: 2, deliveries: [failed, deliveryOf(id, 2)] });
  });
  return id;
}

describe("webhooks create", () => {
  test("shows the secret once, and stores it sealed", async () => {
    await using cli = new CliFixture();
    const created = await cli.json("webhooks", "create", url, "--types", "pet.created,domain.*");
    expect(created).toMatchObject({ url, types: ["pet.created", "domain.*"], disabled: null });
    expect(created.secret).toMatch(/^whsec_/);
    const listed = await cli.run(["webhooks", "list"]);
    expect(listed.out).toContain(created.id);
    const stored = await cli.withStores(async ({ webhooks }) =>
      JSON.stringify(await webhooks.list()),
    );
    expect(stored).not.toContain(created.secret.slice(6));
    const shown = JSON.stringify(await cli.json("webhooks", "show", created.id));
    expect(shown).not.toMatch(/whsec_|sealed/);
  });

  test("subscribes to pets and orders unless other types are named", async () => {
    await using cli = new CliFixture();
    const created = await cli.json("webhooks", "create", url);
    expect(created).toMatchObject({ types: ["pet.*", "order.*"] });
    const all = await cli.json("webhooks", "create", url, "--types", "all");
    expect(all).toMatchObject({ types: "all" });
  });

  for (const [words, complaint] of [
    [["ftp://example.com"], "The URL must be an https URL"],
    [["https://10.0.0.1/"], "The URL has an address that is not public"],
    [["https://user:word@example.com/"], "The URL must not have a username"],
    [[url, "--types", "pet.created,pet.creatd"], "--types must be one of"],
    [[url, "--description", "a".repeat(201)], "--description must have at most 200"],
  ] as const) {
    test(`refuses ${words.join(" ").slice(0, 60)}`, async () => {
      await using cli = new CliFixture();
      const { code, err } = await cli.run(["webhooks", "create", ...words]);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(complaint) });
      expect(await cli.json("webhooks", "list")).toEqual([]);
    });
  }
});

describe("webhooks show", () => {
  test("counts events from the first that the endpoint is to get", async () => {
    await using cli = new CliFixture();
    const { id } = await cli.json("webhooks", "create", url, "--types", "key.*");
    const behind = async () => (await cli.json("webhooks", "show", id)).behind;
    await cli.json("pets", "seed", "--count", "3");
    expect(await behind()).toBe(0);
    await cli.json("keys", "create", "--name", "till");
    await cli.json("pets", "seed", "--count", "3");
    expect(await behind()).toBe(4);
  });
});

describe("webhooks test", () => {
  test("sends a message that the published library accepts, and says what came back", async () => {
    await using receiver = await new Receiver(answering(response(202, "ok"))).listen();
    await using cli = new CliFixture();
    cli.clock.advance(Date.now() - cli.clock.now());
    const at = `http://127.0.0.1:${receiver.port}/`;
    const { id, secret } = await cli.json("webhooks", "create", at);
    expect(await cli.json("webhooks", "test", id)).toMatchObject({
      ...{ delivered: true, attempt: { status: 202, body: "ok" } },
    });
    const [head = "", body = ""] = (receiver.requests[0] ?? "").split("\r\n\r\n");
    const lines = head.split("\r\n").slice(1);
    const headers = Object.fromEntries(lines.map((line) => line.split(": ") as [string, string]));
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: "webhook.test" });
  });

  test("fails where nobody answers", async () => {
    await using cli = new CliFixture();
    const { id } = await cli.json("webhooks", "create", "http://127.0.0.1:9/");
    const { code, out } = await cli.run(["webhooks", "test", id]);
    expect({ code, out }).toEqual({
      ...{ code: 1, out: "Not delivered. The connection failed (ECONNREFUSED).\n" },
    });
  });
});

describe("webhooks deliveries, replay", () => {
  test("list what happened, and make it due again", async () => {
    await using cli = new CliFixture();
    const id = await withDeliveries(cli);
    const states = async (...rest: string[]) =>
      (await cli.json("webhooks", "deliveries", id, ...rest)).map(
        ({ eventId, state }: { eventId: number; state: string }) => `${eventId} ${state}`,
      );
    expect(await states()).toEqual(["2 pending", "1 failed"]);
    expect((await cli.run(["webhooks", "deliveries", id])).out).toMatch(
      /1\s+pet.created\s+failed\s+1\s+500/,
    );
    expect(await states("--before", "2")).toEqual(["1 failed"]);
    expect(await states("--type", "pet.deleted")).toEqual([]);
    const one = await cli.run(["webhooks", "delivery", id, "1"]);
    expect(one.out).toMatch(/Body +\{"id":1\}\n\n.*, 12 ms\nPOST .*\nResponse 500\n/);
    // Nothing that a receiver says may steer the terminal.
    expect(one.out).toEndWith("  x-why: \\u{1b}]0;owned\\u{7}\n\n  No.\n  \\u{1b}[2J\n");
    expect((await cli.run(["webhooks", "delivery", id, "9"])).code).toBe(1);
    expect(await cli.json("webhooks", "replay", id, "--failed")).toEqual({ replayed: 1 });
    expect(await states("--state", "failed")).toEqual([]);
    expect(await cli.json("webhooks", "replay", id, "1")).toEqual({ replayed: 1 });
    expect((await cli.run(["webhooks", "replay", id, "9"])).code).toBe(1);
    expect((await cli.run(["webhooks", "replay", id])).code).toBe(2);
    expect((await cli.run(["webhooks", "replay", id, "1", "--failed"])).code).toBe(2);
  });
});

describe("webhooks rotate, disable, enable, remove", () => {
  test("another URL and other types replace those before", async () => {
    await using cli = new CliFixture();
    const { id } = await cli.json("webhooks", "create", url, "--types", "pet.created");
    const to = "https://example.org/";
    expect(await cli.json("webhooks", "update", id, "--url", to)).toMatchObject({
      ...{ url: to, types: ["pet.created"] },
    });
    expect(await cli.json("webhooks", "update", id, "--types", "all")).toMatchObject({
      ...{ url: to, types: "all" },
    });
    expect((await cli.run(["webhooks", "update", id])).code).toBe(2);
    const refused = await cli.run(["webhooks", "update", id, "--url", "https://127.0.0.2/"]);
    expect(refused.code).toBe(2);
    expect((await cli.json("webhooks", "show", id)).url).toBe(to);
  });

  test("change the endpoint, and say so", async () => {
    await using cli = new CliFixture();
    const { id, secret } = await cli.json("webhooks", "create", url);
    const rotated = await cli.json("webhooks", "rotate", id);
    expect(rotated.secret).not.toBe(secret);
    const state = async () => (await cli.json("webhooks", "show", id)).disabled;
    await cli.json("webhooks", "disable", id);
    expect(await state()).toMatchObject({ reason: "operator" });
    await cli.json("webhooks", "enable", id);
    expect(await state()).toBeNull();
    await cli.json("webhooks", "remove", id);
    for (const name of ["show", "test", "deliveries", "rotate", "enable", "disable", "remove"]) {
      const { code, err } = await cli.run(["webhooks", name, id]);
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining("There is no such endpoint. See petstore webhooks list."),
      });
    }
  });
});
