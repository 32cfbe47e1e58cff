/**
 * The store behind pgbouncer in transaction mode, where each transaction may come to another
 * connection of the server, and where notifications and settings of a connection get lost.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { Authenticator } from "../../src/petstore/keys/authenticator.ts";
import { mintKey } from "../../src/petstore/keys/lifecycle.ts";
import { openPostgres } from "../../src/storage/postgres/store.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { eventually } from "../../testkit/eventually.ts";
import { type PostgresServer, startPostgres, withoutSync } from "../../testkit/postgresServer.ts";
import { hangMs } from "../../testkit/timeouts.ts";
import { describeCatalogue } from "../store/catalogue.suite.ts";
import { describeKeys } from "../store/keys.suite.ts";
import { describeOrders } from "../store/orders.suite.ts";
import { doneOf } from "../store/outcomes.ts";
import { type Pgbouncer, pgbouncerMissing, startPgbouncer } from "./pgbouncer.ts";
import { allKnow } from "./watchers.ts";

/** Fewer than the clients below have, so that they must share them. */
const serverConnectionsMax = 3;

describeUnless(pgbouncerMissing(), "behind pgbouncer", () => {
  let server: PostgresServer;
  let pgbouncer: Pgbouncer;
  let address = "";
  let direct = "";
  let opened: Stores[] = [];
  beforeAll(async () => {
    server = await startPostgres(withoutSync);
    pgbouncer = await startPgbouncer(server, serverConnectionsMax);
    direct = await server.database("pets");
    address = pgbouncer.through(direct);
  });
  beforeEach(() => server.empty(direct));
  afterEach(async () => {
    await Promise.all(opened.map((stores) => stores.close()));
    opened = [];
  });
  afterAll(async () => {
    await pgbouncer?.stop();
    await server?.remove();
  });

  async function open(): Promise<Stores> {
    const pool = { connectionsMax: 8, namedStatements: false, connectMsMax: hangMs };
    const settings = { address, ...pool };
    const stores = await openPostgres(settings, { environment: "production", clock: systemClock });
    opened.push(stores);
    return stores;
  }

  describeCatalogue("PostgreSQL behind pgbouncer", open);
  describeOrders("PostgreSQL behind pgbouncer", open);
  describeKeys("PostgreSQL behind pgbouncer", open);

  const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

  test("three processes that read and write at once get what is theirs, over few connections", async () => {
    const stores = [await open(), await open(), await open()];
    const added = await Promise.all(
      Array.from({ length: 600 }, async (_, count) => {
        const { catalogue } = stores[count % 3] as Stores;
        const { id, text } = doneOf(await catalogue.add({ ...bella, name: `pet ${count}` }));
        expect(text).toContain(`"name":"pet ${count}"`);
        const elsewhere = (stores[(count + 1) % 3] as Stores).catalogue;
        expect(await elsewhere.get(id)).toBe(text);
        const { pets } = await elsewhere.list({ after: id - 1n, limit: 1 });
        expect(pets).toEqual([text]);
        return id;
      }),
    );
    expect(added.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
      Array.from({ length: 600 }, (_, index) => BigInt(index + 1)),
    );
    const connections = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'petstore'
        AND datname = current_database()`;
    expect((await server.query(connections, direct)).length).toBeLessThanOrEqual(
      serverConnectionsMax,
    );
  });

  test("one pet that sixty want at once through three processes is ordered once", async () => {
    const stores = [await open(), await open(), await open()];
    const { id: petId } = doneOf(await (stores[0] as Stores).catalogue.add(bella));
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, count) =>
        (stores[count % 3] as Stores).orders.place({ petId, quantity: 1 }, 0),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === "done")).toHaveLength(1);
  });

  test("a quota is spent by three processes together, to the last request", async () => {
    const stores = [await open(), await open(), await open()];
    const limiters = stores.map((each) => each.limiter?.({ requests: 20, windowSeconds: 100_000 }));
    const verdicts = await Promise.all(
      Array.from({ length: 60 }, async (_, count) => limiters[count % 3]?.take("key_a")),
    );
    expect(verdicts.filter((verdict) => verdict?.allowed)).toHaveLength(20);
  });

  test("a revocation is in force in every process when it is acknowledged, though nobody hears of it", async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    const doors = [one, two, three].map(
      ({ keys }) => new Authenticator(keys, "production", systemClock),
    );
    const wanted = {
      name: "a",
      environment: "production",
      scopes: "all",
      expiresAtMs: undefined,
    } as const;
    for (let round = 0; round < 5; round++) {
      const { key, token } = mintKey(wanted, systemClock);
      await one.keys.add(key);
      for (const door of doors) expect((await door.check(token)).id).toBe(key.id);
      await one.keys.revoke(key.id, 5);
      for (const door of doors) {
        const refusal = await Promise.resolve()
          .then(() => door.check(token))
          .catch((cause) => cause.code);
        expect(refusal).toBe("key_revoked");
      }
      await eventually(allKnow((text) => server.query(text, direct)));
    }
  });
});
