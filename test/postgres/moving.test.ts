/** From SQLite to PostgreSQL and back, by the commands and steps that docs/guide/postgresql.md tells. */
import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type PostgresServer, startPostgres, withoutSync } from "../../testkit/postgresServer.ts";
import { petstore, startProcess } from "../../testkit/serviceProcess.ts";
import { Client } from "../end-to-end/client.ts";

type Variables = Record<string, string>;

let server: PostgresServer;
let folder: string;
let sqlite: Variables;
let postgres: Variables;
beforeAll(async () => {
  server = await startPostgres(withoutSync);
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "petstore-moving-"));
  sqlite = { PETSTORE_DATA: join(folder, "data"), PETSTORE_LOG: "error" };
  postgres = { ...sqlite, DATABASE_URL: await server.schema() };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => server?.remove());

async function run(variables: Variables, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await petstore([...args, "--json"], variables);
  if (code !== 0) throw new Error(`petstore ${args.join(" ")} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

let files = 0;
async function exported(from: Variables): Promise<{ file: string; text: string }> {
  const file = join(folder, `${++files}.ndjson`);
  await run(from, "pets", "export", "--output", file);
  return { file, text: readFileSync(file, "utf8") };
}

async function importText(into: Variables, text: string) {
  const file = join(folder, `${++files}.ndjson`);
  writeFileSync(file, text);
  return run(into, "pets", "import", file);
}

const idGivenMax = 2n ** 62n;
const idMax = 2n ** 63n - 1n;

describe("pets that move", () => {
  const lines = [
    `{"id":1,"name":"Bella","categoryId":3,"status":"available"}`,
    `{"id":2,"name":"Ünïcode 🐕 \\"quoted\\" \\\\ \\n","categoryId":-9223372036854775808,"status":"sold"}`,
    `{"id":10,"name":"x","categoryId":9223372036854775807,"status":"pending"}`,
    `{"id":9007199254740993,"name":"beyond every double","categoryId":0,"status":"available"}`,
    `{"id":${idGivenMax},"name":"the last that moves the counter","categoryId":1,"status":"sold"}`,
    `{"id":${idMax},"name":"the largest","categoryId":1,"status":"available"}`,
  ].map((line) => `${line}\n`);

  test("to PostgreSQL and back are the same to the last digit, in the same order", async () => {
    // The other way round, so that their order is not merely kept.
    await importText(sqlite, lines.toReversed().join(""));
    const before = await exported(sqlite);
    expect(before.text).toBe(lines.join(""));
    expect(await run(postgres, "pets", "import", before.file)).toMatchObject({
      added: lines.length,
      unchanged: 0,
    });
    const there = await exported(postgres);
    expect(there.text).toBe(before.text);
    const back = { ...sqlite, PETSTORE_DATA: join(folder, "back") };
    await run(back, "pets", "import", there.file);
    expect((await exported(back)).text).toBe(before.text);

    for (const engine of [sqlite, postgres, back]) {
      await importText(engine, `{"name":"next","categoryId":1}\n`);
      const { text } = await exported(engine);
      expect(text).toContain(`{"id":${idGivenMax + 1n},"name":"next"`);
    }
  });

  test("can be moved while more are added, and the rest afterwards", async () => {
    await run(sqlite, "pets", "seed", "--count", "300");
    const first = await exported(sqlite);
    await run(sqlite, "pets", "seed", "--count", "20", "--random-seed", "2");
    await run(postgres, "pets", "import", first.file);
    const second = await exported(sqlite);
    expect(await run(postgres, "pets", "import", second.file)).toMatchObject({
      added: 20,
      unchanged: 300,
    });
    expect((await exported(postgres)).text).toBe(second.text);
  });

  test("are refused by name where they changed between the two, and nothing is overwritten", async () => {
    await importText(sqlite, lines.slice(0, 1).join(""));
    await importText(postgres, (lines[0] as string).replace("available", "pending"));
    const { file } = await exported(sqlite);
    const { code, stderr } = await petstore(["pets", "import", file], postgres);
    expect(code).toBe(1);
    expect(stderr).toContain("Line 1");
    expect((await exported(postgres)).text).toContain("pending");
  });
});

/** The tables that are the same in both engines, in the order in which they refer to each other. */
const copied = {
  keys: "ordinal, id, name, environment, hash, hint, scopes, created_at_ms, expires_at_ms, revoked_at_ms, replaced_by, last_used_at_ms",
  categories: "id, name",
  orders: "id, pet_id, quantity, status, placed_at_ms, json",
  retired_pet_ids: "id",
  idempotency_keys: "key_id, idempotency_key, fingerprint, entity_id, text, created_at_ms",
};
const counters = ["last_pet_id", "last_order_id", "key_revision"];

async function copyTables(from: string, to: string): Promise<void> {
  const source = new Database(from, { readonly: true, safeIntegers: true });
  const target = new pg.Client(to);
  await target.connect();
  for (const [table, columns] of Object.entries(copied)) {
    for (const row of source.query(`SELECT ${columns} FROM ${table}`).values()) {
      const places = row.map((_, index) => `$${index + 1}`).join(", ");
      await target.query(`INSERT INTO ${table} (${columns}) VALUES (${places})`, row);
    }
  }
  for (const name of counters) {
    const text = "SELECT value FROM counters WHERE name = ?";
    const { value } = source.query(text).get(name) as { value: bigint };
    const raise = "UPDATE counters SET value = greatest(value, $1) WHERE name = $2";
    await target.query(raise, [value, name]);
  }
  await target.end();
  source.close();
}

describe("keys, categories, orders and idempotency keys", () => {
  test("go on in PostgreSQL where their rows are copied: the tables are the same", async () => {
    const { key } = (await run(sqlite, "keys", "create", "--name", "old")) as { key: string };
    const revoked = (await run(sqlite, "keys", "create", "--name", "gone")) as {
      id: string;
      key: string;
    };
    await run(sqlite, "keys", "revoke", revoked.id);
    await run(sqlite, "categories", "add", "Dogs", "--id", "3");
    const before = await startProcess(sqlite);
    const once = { "idempotency-key": "the-first-order" };
    try {
      const client = new Client(before.base, key);
      await client.post("/pets", { name: "Bella", categoryId: 3 });
      await client.post("/pets", { name: "Rex", categoryId: 3 });
      expect((await client.post("/store/orders", { petId: 1 }, once)).status).toBe(201);
    } finally {
      await before.end("SIGTERM");
    }

    await run(postgres, "pets", "import", (await exported(sqlite)).file);
    const file = join(folder, "data", "production", "petstore.db");
    await copyTables(file, postgres["DATABASE_URL"] as string);

    const after = await startProcess(postgres);
    try {
      expect(after.stdout()).not.toContain("pet_live_");
      const client = new Client(after.base, key);
      expect((await new Client(after.base, revoked.key).get("/pets")).body).toMatchObject({
        code: "key_revoked",
      });
      expect((await client.get("/categories")).body).toEqual([{ id: 3, name: "Dogs" }]);
      const repeated = await client.post("/store/orders", { petId: 1 }, once);
      expect(repeated.headers.get("idempotency-replayed")).toBe("true");
      expect((await client.post("/store/orders", { petId: 1 })).status).toBe(409);
      expect((await client.post("/store/orders/1/approve", undefined)).status).toBe(200);
      expect((await client.post("/store/orders", { petId: 2 })).body).toMatchObject({ id: 2 });
      expect((await client.post("/pets", { name: "Next", categoryId: 3 })).body).toMatchObject({
        id: 3,
      });
      const next = (await run(postgres, "keys", "create", "--name", "new")) as { key: string };
      expect((await new Client(after.base, next.key).get("/pets")).status).toBe(200);
    } finally {
      await after.end("SIGTERM");
    }
  });
});
