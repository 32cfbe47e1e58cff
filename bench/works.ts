/** What is asked of every contestant, and how one contestant's dialect spells it. */
import type { PetStatus } from "../src/petstore/catalogue/pet.ts";
import type { Sample } from "./sample.ts";

export const workNames = [
  "getPet",
  "getPetAny",
  "getPetAmongOrders",
  "listPlain",
  "listByStatus",
  "listDeep",
  "createPet",
  "mixed",
] as const;
export type WorkName = (typeof workNames)[number];

/** For those who know pets alone. */
export const worksWithoutOrders = workNames.filter((work) => work !== "getPetAmongOrders");

/** One client's, beside the reads. */
export const ordersPerSecond = 100;

export const workTitles: Readonly<Record<WorkName, string>> = {
  getPet: "getPet",
  getPetAny: "getPet, any of all pets",
  getPetAmongOrders: `getPet while ${ordersPerSecond} orders a second are placed`,
  listPlain: "listPets of 20, plain",
  listByStatus: "listPets of 20, by status",
  listDeep: "listPets of 20, deep by cursor",
  createPet: "createPet, durable",
  mixed: "mixed: 80 % get, 15 % list, 5 % create",
};

export interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  /** If one call of a load has them, all have the same ones, with values of their own. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ListQuestion {
  readonly status?: PetStatus;
  readonly after?: number;
}

/** How a contestant is spoken to. */
export interface Dialect {
  readonly headers: Readonly<Record<string, string>>;
  /** `{any}` stands for an id that the load draws. */
  getPet(id: number | "{any}"): string;
  /** For those who have the pets of the sample alone: any pet is any of these. */
  readonly sampleOnly?: boolean;
  list(question: ListQuestion): string;
  /** `{n}` in the body is another number each time. */
  readonly create: { readonly path: string; readonly body: string };
  /** Makes an available pet a pending one. */
  order?(petId: number): { readonly path: string; readonly body: string };
}

const mixedCalls = 2_000;

export function callsOf(work: WorkName, dialect: Dialect, sample: Sample): Call[] {
  const get = (path: string): Call => ({ method: "GET", path });
  const gets = () => sample.ids.map((id) => get(dialect.getPet(id)));
  const list = (question: ListQuestion) => get(dialect.list(question));
  const create: Call = { method: "POST", ...dialect.create };
  switch (work) {
    case "getPet":
    case "getPetAmongOrders":
      return gets();
    case "getPetAny":
      return dialect.sampleOnly ? gets() : [get(dialect.getPet("{any}"))];
    case "listPlain":
      return [list({})];
    case "listByStatus":
      return sample.statuses.map((status) => list({ status }));
    case "listDeep":
      return sample.depths.map((after) => list({ after }));
    case "createPet":
      return [create];
    case "mixed":
      return mix(gets(), callsOfLists(dialect, sample), create);
  }
}

function callsOfLists(dialect: Dialect, sample: Sample): Call[] {
  return (["listPlain", "listByStatus", "listDeep"] as const).flatMap((work) => {
    const calls = callsOf(work, dialect, sample);
    return Array.from({ length: mixedCalls / 20 }, (_, at) => taken(calls, at));
  });
}

/** Of 20 calls 16 read one pet, 3 read a list and 1 creates. */
function mix(gets: readonly Call[], lists: readonly Call[], create: Call): Call[] {
  return Array.from({ length: mixedCalls }, (_, at) => {
    if (at % 20 === 19) return create;
    // A stride that shares no divisor with the three kinds of list meets them all alike.
    if ((at % 20) % 6 === 5) return taken(lists, Math.floor(at / 6) * 101);
    return taken(gets, at);
  });
}

function taken<T>(items: readonly T[], at: number): T {
  const item = items[at % items.length];
  if (item === undefined) throw new Error("There is nothing to ask for: the sample is empty.");
  return item;
}
