import { describe, expect, test } from "bun:test";
import pg from "pg";
import { systemClock } from "../../src/core/clock.ts";
import { openPostgres, postgresVersion } from "../../src/storage/postgres/store.ts";
import { eventually } from "../../testkit/eventually.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { keyNamed } from "./keys.suite.ts";
import { rejectionOf } from "./rejection.ts";

const database = usePostgres();
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;
const tamper = (statements: string) => database.server.query(statements, database.address);

/** Does something in a transaction that stays open until it is told to end. */
async function holding(statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client(database.address);
  await client.connect();
  await client.query(`BEGIN; ${statement}`);
  return async () => {
    await client.query("ROLLBACK");
    await client.end();
  };
}

describe("opening a database of PostgreSQL", () => {
  test("everything is there after reopening", async () => {
    const before = await database.open();
    await before.catalogue.add(bella);
    await before.keys.add(keyNamed("a"));
    await before.close();
    const { catalogue, keys } = await database.open();
    expect(await catalogue.get(1n)).toBe(
      '{"id":1,"name":"Bella","categoryId":3,"status":"available"}',
    );
    expect(await keys.list()).toEqual([keyNamed("a")]);
  });

  test("pets from before their words were indexed are found by them", async () => {
    const before = await database.open();
    const pets = Array.from({ length: 10_000 }, () => bella);
    await before.catalogue.import([...pets, { ...bella, name: "Élodie" }].slice(-10_000));
    await before.catalogue.add({ ...bella, name: "Rex" });
    await before.close();
    await tamper("DROP TABLE pet_words; DROP INDEX pets_by_category");
    await tamper("UPDATE meta SET value = '4' WHERE name = 'version'");
    const { catalogue } = await database.open();
    expect(await catalogue.list({ words: ["elo"], limit: 9 })).toMatchObject({
      pets: [/"id":10000,/].map((id) => expect.stringMatching(id)),
    });
    expect(await catalogue.count({ words: ["rex"] })).toBe(1);
    expect(await catalogue.count({ words: ["bell"] })).toBe(9_999);
  });

  test("an index that takes longer than any usual statement is waited for", async () => {
    await (await database.open()).close();
    await tamper("DROP TABLE pet_words; UPDATE meta SET value = '4' WHERE name = 'version'");
    await tamper(
      `CREATE FUNCTION take_long() RETURNS event_trigger LANGUAGE plpgsql AS
       $$ BEGIN IF current_query() LIKE '%gin%' THEN PERFORM pg_sleep(3); END IF; END $$;
       CREATE EVENT TRIGGER slow_index ON ddl_command_end WHEN TAG IN ('CREATE INDEX')
       EXECUTE FUNCTION take_long()`,
    );
    try {
      const { catalogue } = await database.open({ responseMsMax: 2_000 });
      expect(await catalogue.count({ words: ["bella"] })).toBe(0);
    } finally {
      await tamper("DROP EVENT TRIGGER slow_index");
    }
  });

  test("while the words of pets are indexed for the first time, writes go on", async () => {
    await (await database.open()).close();
    await tamper("DROP TABLE pet_words; DROP INDEX pets_by_category, orders_by_pet");
    await tamper("UPDATE meta SET value = '4' WHERE name = 'version'");
    const blocking = `SELECT count(*) FROM pg_locks
      WHERE relation IN ('pets'::regclass, 'orders'::regclass) AND mode = 'ShareLock'`;
    await tamper(
      `CREATE TABLE blocked AS SELECT ''::text AS statement, 0::int8 AS tables WITH NO DATA;
       CREATE FUNCTION note_blocking() RETURNS event_trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO blocked VALUES (current_query(), (${blocking})); END $$;
       CREATE EVENT TRIGGER blocking ON ddl_command_end WHEN TAG IN ('CREATE INDEX')
       EXECUTE FUNCTION note_blocking()`,
    );
    try {
      await database.open();
    } finally {
      await tamper("DROP EVENT TRIGGER blocking");
    }
    const seen = await tamper("SELECT tables FROM blocked WHERE statement LIKE '%pet_words%'");
    expect(seen).toEqual([{ tables: "0" }]);
  });

  test("an open store is ready and knows its size", async () => {
    const stores = await database.open();
    await stores.ready();
    expect((await stores.size())["database"]).toBeGreaterThan(1_000_000);
  });

  test("where the server has no answer to how large it is, as YugabyteDB, no size is told", async () => {
    const schema = decodeURIComponent(database.address).split("search_path=")[1];
    await database.server.query(
      `CREATE FUNCTION ${schema}.pg_database_size(name) RETURNS int8 LANGUAGE sql AS 'SELECT NULL::int8'`,
    );
    // So that this function is found before the server's own.
    const address = `${database.address}${encodeURIComponent(",pg_catalog")}`;
    expect(await (await database.open({ address })).size()).toEqual({});
  });

  test("tables are changed in transactions that are serializable, as CockroachDB wants it", async () => {
    const seen = "SELECT current_setting('transaction_isolation')";
    await database.server.query(
      `CREATE TABLE isolation_seen AS ${seen} AS level, ''::text AS tag WITH NO DATA;
       CREATE FUNCTION note_isolation() RETURNS event_trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO public.isolation_seen VALUES ((${seen}), tg_tag); END $$;
       CREATE EVENT TRIGGER watch_changes ON ddl_command_end EXECUTE FUNCTION note_isolation()`,
    );
    try {
      await (await database.open({ address: await database.server.schema() })).close();
    } finally {
      await database.server.query("DROP EVENT TRIGGER watch_changes");
    }
    const noted = await database.server.query(
      `SELECT level, count(*) > 20 AS many FROM isolation_seen
       WHERE tag NOT LIKE '%SCHEMA' GROUP BY level`,
    );
    expect(noted).toEqual([{ level: "serializable", many: true }]);
  });

  test("processes that start together on an empty one make its tables and share it", async () => {
    const processes = Array.from({ length: 5 }, () =>
      Bun.spawn([process.execPath, `${import.meta.dir}/../postgres/addTen.ts`, database.address], {
        stdout: "pipe",
        stderr: "inherit",
      }),
    );
    const outputs = await Promise.all(processes.map(({ stdout }) => new Response(stdout).text()));
    const ids = outputs.flatMap((output) => output.trim().split("\n").map(BigInt));
    expect(ids.toSorted((a, b) => Number(a - b))).toEqual(
      Array.from({ length: 50 }, (_, index) => BigInt(index + 1)),
    );
  });

  test("handles that open it at the same instant all succeed, every time", async () => {
    for (let round = 0; round < 8; round++) {
      const address = await database.server.schema();
      const handles = await Promise.all(
        Array.from({ length: 6 }, () => database.open({ address, connectionsMax: 1 })),
      );
      const { version, latest } = await postgresVersion(
        database.settings({ address }),
        "production",
        systemClock,
      );
      expect(version).toBe(latest);
      await Promise.all(handles.map((handle) => handle.close()));
    }
  });

  test("one of the other environment is refused, with what to do about it", async () => {
    await (await database.open({}, { environment: "staging" })).close();
    const { message } = await rejectionOf(database.open());
    expect(message).toContain("holds the data of staging, and this is production");
    expect(message).toContain("PETSTORE_ENV=staging");
    const looking = postgresVersion(database.settings(), "production", systemClock);
    expect((await rejectionOf(looking)).message).toBe(message);
  });

  test("one of a newer release is refused and left as it is", async () => {
    await (await database.open()).close();
    await tamper("UPDATE meta SET value = '1000' WHERE name = 'version'");
    expect((await rejectionOf(database.open())).message).toContain("newer release");
    expect(await tamper("SELECT value FROM meta WHERE name = 'version'")).toEqual([
      { value: "1000" },
    ]);
  });

  for (const [what, table] of [
    ["tables", "CREATE TABLE theirs (x int)"],
    ["a table called meta", "CREATE TABLE meta (x int)"],
    ["a table called meta with the same columns", "CREATE TABLE meta (name text, value text)"],
    ["a table called pets", "CREATE TABLE pets (id int)"],
  ] as const) {
    test(`one with ${what} of another program is refused and left as it is`, async () => {
      await tamper(table);
      expect((await rejectionOf(database.open())).message).toContain("another program");
      const tables = await tamper(
        "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema()",
      );
      expect(tables).toHaveLength(1);
    });
  }

  test("looking at the version changes nothing, and says what opening would do", async () => {
    const look = () => postgresVersion(database.settings(), "production", systemClock);
    const { version, latest } = await look();
    expect(version).toBeUndefined();
    expect(
      await tamper("SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema()"),
    ).toEqual([]);
    await (await database.open()).close();
    expect(await look()).toEqual({ version: latest, latest });
  });

  test("a step that was cut off is taken again and keeps what is there", async () => {
    const before = await database.open();
    await before.catalogue.add(bella);
    await before.close();
    await tamper("UPDATE meta SET value = '0' WHERE name = 'version'");
    const { catalogue } = await database.open();
    expect((await catalogue.list({ limit: 10 })).pets).toHaveLength(1);
    expect(await catalogue.add(bella)).toMatchObject({ kind: "done", id: 2n });
  });

  test("a step asks for its lock again and again, and makes nobody queue up behind it", async () => {
    const serving = await database.open();
    await tamper("UPDATE meta SET value = '0' WHERE name = 'version'");
    const release = await holding("SELECT 1 FROM meta WHERE name = 'version' FOR UPDATE");
    const opening = database.open();
    const waits = async () => {
      const waiting = await database.server.query(
        `SELECT pid FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND query LIKE '%FROM meta%FOR UPDATE%'`,
      );
      return waiting.length > 0;
    };
    await eventually(waits);
    // It gives up its place in the queue, so that whoever came behind it gets theirs.
    await eventually(async () => !(await waits()));
    expect((await serving.catalogue.add(bella)).kind).toBe("done");
    await release();
    expect((await (await opening).catalogue.list({ limit: 10 })).pets).toHaveLength(1);
  });

  test("what cannot be opened is named without its password", async () => {
    const { port } = database.server;
    for (const address of [
      `postgres://postgres:hushhush@127.0.0.1:${port}/nothing?application_name=hushhush`,
      "postgres://postgres:hushhush@127.0.0.1:1/pets",
      "postgres://postgres:hushhush@127.0.0.1:1,127.0.0.1:2/pets",
      `postgres://nobody:hushhush@127.0.0.1:${port}/postgres`,
    ]) {
      const opening = openPostgres(database.settings({ address }), {
        environment: "production",
        clock: systemClock,
      });
      const refusal = await rejectionOf(opening);
      expect(refusal.message).toContain("cannot be opened");
      expect(refusal.message).toContain("127.0.0.1");
      expect(Bun.inspect(refusal, { depth: 20 })).not.toContain("hushhush");
    }
  });
});
