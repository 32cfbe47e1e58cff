/** What was acknowledged to clients that send anything at all, held against the store in the end. */
import { parseJson } from "../../src/contract/json.ts";
import type { Tally } from "../tally.ts";
import { type Row, walk } from "../walk.ts";

const orderSteps = ["placed", "approved", "delivered"];

export class Acknowledged {
  readonly #pets = new Map<string, string>();
  /** The first answer of each order, and how far it has come. */
  readonly #orders = new Map<string, { readonly petId: string; step: number }>();

  /** The text of a 201. Told again by a repetition, it must be the same. */
  pet(text: string, sent: string, tally: Tally): void {
    const pet = parseJson(text) as Row;
    const id = String(pet["id"]);
    const before = this.#pets.get(id);
    tally.judge(before === undefined || before === text, () => `${before} became ${text}`);
    this.#pets.set(id, text);
    if (before === undefined) judgeEcho(pet, sent, tally);
  }

  order(text: string): void {
    const order = parseJson(text) as Row;
    const id = String(order["id"]);
    const known = this.#orders.get(id);
    const step = orderSteps.indexOf(String(order["status"]));
    // Answers overtake each other, so it never goes back.
    if (known !== undefined) known.step = Math.max(known.step, step);
    else this.#orders.set(id, { petId: String(order["petId"]), step });
  }

  get count(): number {
    return this.#pets.size + this.#orders.size;
  }

  async judgeStore(base: string, token: string, tally: Tally): Promise<void> {
    const statuses = new Map<string, string>();
    const orders = await walk({ base, token, tally }, "/store/orders?limit=100");
    const pets = await walk({ base, token, tally }, "/pets?limit=100");
    if (orders === undefined || pets === undefined) return;
    for (const order of orders) {
      const known = this.#orders.get(String(order["id"]));
      const step = orderSteps.indexOf(String(order["status"]));
      const apt = known?.step === step && known.petId === String(order["petId"]);
      tally.judge(
        apt,
        () => `Order ${order["id"]} is ${order["status"]}, step ${known?.step} was told`,
      );
      statuses.set(String(order["petId"]), step === 2 ? "sold" : "pending");
    }
    tally.judge(orders.length === this.#orders.size, () => {
      return `${orders.length} orders are there, ${this.#orders.size} were acknowledged`;
    });
    for (const pet of pets) this.#judgePet(pet, statuses.get(String(pet["id"])), tally);
    tally.judge(pets.length === this.#pets.size, () => {
      return `${pets.length} pets are there, ${this.#pets.size} were acknowledged`;
    });
  }

  #judgePet(pet: Row, ordered: string | undefined, tally: Tally): void {
    const told = this.#pets.get(String(pet["id"]));
    const first = told === undefined ? {} : (parseJson(told) as Row);
    const expected = { ...first, status: ordered ?? first["status"] };
    const holds = told !== undefined && exactly(pet) === exactly(expected);
    tally.judge(holds, () => `Told was ${exactly(expected)}, there is ${exactly(pet)}`);
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
