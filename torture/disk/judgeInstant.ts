/** What a database holds of all that was acknowledged before an instant, and maybe of what came after. */
import { DatabaseSync } from "node:sqlite";
import {
  describeOrder,
  describePet,
  type Ledger,
  type OrderEntry,
  orderStepOf,
  petStepOf,
  type Write,
} from "../ledger.ts";
import type { Tally } from "../tally.ts";

type Row = Readonly<Record<string, string>>;

/** `at` counts like `acknowledgedAt` does. */
export function judgeRowsAt(file: string, ledger: Ledger, at: number, tally: Tally): void {
  const db = new DatabaseSync(file);
  try {
    const pets = rowsById(db, "SELECT CAST(id AS TEXT) AS id, name, status FROM pets");
    const orders = rowsById(
      db,
      `SELECT CAST(id AS TEXT) AS id, CAST(pet_id AS TEXT) AS pet, CAST(quantity AS TEXT) AS quantity,
         status FROM orders`,
    );
    const isKnown = ({ acknowledgedAt = Number.POSITIVE_INFINITY }: Write) => acknowledgedAt <= at;
    for (const pet of ledger.pets.filter(isKnown)) {
      const name = pets.get(pet.id ?? "")?.["name"];
      tally.judge(name === pet.name, () => `At ${at}, already lost: ${describePet(pet)}`);
    }
    for (const order of [...ledger.ordersById.values()].filter(isKnown)) {
      const row = orders.get(order.id ?? "");
      const step = stepKnown(order, isKnown);
      const whole = row?.["pet"] === order.pet.id && row?.["quantity"] === String(order.quantity);
      tally.judge(whole && orderStepOf(row?.["status"]) >= step, () => {
        return `At ${at}, already lost: ${describeOrder(order)}, which had come to step ${step}`;
      });
      const petStatus = pets.get(order.pet.id ?? "")?.["status"];
      tally.judge(petStepOf(petStatus) >= (step === 2 ? 2 : 1), () => {
        return `At ${at}, ${petStatus} is the pet of ${describeOrder(order)}, at step ${step}`;
      });
    }
  } finally {
    db.close();
  }
}

function rowsById(db: DatabaseSync, question: string): Map<string, Row> {
  return new Map((db.prepare(question).all() as Row[]).map((row) => [row["id"] ?? "", row]));
}

/** The status that the responses to its clients imply. */
function stepKnown({ moves }: OrderEntry, isKnown: (write: Write) => boolean): number {
  const steps = moves.filter(isKnown).map(({ event }) => (event === "approve" ? 1 : 2));
  return Math.max(0, ...steps);
}
