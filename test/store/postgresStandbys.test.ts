import { describe, expect, test } from "bun:test";
import type { Problem } from "../../src/core/problems.ts";
import { eventually } from "../../testkit/eventually.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { rejectionOf } from "./rejection.ts";

const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

describe("a server whose standbys are away", () => {
  const database = usePostgres();
  const waitFor = async (standbys: string) => {
    await database.server.query(`ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`);
    await database.server.query("SELECT pg_reload_conf()");
    await eventually(async () => {
      const [row] = await database.server.query("SHOW synchronous_standby_names");
      return (row as { synchronous_standby_names: string }).synchronous_standby_names === standbys;
    });
  };
  const cancelled = () =>
    eventually(async () => {
      const rows = await database.server.query(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
      );
      return rows.length > 0;
    });

  test("acknowledges no write for being told to wait no longer", async () => {
    const { catalogue, ready } = await database.open();
    await ready();
    await waitFor("nobody");
    try {
      const idempotency = { keyId: "k", idempotencyKey: "m", fingerprint: "f", nowMs: Date.now() };
      // One statement that is a transaction by itself, and a transaction of several.
      for (const terms of [{}, { idempotency }]) {
        const refusal = rejectionOf(catalogue.add(bella, terms));
        await cancelled();
        expect(((await refusal) as Problem).code).toBe("store_unavailable");
      }
    } finally {
      await waitFor("");
    }
    // The connections that were given up are replaced, and the store goes on.
    expect(await catalogue.add(bella)).toMatchObject({ kind: "done" });
  });
});
