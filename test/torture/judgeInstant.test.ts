/** Each thing that a power cut may take from an acknowledged write is taken here, and must be found. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { judgeRowsAt } from "../../torture/disk/judgeInstant.ts";
import { Ledger, type MoveEntry, type OrderEntry } from "../../torture/ledger.ts";
import { Tally } from "../../torture/tally.ts";

const folder = mkdtempSync(join(tmpdir(), "petstore-instant-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Added at 10, ordered at 20, approved at 30, delivered at 40. */
function soldPet() {
  const random = new SeededRandom(1);
  const ledger = new Ledger();
  let pet = ledger.newPet(random);
  while (pet.status !== "available") pet = ledger.newPet(random);
  ledger.petIsThere(pet, "1");
  ledger.acknowledge(pet, "", 10);
  const order = ledger.newOrder(random) as OrderEntry;
  ledger.orderIsThere(order, "1", "2026-11-15T12:00:00.000Z");
  ledger.acknowledge(order, "", 20);
  for (const [event, at] of [
    ["approve", 30],
    ["deliver", 40],
  ] as const) {
    const move: MoveEntry = {
      ...{ kind: "move", order, event },
      ...{ idempotencyKey: undefined, outcome: "sent", text: undefined },
    };
    order.moves.push(move);
    ledger.acknowledge(move, "", at);
  }
  return { ledger, pet, order };
}

let files = 0;

/** What is said of a store that is this far, at an instant; with no status there is no row. */
function violationsAt(at: number, petStatus?: string, orderStatus?: string, more = 0): string[] {
  const { ledger, pet, order } = soldPet();
  const file = join(folder, `${files++}.db`);
  const db = new DatabaseSync(file);
  db.exec(`CREATE TABLE pets (id INTEGER, name TEXT, status TEXT);
    CREATE TABLE orders (id INTEGER, pet_id INTEGER, quantity INTEGER, status TEXT)`);
  if (petStatus) db.prepare("INSERT INTO pets VALUES (1, ?, ?)").run(pet.name, petStatus);
  if (orderStatus) {
    const quantity = order.quantity + more;
    db.prepare("INSERT INTO orders VALUES (1, 1, ?, ?)").run(quantity, orderStatus);
  }
  db.close();
  const tally = new Tally();
  judgeRowsAt(file, ledger, at, tally);
  return tally.violations;
}

describe("at an instant of a power cut", () => {
  test.each([
    [5, undefined, undefined],
    [10, "available", undefined],
    [20, "pending", "placed"],
    [30, "pending", "approved"],
    [40, "sold", "delivered"],
    // What was not yet acknowledged may be there, too.
    [10, "sold", "delivered"],
  ])("%p, nothing is said of %p and %p", (at, pet, order) => {
    expect(violationsAt(at, pet, order)).toEqual([]);
  });

  test.each([
    ["a pet", 10, undefined, undefined],
    ["an order", 20, "pending", undefined],
    ["an approval", 30, "pending", "placed"],
    ["a delivery", 40, "sold", "approved"],
    ["what the order did to its pet", 20, "available", "placed"],
    ["what the delivery did to its pet", 40, "pending", "delivered"],
  ])("%s that was acknowledged and is gone is found", (_what, at, pet, order) => {
    expect(violationsAt(at, pet, order)).toHaveLength(1);
  });

  test("an order of another quantity is found", () => {
    expect(violationsAt(20, "pending", "placed", 1)).toHaveLength(1);
  });
});
