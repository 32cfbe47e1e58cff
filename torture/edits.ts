/**
 * Pets that are updated, ordered, cancelled and deleted. Each is edited by one client at a time, so
 * that what it may be is known exactly: one state, or two while a request got no answer.
 */
import { entityTag, type PetStatus } from "../src/petstore/catalogue/pet.ts";
import type { SeededRandom } from "../testkit/seededRandom.ts";
import { codeOf, exchange, type RequestOptions } from "./exchange.ts";
import { type Client, isLimited, lost } from "./load.ts";
import type { Tally } from "./tally.ts";
import type { Row } from "./walk.ts";

/** Undefined where it is not there. */
type State =
  | {
      readonly name: string;
      readonly status: PetStatus;
      /** How far its open order is. */
      readonly ordered: "placed" | "approved" | false;
    }
  | undefined;

interface Edit extends Pick<RequestOptions, "method" | "body" | "ifMatch"> {
  readonly path: string;
  readonly idempotencyKey: string;
  /** The only right answer. */
  readonly status: number;
  readonly after: State;
}

export interface EditedPet {
  readonly number: number;
  id: string | undefined;
  /** More than one only while an edit is unsettled, or was given up. */
  possible: State[];
  /** Got no answer: it is sent again, under its key, before any other. */
  unsettled: Edit | undefined;
  orderIds: string[];
  busy: boolean;
  ended: boolean;
}

const petsAtOnceDefault = 12;
const eventAfter = { placed: "approve", approved: "deliver" } as const;
const afterEvent = {
  approve: { ordered: "approved" },
  deliver: { status: "sold", ordered: false },
  cancel: { status: "available", ordered: false },
} as const;
const named = /^Edited (\d+) /;

export const isEdited = (row: Row) => named.test(String(row["name"]));

export class EditedPets {
  readonly all: EditedPet[] = [];
  readonly #atOnceMax: number;
  #open: EditedPet[] = [];
  #keys = 0;

  constructor(atOnceMax = petsAtOnceDefault) {
    this.#atOnceMax = atOnceMax;
  }

  take(random: SeededRandom): EditedPet | undefined {
    this.#open = this.#open.filter(({ ended }) => !ended);
    if (this.#open.length < this.#atOnceMax) return this.add();
    const idle = this.#open.filter(({ busy }) => !busy);
    return idle.length === 0 ? undefined : random.oneOf(idle);
  }

  add(): EditedPet {
    const pet: EditedPet = {
      ...{ number: this.all.length, id: undefined, possible: [undefined], unsettled: undefined },
      ...{ orderIds: [], busy: false, ended: false },
    };
    this.all.push(pet);
    this.#open.push(pet);
    return pet;
  }

  next(pet: EditedPet, random: SeededRandom): Edit {
    const [state] = pet.possible;
    const count = this.#keys++;
    const idempotencyKey = `edit-${count}`;
    const name = `Edited ${pet.number} ${count}`;
    if (state === undefined) {
      const after = { name, status: "available", ordered: false } as const;
      const body = JSON.stringify({ name, categoryId: 1 });
      return { method: "POST", path: "/pets", body, idempotencyKey, status: 201, after };
    }
    const path = `/pets/${pet.id}`;
    const patch = (body: object, status: number, after: State, ifMatch?: string): Edit => ({
      ...{ method: "PATCH", path, body: JSON.stringify(body), idempotencyKey },
      ...{ status, after, ifMatch },
    });
    const choice = random.fraction();
    if (choice < 0.3) {
      const tag = random.happens(0.5) ? entityTag(textOf(pet, state)) : undefined;
      return patch({ name }, 200, { ...state, name }, tag);
    }
    if (choice < 0.4) return patch({ name }, 412, state, '"stale"');
    if (choice < 0.55) {
      const status = random.oneOf(["available", "pending", "sold"] as const);
      if (state.ordered && status !== "pending") return patch({ status }, 409, state);
      return patch({ status }, 200, { ...state, status });
    }
    if (choice < 0.7) {
      const [code, after] = state.ordered ? [409, state] : [204, undefined];
      return { method: "DELETE", path, body: undefined, idempotencyKey, status: code, after };
    }
    if (state.ordered) {
      const moves = random.happens(0.5);
      const event = moves ? eventAfter[state.ordered] : "cancel";
      const after = { ...state, ...afterEvent[event] };
      const move = `/store/orders/${pet.orderIds.at(-1)}/${event}`;
      return { method: "POST", path: move, body: undefined, idempotencyKey, status: 200, after };
    }
    const place = { method: "POST", path: "/store/orders", idempotencyKey } as const;
    const body = `{"petId":${pet.id}}`;
    return state.status === "available"
      ? { ...place, body, status: 201, after: { ...state, status: "pending", ordered: "placed" } }
      : { ...place, body, status: 409, after: state };
  }

  /** Where idempotency keys may have expired, nothing is sent again any more. */
  forgetMarks(): void {
    for (const pet of this.all) if (pet.unsettled !== undefined) pet.ended = true;
  }

  /** What the store holds of these pets, while no client writes. */
  judge(tally: Tally, pets: readonly Row[], orders: readonly Row[], settle: boolean): void {
    const rows = Map.groupBy(pets, (row) => Number(named.exec(String(row["name"]))?.[1]));
    const ofPet = Map.groupBy(orders, ({ petId }) => String(petId));
    const byId = new Map(orders.map((order) => [String(order["id"]), order]));
    for (const pet of this.all) {
      const [row, ...more] = rows.get(pet.number) ?? [];
      const own = (row === undefined ? undefined : ofPet.get(String(row["id"]))) ?? [];
      const open = own.filter(({ status }) => status === "placed" || status === "approved");
      const fits = pet.possible.filter(
        (state) =>
          state?.name === row?.["name"] &&
          state?.status === row?.["status"] &&
          open.length === Number(Boolean(state?.ordered)) &&
          (!state?.ordered || open[0]?.["status"] === state.ordered),
      );
      const shown = JSON.stringify([row, own], (_name, value) =>
        typeof value === "bigint" ? String(value) : value,
      );
      tally.judge(more.length === 0 && fits.length > 0, () => {
        return `Edited pet ${pet.number} may be ${JSON.stringify(pet.possible)}, and is ${shown}`;
      });
      if (settle && fits.length > 0) pet.possible = fits;
      for (const id of pet.orderIds) {
        const order = byId.get(id);
        const isOver = ["cancelled", "delivered"].includes(String(order?.["status"]));
        const apt = isOver || id === pet.orderIds.at(-1);
        tally.judge(order !== undefined && apt, () => `Order ${id} is ${order?.["status"]}`);
      }
    }
    tally.judge(
      [...rows.keys()].every((number) => number < this.all.length),
      () => {
        return "An edited pet is there that nobody added";
      },
    );
  }
}

const textOf = ({ id }: EditedPet, { name, status }: NonNullable<State>) =>
  `{"id":${id},"name":"${name}","categoryId":1,"status":"${status}"}`;

/** One edit, or once more the one that got no answer. False where it is better to wait. */
export async function edit(client: Client): Promise<boolean> {
  const pet = client.ledger.edits.take(client.random);
  if (pet === undefined) return true;
  pet.busy = true;
  try {
    const { ledger, random } = client;
    return await carryOut(client, pet, pet.unsettled ?? ledger.edits.next(pet, random));
  } finally {
    pet.busy = false;
  }
}

async function carryOut(client: Client, pet: EditedPet, edit: Edit): Promise<boolean> {
  const { base, token, tally, fresh, seen, writesMayFail } = client;
  const url = `${base}${edit.path}`;
  const before = pet.possible;
  // Already while it is under way: the process may be killed before it answers.
  pet.possible = before.includes(edit.after) ? before : [...before, edit.after];
  pet.unsettled = edit;
  const answer = await exchange({ ...edit, url, token, fresh }, tally);
  if (answer !== undefined) client.onAnswer?.(edit.method, edit.path, answer);
  if (answer === undefined) return lost(client, url);
  if (isLimited(client, answer) || codeOf(answer.text) === "idempotency_in_flight") return false;
  const { status, text } = answer;
  if (status === 503) {
    seen.failed++;
    tally.judge(writesMayFail?.() ?? true, () => `An edit was answered ${status} ${text}`);
    return false;
  }
  tally.judge(status === edit.status, () => {
    return `${edit.method} ${edit.path} ${edit.body} was answered ${status} ${text.slice(0, 200)}, of ${JSON.stringify(before)}`;
  });
  pet.unsettled = undefined;
  if (status !== edit.status) {
    // What it is now is not known any more.
    pet.ended = true;
    return true;
  }
  pet.possible = [edit.after];
  if (status >= 400) return true;
  seen.acknowledged++;
  const id = /^\{"id":(\d+),/.exec(text)?.[1];
  if (edit.path === "/pets") pet.id = id;
  if (edit.path === "/store/orders" && id !== undefined && !pet.orderIds.includes(id)) {
    pet.orderIds.push(id);
  }
  const isPet = edit.path.startsWith("/pets") && edit.after !== undefined;
  const whole = !isPet || text === textOf(pet, edit.after);
  tally.judge(whole, () => `Acknowledged: ${text}, not ${JSON.stringify(edit.after)}`);
  pet.ended = edit.after === undefined;
  return lookAgain(client, pet);
}

/** Through any process: nobody may show the pet as it was before. */
async function lookAgain(client: Client, pet: EditedPet): Promise<boolean> {
  const { addresses, random, token, tally, fresh } = client;
  const bases = addresses();
  if (bases.length === 0 || pet.id === undefined) return true;
  const url = `${random.oneOf(bases)}/pets?id=${pet.id}`;
  const answer = await exchange({ method: "GET", url, token, fresh }, tally);
  if (answer?.status !== 200) return true;
  const [state] = pet.possible;
  const expected = state === undefined ? "[]" : `[${textOf(pet, state)}]`;
  tally.judge(answer.text === expected, () => `Stale: ${answer.text}, not ${expected}`);
  return true;
}
