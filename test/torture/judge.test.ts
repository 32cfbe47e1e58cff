/** The judge must find what is wrong, or its silence means nothing: each fault is planted here. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { withOrigin } from "../../src/audit/origin.ts";
import { systemClock } from "../../src/core/clock.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { judgeAuditLog, judgeDatabase, judgeRows } from "../../torture/judge.ts";
import { Ledger, type OrderEntry, type PetEntry } from "../../torture/ledger.ts";
import { judgeLog, type Victim } from "../../torture/service.ts";
import { Tally } from "../../torture/tally.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-judge-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Row = Record<string, unknown>;
const placedAt = "2026-11-15T12:00:00.000Z";

/** A ledger of two pets, one of them ordered, and a store that agrees with it. */
function faithful() {
  const random = new SeededRandom(1);
  const ledger = new Ledger();
  const add = () => {
    const pet = ledger.newPet(random);
    ledger.petIsThere(pet, String(ledger.pets.length));
    ledger.acknowledge(pet, "");
    return pet;
  };
  let ordered = add();
  while ((ordered.status ?? "available") !== "available") ordered = add();
  const order = ledger.newOrder(random) as OrderEntry;
  ledger.orderIsThere(order, "1", placedAt);
  ledger.acknowledge(order, "");
  add();
  const pets = ledger.pets.map((pet) => rowOf(pet, pet === order.pet ? "pending" : undefined));
  const { quantity } = order;
  const orders: Row[] = [
    { id: 1, petId: Number(order.pet.id), quantity, status: "placed", placedAt },
  ];
  return { random, ledger, order, pets, orders };
}

function rowOf({ id, name, categoryId, status }: PetEntry, ordered: string | undefined): Row {
  return { id: Number(id ?? 999), name, categoryId, status: ordered ?? status ?? "available" };
}

function violationsOf({ ledger, pets, orders }: Omit<ReturnType<typeof faithful>, "random">) {
  const tally = new Tally();
  judgeRows({ ledger, tally }, pets, orders);
  return tally.violations;
}

describe("the judge of a store", () => {
  test("has nothing to say of one that holds what was acknowledged", () => {
    expect(violationsOf(faithful())).toEqual([]);
  });

  test("finds a pet that was acknowledged and is gone", () => {
    const store = faithful();
    store.pets.pop();
    expect(violationsOf(store)).toEqual([expect.stringContaining("Lost: pet")]);
  });

  test("finds a pet that is there twice", () => {
    const store = faithful();
    store.pets.push({ ...store.pets.at(-1), id: 1000 });
    expect(violationsOf(store)).toContainEqual(expect.stringContaining("Twice there"));
  });

  test("finds a name of which the end is missing, and a category that lost its last digits", () => {
    for (const change of [
      (row: Row) => ({ ...row, name: String(row["name"]).slice(0, -1) || "Pet 0 " }),
      (row: Row) => ({ ...row, categoryId: BigInt(row["categoryId"] as bigint) + 1n }),
    ]) {
      const store = faithful();
      store.pets.push(change(store.pets.pop() as Row));
      expect(violationsOf(store)).toEqual([expect.stringContaining("Not as it was sent")]);
    }
  });

  test("finds a pet that nobody added", () => {
    const store = faithful();
    store.pets.push({ id: 50, name: "Rex", categoryId: 1, status: "sold" });
    expect(violationsOf(store)).toEqual([expect.stringContaining("Nobody added")]);
  });

  test("finds a pet whose writer was told that it is not stored", () => {
    const store = faithful();
    const refused = store.ledger.newPet(store.random);
    refused.outcome = "refused";
    store.pets.push(rowOf(refused, undefined));
    expect(violationsOf(store)).toEqual([expect.stringContaining("Refused, and there")]);
  });

  test("takes a pet of which nobody was told, whether it is there or not", () => {
    const store = faithful();
    const unknown = store.ledger.newPet(store.random);
    unknown.outcome = "unknown";
    expect(violationsOf(store)).toEqual([]);
    store.pets.push(rowOf(unknown, undefined));
    expect(violationsOf(store)).toEqual([]);
  });

  test("wants what it once saw to stay, where it was told so", () => {
    const store = faithful();
    const unknown = store.ledger.newPet(store.random);
    unknown.outcome = "unknown";
    const tally = new Tally();
    const pets = [...store.pets, rowOf(unknown, undefined)];
    judgeRows({ ledger: store.ledger, tally, settle: true }, pets, store.orders);
    expect(tally.violations).toEqual([]);
    expect(violationsOf(store)).toEqual([expect.stringContaining("Lost: pet")]);
  });

  test("finds an order without its pet being pending, and a pet pending without an order", () => {
    const unmoved = faithful();
    const at = unmoved.pets.findIndex(
      (row) => row["status"] === "pending" && row["id"] === unmoved.orders[0]?.["petId"],
    );
    unmoved.pets[at] = { ...unmoved.pets[at], status: "available" };
    expect(violationsOf(unmoved)).toEqual([expect.stringContaining("disagree")]);
    const orderless = faithful();
    orderless.orders.pop();
    expect(violationsOf(orderless)).toContainEqual(expect.stringContaining("Lost: order"));
    expect(violationsOf(orderless)).toContainEqual(expect.stringContaining("disagree"));
  });

  test("finds an order that is further, or less far, than anybody moved it", () => {
    const further = faithful();
    further.orders[0] = { ...further.orders[0], status: "approved" };
    expect(violationsOf(further)).toEqual([expect.stringContaining("cannot be that of")]);
    const back = faithful();
    back.order.certain = "approved";
    expect(violationsOf(back)).toEqual([expect.stringContaining("cannot be that of")]);
  });

  test("finds two orders for one pet", () => {
    const store = faithful();
    store.orders.push({ ...store.orders[0], id: 2 });
    expect(violationsOf(store)).toContainEqual(expect.stringContaining("ordered twice"));
  });
});

describe("the judge of a database", () => {
  function database(name: string, json: string): string {
    const file = join(folder, name);
    const db = new DatabaseSync(file);
    db.exec(
      "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, category_id INTEGER, status TEXT, json TEXT); CREATE INDEX by_status ON pets (status)",
    );
    db.prepare("INSERT INTO pets VALUES (1, 'Bella', 3, 'sold', ?)").run(json);
    db.close();
    return file;
  }
  const whole = '{"id":1,"name":"Bella","categoryId":3,"status":"sold"}';
  const violationsIn = (file: string) => {
    const tally = new Tally();
    judgeDatabase(file, tally);
    return tally.violations;
  };

  test("has nothing to say of a whole one", () => {
    expect(violationsIn(database("whole.db", whole))).toEqual([]);
  });

  test("finds a row of which only a part was changed", () => {
    const half = database("half.db", whole.replace("sold", "pending"));
    expect(violationsIn(half)).toEqual([expect.stringContaining("Half-written")]);
  });

  test("finds an index that has not followed its table", () => {
    const file = database("torn.db", whole);
    const bytes = readFileSync(file);
    // The table is on the second page, its index on the one after it.
    const at = bytes.indexOf("sold", 2 * 4096);
    expect(at).toBeGreaterThan(0);
    bytes.write("gold", at);
    writeFileSync(file, bytes);
    expect(violationsIn(file)).toEqual([expect.stringContaining("integrity_check")]);
  });
});

describe("the judge of an audit log", () => {
  const violationsAfter = async (name: string, tampering: string) => {
    const file = join(folder, name);
    const stores = await openSqlite(file, { environment: "production", clock: systemClock });
    for (const id of [1n, 2n, 3n]) {
      await stores.catalogue.add({ name: "Bella", categoryId: 3n, status: "available" });
      await withOrigin({ actor: "keys/key_1", source: {} }, () => stores.catalogue.delete(id));
    }
    await stores.close();
    const db = new DatabaseSync(file);
    db.exec(`DROP TRIGGER audit_log_no_UPDATE; DROP TRIGGER audit_log_no_DELETE; ${tampering}`);
    db.close();
    const tally = new Tally();
    judgeAuditLog(file, tally);
    return tally.violations;
  };

  test("has nothing to say of a whole one", async () => {
    expect(await violationsAfter("audit.db", "")).toEqual([]);
  });

  for (const [what, tampering, complaint] of [
    ["an altered entry", "UPDATE audit_log SET actor = 'x' WHERE number = 2", "broken at entry 2"],
    ["a missing entry", "DELETE FROM audit_log WHERE number = 2", "broken at entry 2"],
    ["a cut end", "DELETE FROM audit_log WHERE number = 3", "ends with 2, and not with 3"],
    [
      "a change without an entry",
      "INSERT INTO events SELECT 99, type, resource, at_ms, data, trace FROM events WHERE id = 2",
      "4 changes happened, and 3 are in the audit log",
    ],
  ] as const) {
    test(`finds ${what}`, async () => {
      const [violation] = await violationsAfter(`${what}.db`, tampering);
      expect(violation).toContain(complaint);
    });
  }
});

describe("the judge of a log", () => {
  const victim = (log: string) => ({ log: () => log, token: "the key of this run" }) as Victim;

  test("finds the key, a given secret, and whatever has the form of one, and repeats none", () => {
    for (const log of [
      '{"event":"x","header":"the key of this run"}',
      "sealed with another secret",
      `token pet_${"live"}_abcdefgh12345678`,
    ]) {
      const tally = new Tally();
      judgeLog(victim(log), tally, ["another secret"]);
      expect(tally.violations).toHaveLength(1);
      expect(tally.violations.join()).not.toMatch(/the key of this run|another secret|abcdefgh/);
    }
    const tally = new Tally();
    judgeLog(victim("nothing of interest"), tally, ["another secret"]);
    expect(tally.violations).toEqual([]);
  });
});
