/**
 * How soon a change to a key is in force in every process, with and without notifications, and what
 * a server that takes over makes of the pets' revision.
 */
import { describe, expect, test } from "bun:test";
import pg from "pg";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { petsWithIds } from "../../src/petstore/catalogue/petChanges.ts";
import { Authenticator } from "../../src/petstore/keys/authenticator.ts";
import { mintKey } from "../../src/petstore/keys/lifecycle.ts";
import { connectMsMaxDefault } from "../../src/storage/postgres/connection.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { eventually } from "../../testkit/eventually.ts";
import { usePostgres } from "../postgres/useServer.ts";
import { allKnow } from "../postgres/watchers.ts";

const database = usePostgres();

const wanted = {
  name: "a",
  environment: "production",
  scopes: "all",
  expiresAtMs: undefined,
} as const;

/** Whether a process lets the token in, by what it remembers or by asking. */
function doorOf({ keys }: Stores) {
  const authenticator = new Authenticator(keys, "production", systemClock);
  return async (token: string) => {
    try {
      await authenticator.check(token);
      return "in";
    } catch (cause) {
      return (cause as { code?: string }).code;
    }
  };
}

async function added({ keys }: Stores) {
  const minted = mintKey(wanted, systemClock);
  await keys.add(minted.key);
  return minted;
}

const everyoneKnows = () =>
  eventually(allKnow((text) => database.server.query(text, database.address)));

describe("a revocation on PostgreSQL", () => {
  test("is in force in every process when it is acknowledged, 20 times over", async () => {
    // Nobody reads by the clock: a process knows because it was called, or never.
    const clock: Clock = { ...systemClock, every: () => () => {} };
    const open = () => database.open({}, { clock });
    const [one, two, three] = [await open(), await open(), await open()];
    const doors = [doorOf(one), doorOf(two), doorOf(three)];
    for (let round = 0; round < 20; round++) {
      const { key, token } = await added(one);
      for (const door of doors) expect(await door(token)).toBe("in");
      await one.keys.revoke(key.id, 5);
      for (const door of doors) expect(await door(token)).toBe("key_revoked");
      await everyoneKnows();
    }
  });

  test("is so too where notifications do not pass, as behind a pooler", async () => {
    const schema = decodeURIComponent(database.address).split("search_path=")[1];
    await database.server.query(
      `CREATE FUNCTION ${schema}.pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT'`,
    );
    // So that our function is found before the server's own.
    const address = `${database.address}${encodeURIComponent(",pg_catalog")}`;
    const [one, two] = [await database.open({ address }), await database.open({ address })];
    const listener = new pg.Client(database.address);
    let calls = 0;
    listener.on("notification", () => {
      calls += 1;
    });
    await listener.connect();
    await listener.query("LISTEN petstore");
    const door = doorOf(two);
    for (let round = 0; round < 3; round++) {
      const { key, token } = await added(one);
      expect(await door(token)).toBe("in");
      await one.keys.revoke(key.id, 5);
      expect(await door(token)).toBe("key_revoked");
      await everyoneKnows();
    }
    await listener.query("SELECT");
    await listener.end();
    expect(calls).toBe(0);
  });

  test("is so too where a process cannot hear anything: it then believes nothing", async () => {
    const [one, two] = [await database.open(), await database.open()];
    const door = doorOf(two);
    const { key, token } = await added(one);
    expect(await door(token)).toBe("in");
    // Whoever wants to say that it is there waits for this lock.
    const blocker = new pg.Client(database.address);
    await blocker.connect();
    await blocker.query("BEGIN; SELECT * FROM watchers FOR UPDATE");
    try {
      await one.keys.revoke(key.id, 5);
      expect(two.keys.revision()).toBeNaN();
      expect(await door(token)).toBe("key_revoked");
    } finally {
      await blocker.end();
    }
    await eventually(() => !Number.isNaN(two.keys.revision()));
    expect(await door(token)).toBe("key_revoked");
  });

  test("does not wait for a process that has ended", async () => {
    const [one, two] = [await database.open(), await database.open()];
    await two.close();
    const { key } = await added(one);
    await one.keys.revoke(key.id, 5);
    const left = "SELECT DISTINCT id FROM watchers";
    expect(await database.server.query(left, database.address)).toHaveLength(1);
  });

  test("is noticed though somebody restored older keys under the running service", async () => {
    const [one, two] = [await database.open(), await database.open()];
    const door = doorOf(two);
    const tamper = (text: string) => database.server.query(text, database.address);
    for (let count = 0; count < 3; count++) await added(one);
    const { key, token } = await added(one);
    expect(await door(token)).toBe("in");
    const before = two.keys.revision();
    await tamper("UPDATE counters SET value = 1 WHERE name = 'key_revision'");
    await eventually(() => two.keys.revision() !== before && !Number.isNaN(two.keys.revision()));
    await tamper(`UPDATE keys SET revoked_at_ms = 1 WHERE id = '${key.id}'`);
    expect(await door(token)).toBe("key_revoked");
  });
});

describe("the pets' revision on a server that took over without the last change", () => {
  test("is never one that stood for another change, and what was read of that one has ended", async () => {
    const { catalogue, orders } = await database.open();
    for (let id = 1n; id <= 2n; id++) {
      await catalogue.add({ name: "Prey", categoryId: 1n, status: "available" });
    }
    const tamper = (text: string) => database.server.query(text, database.address);
    await tamper("UPDATE counters SET value = 7 WHERE name = 'pet_revision'");
    const first = await catalogue.revision();
    await orders.place({ petId: 1n, quantity: 1 }, 1);
    const lost = await catalogue.revision();
    await tamper("UPDATE counters SET value = 7 WHERE name = 'pet_revision'");
    // What was read of the lost change is not believed.
    expect(catalogue.changes.affect(petsWithIds([1n]), lost)).toBe(false);
    const back = await catalogue.revision();
    expect(catalogue.changes.affect(petsWithIds([1n]), lost)).toBe(true);
    await orders.place({ petId: 2n, quantity: 1 }, 1);
    expect([first, lost, back]).not.toContain(await catalogue.revision());
  });
});

test("where a server has no timelines, as CockroachDB, pets are read and their revision moves", async () => {
  const schema = decodeURIComponent(database.address).split("search_path=")[1];
  await database.server.query(
    `CREATE FUNCTION ${schema}.pg_walfile_name(pg_lsn) RETURNS text LANGUAGE plpgsql AS
     $$ BEGIN RAISE undefined_function; END $$`,
  );
  // So that this function is found before the server's own.
  const address = `${database.address}${encodeURIComponent(",pg_catalog")}`;
  const { catalogue, orders } = await database.open({ address });
  await catalogue.add({ name: "Prey", categoryId: 1n, status: "available" });
  const before = await catalogue.revision();
  expect(await catalogue.get(1n)).toContain("available");
  expect(await catalogue.revision()).toBe(before);
  await orders.place({ petId: 1n, quantity: 1 }, 1);
  expect(await catalogue.get(1n)).toContain("pending");
  expect(await catalogue.revision()).not.toBe(before);
});

describe("while the database is away", () => {
  test("no remembered key is believed, and the revision comes back by itself", async () => {
    const stores = await database.open({ connectMsMax: connectMsMaxDefault });
    await eventually(() => !Number.isNaN(stores.keys.revision()));
    await database.server.stop("immediate");
    await eventually(() => Number.isNaN(stores.keys.revision()));
    const { token } = mintKey(wanted, systemClock);
    expect(await doorOf(stores)(token)).toBe("store_unavailable");
    await database.server.start();
    await eventually(() => !Number.isNaN(stores.keys.revision()));
  });
});
