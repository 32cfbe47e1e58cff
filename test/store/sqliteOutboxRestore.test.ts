/** What a restore must not send again, or to whom no longer. */
import { describe, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import type { Endpoint } from "../../src/petstore/webhooks/webhooks.ts";
import { backupSqlite, restoreSqlite } from "../../src/storage/sqlite/backup.ts";
import { useTemporaryFolder } from "./folder.ts";
import { deliveryOf, endpointFor } from "./webhooks.suite.ts";

const folder = useTemporaryFolder();
const database = () => folder.path("petstore.db");
const backup = () => folder.path("backup.db");
const backUp = () => backupSqlite(database(), backup(), systemClock);
const restore = () => restoreSqlite(database(), backup(), "production", systemClock);
const nowMs = Date.UTC(2026, 10, 16, 12);

describe("a restore of webhooks", () => {
  async function restoredAfter(
    change: (
      webhooks: Awaited<ReturnType<typeof folder.open>>["webhooks"],
      of: Endpoint,
    ) => unknown,
  ) {
    const { webhooks } = await folder.open();
    const endpoint = endpointFor();
    await webhooks.add(endpoint);
    await backUp();
    await change(webhooks, endpoint);
    await restore();
    return { webhooks, endpoint };
  }

  test("leaves an endpoint removed, even after nothing is left of it", async () => {
    const { webhooks } = await restoredAfter(async (store, { id }) => {
      await store.remove(id);
      while (await store.prune(nowMs)) {
        // A few at a time.
      }
    });
    expect(await webhooks.list()).toEqual([]);
  });

  test("leaves an endpoint disabled, and keeps a newer secret", async () => {
    const disabled = { atMs: nowMs, reason: "gone" } as const;
    const secrets = [{ sealed: "newer" }];
    const { webhooks, endpoint } = await restoredAfter(async (store, of) => {
      await store.setDisabled(of.id, disabled);
      await store.replaceSecrets(of, secrets);
    });
    expect(await webhooks.list()).toMatchObject([{ id: endpoint.id, disabled, secrets }]);
  });

  test("ends leases, so that what was under way is not stored as something else", async () => {
    const { webhooks } = await folder.open();
    const { id: endpointId } = endpointFor();
    await webhooks.add(endpointFor({ id: endpointId }));
    await webhooks.lease({ holder: "one", nowMs, untilMs: nowMs + 30_000 });
    await backUp();
    const lease = { holder: "one", endpointId };
    await webhooks.plan({ lease, from: 0, to: 1, deliveries: [deliveryOf(endpointId, 1)] });
    await restore();
    const settled = [
      { eventId: 1, state: "pending", tries: 1, attempts: [], dueAtMs: nowMs } as const,
    ];
    const outcome = { lease, settled, failingSinceMs: nowMs, disabled: undefined };
    expect(await webhooks.settle(outcome)).toBe(false);
    expect(await webhooks.getDelivery(endpointId, 1)).toBeUndefined();
  });

  test("brings endpoints into a new store", async () => {
    const { webhooks } = await folder.open();
    await webhooks.add(endpointFor());
    await backUp();
    const other = folder.path("other.db");
    await restoreSqlite(other, backup(), "production", systemClock);
    const restored = await folder.open({}, "other.db");
    expect(await restored.webhooks.list()).toEqual(await webhooks.list());
  });
});

test("a restore does not send links that it ended", async () => {
  const { mails } = await folder.open();
  const to = { recipient: "shop", address: "shop@example.com" };
  const content = { kind: "invitation", name: "shop", expiresAtMs: nowMs + 1 } as const;
  await mails.add({ id: "mail_link", ...to, content, sealed: "the link" }, nowMs);
  await mails.add({ id: "mail_test", ...to, content: { kind: "test" }, sealed: undefined }, nowMs);
  await backUp();
  await restore();
  expect((await mails.list({ limit: 9 })).map(({ id }) => id)).toEqual(["mail_test"]);
});
