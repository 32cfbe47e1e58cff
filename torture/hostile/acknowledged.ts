/** What was acknowledged to clients that send anything at all, held against the store in the end. */
import { parseJson } from "../../src/contract/json.ts";
import type { Tally } from "../tally.ts";
import { type Row, walk } from "../walk.ts";

const orderSteps = ["placed", "approved", "delivered"];

interface ToldPet {
  readonly created: string;
  /** Of the creation and of every update. Answers overtake each other, so the last one is unknown. */
  readonly versions: Row[];
  deleted: boolean;
}

interface ToldOrder {
  readonly petId: string;
  /** How far it has come. */
  step: number;
  cancelled: boolean;
}

export class Acknowledged {
  readonly #pets = new Map<string, ToldPet>();
  readonly #orders = new Map<string, ToldOrder>();

  /** The text of a 201. Told again by a repetition, it must be the same. */
  pet(text: string, sent: string, tally: Tally): void {
    const pet = parseJson(text) as Row;
    const id = String(pet["id"]);
    const before = this.#pets.get(id);
    const same = before === undefined || before.created === text;
    tally.judge(same, () => `${before?.created} became ${text}`);
    if (before !== undefined) return;
    this.#pets.set(id, { created: text, versions: [pet], deleted: false });
    judgeEcho(pet, sent, tally);
  }

  updatedPet(text: string, tally: Tally): void {
    const pet = parseJson(text) as Row;
    const known = this.#pets.get(String(pet["id"]));
    // Its creation may be on the way to another client.
    tally.judge(known !== undefined, () => `${text} was updated before it was acknowledged`);
    known?.versions.push(pet);
  }

  deletedPet(id: string, tally: Tally): void {
    const known = this.#pets.get(id);
    tally.judge(known !== undefined, () => `Pet ${id} was deleted before it was acknowledged`);
    if (known !== undefined) known.deleted = true;
  }

  order(text: string): void {
    const order = parseJson(text) as Row;
    const id = String(order["id"]);
    const cancelled = order["status"] === "cancelled";
    const step = orderSteps.indexOf(String(order["status"]));
    const known = this.#orders.get(id);
    if (known === undefined) {
      this.#orders.set(id, { petId: String(order["petId"]), step, cancelled });
      return;
    }
    // Answers overtake each other, so it never goes back.
    known.step = Math.max(known.step, step);
    known.cancelled ||= cancelled;
  }

  get count(): number {
    return this.#pets.size + this.#orders.size;
  }

  async judgeStore(base: string, token: string, tally: Tally): Promise<void> {
    const orders = await walk({ base, token, tally }, "/store/orders?limit=100");
    const pets = await walk({ base, token, tally }, "/pets?limit=100");
    if (orders === undefined || pets === undefined) return;
    for (const order of orders) {
      const known = this.#orders.get(String(order["id"]));
      const told = known?.cancelled ? "cancelled" : orderSteps[known?.step ?? -1];
      const apt = told === order["status"] && known?.petId === String(order["petId"]);
      tally.judge(apt, () => `Order ${order["id"]} is ${order["status"]}, ${told} was told`);
    }
    tally.judge(orders.length === this.#orders.size, () => {
      return `${orders.length} orders are there, ${this.#orders.size} were acknowledged`;
    });
    const ofPet = Map.groupBy(orders, ({ petId }) => String(petId));
    for (const pet of pets) this.#judgePet(pet, ofPet.get(String(pet["id"])) ?? [], tally);
    const left = [...this.#pets.values()].filter(({ deleted }) => !deleted).length;
    tally.judge(pets.length === left, () => {
      return `${pets.length} pets are there, ${left} were acknowledged and not deleted`;
    });
  }

  #judgePet(pet: Row, orders: readonly Row[], tally: Tally): void {
    const told = this.#pets.get(String(pet["id"]));
    const states = orders.map(({ status }) => status);
    const isOpen = states.includes("placed") || states.includes("approved");
    const statuses = [
      ...(told?.versions.map(({ status }) => status) ?? []),
      ...(states.includes("delivered") ? ["sold"] : []),
      ...(states.includes("cancelled") ? ["available"] : []),
    ];
    const holds =
      told?.deleted === false &&
      told.versions.some((each) => exactly({ ...each, status: pet["status"] }) === exactly(pet)) &&
      (isOpen ? pet["status"] === "pending" : statuses.includes(pet["status"]));
    const known = told?.versions.map(exactly).join(", ");
    tally.judge(holds, () => `Told was ${known}, with orders ${states}; there is ${exactly(pet)}`);
  }
}

const exactly = (row: Row) =>
  JSON.stringify(row, (_name, value) => (typeof value === "bigint" ? `${value}n` : value));

/** The pet is what was asked for, as far as the text that was sent leaves no doubt. */
function judgeEcho(pet: Row, sent: string, tally: Tally): void {
  const asked = JSON.parse(sent.replace(/^\ufeff/, "")) as Row;
  const name = asked["name"] === pet["name"] && (asked["status"] ?? "available") === pet["status"];
  const categories = sent.match(/"categoryId":[^,}]*/g) ?? [];
  const category = /:(-?\d+)$/.exec(categories[0] ?? "")?.[1];
  const exact =
    categories.length !== 1 ||
    category === undefined ||
    BigInt(category) === BigInt(String(pet["categoryId"]));
  tally.judge(name && exact, () => `${sent.slice(0, 300)} became ${exactly(pet)}`);
}
