/** Random histories of pets and orders: what is asked for, in which words, how often and when. */

import { entityTag, type PetStatus } from "../../src/petstore/catalogue/pet.ts";
import { type IdempotentRequest, retentionMs } from "../../src/petstore/idempotency/idempotency.ts";
import type { Stores } from "../../src/storage/stores.ts";
import fc from "../../testkit/fastCheck.ts";
import { textOf } from "./historyModel.ts";

export type Request =
  | { readonly kind: "add"; readonly status: PetStatus }
  | { readonly kind: "import"; readonly id: bigint; readonly status: PetStatus }
  | { readonly kind: "place"; readonly petId: bigint; readonly quantity: number }
  | {
      readonly kind: "update";
      readonly petId: bigint;
      readonly name?: string | undefined;
      readonly status?: PetStatus | null | undefined;
      /** As whoever asks knows the pet: it must be so still. */
      readonly held?: string | undefined;
    }
  | { readonly kind: "delete"; readonly petId: bigint; readonly held?: string | undefined }
  | {
      readonly kind: "approve" | "deliver" | "cancel";
      readonly orderId: bigint;
      readonly quantity: number;
    };

export interface Asked {
  readonly request: Request;
  readonly idempotency: IdempotentRequest | undefined;
}

export interface Outcome {
  readonly kind: string;
  readonly id?: bigint;
  readonly text?: string;
  readonly added?: number;
}

export interface Event extends Asked {
  /** Of what is asked for in one round, nobody knows what is done first. */
  readonly round: number;
  readonly outcome: Outcome;
}

/** What a history starts from, on a database that may hold other histories. */
export interface Beginning {
  /** Pets and orders of the history have larger ids. */
  readonly lastPetId: bigint;
  readonly lastOrderId: bigint;
  /** Available from the start. */
  readonly petIds: readonly bigint[];
  /** For imports. Nobody has them yet. */
  readonly freeIds: readonly bigint[];
}

/** What is asked for, where pets and orders are known by their places only. */
type Intent =
  | { readonly kind: "add"; readonly status: PetStatus }
  | { readonly kind: "import"; readonly free: number; readonly status: PetStatus }
  | { readonly kind: "place"; readonly pet: number; readonly quantity: number }
  | {
      readonly kind: "update";
      readonly pet: number;
      readonly name: string | undefined;
      readonly status: PetStatus | null | undefined;
      readonly held: number | undefined;
    }
  | { readonly kind: "delete"; readonly pet: number; readonly held: number | undefined }
  | { readonly kind: "approve" | "deliver" | "cancel"; readonly order: number }
  | { readonly kind: "repeat"; readonly earlier: number };

export interface Attempt {
  readonly intent: Intent;
  readonly idempotencyKey: { readonly keyId: string; readonly idempotencyKey: string } | undefined;
  /** How often at once, by the two handles in turn. */
  readonly copies: number;
  readonly handle: number;
}

export interface Round {
  /** The time that passes before it. */
  readonly laterMs: number;
  readonly attempts: readonly Attempt[];
}

const status = fc.constantFrom<PetStatus[]>("available", "available", "pending", "sold");
const order = fc.nat({ max: 7 });
const pet = fc.nat({ max: 7 });
const held = fc.option(fc.nat({ max: 3 }), { nil: undefined });
const intent = fc.oneof<fc.WeightedArbitrary<Intent>[]>(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("add" as const), status }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("import" as const),
      free: fc.nat({ max: 2 }),
      status,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("place" as const),
      pet,
      quantity: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("approve" as const), order }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("deliver" as const), order }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), order }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("update" as const),
      pet,
      name: fc.option(fc.constantFrom("x", "y", "z"), { nil: undefined }),
      status: fc.option(fc.option(status, { nil: null }), { nil: undefined }),
      held,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), pet, held }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("repeat" as const), earlier: fc.nat({ max: 30 }) }),
  },
);
const idempotencyKey = fc.record({
  keyId: fc.constantFrom("a", "b"),
  idempotencyKey: fc.constantFrom("1", "2", "3", "4", "5", "6"),
});
const attempt: fc.Arbitrary<Attempt> = fc.record({
  intent,
  idempotencyKey: fc.option(idempotencyKey, { nil: undefined, freq: 2 }),
  copies: fc.constantFrom(1, 1, 1, 2, 3),
  handle: fc.nat({ max: 1 }),
});
export const history: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    laterMs: fc.constantFrom(0, 0, 0, 1, retentionMs / 2, retentionMs - 1, retentionMs),
    attempts: fc.array(attempt, { minLength: 1, maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 8 },
);

export async function begin({ catalogue, orders }: Stores): Promise<Beginning> {
  const petIds: bigint[] = [];
  for (let count = 0; count < 4; count++) {
    const outcome = await catalogue.add({ name: "x", categoryId: 1n, status: "available" });
    if (outcome.kind === "done") petIds.push(outcome.id);
  }
  const [first = 0n] = petIds;
  const earlier = (await orders.list({ limit: 10_000 })).orders.at(-1);
  const lastOrderId = BigInt(/\d+/.exec(earlier ?? "0")?.[0] ?? "none");
  const freeIds = [first + 1_000n, first + 1_001n, first + 1_002n];
  return { lastPetId: first - 1n, lastOrderId, petIds, freeIds };
}

/** Finds the words for an attempt, given what has come about so far. */
export function ask(
  { intent, idempotencyKey }: Attempt,
  past: readonly Event[],
  beginning: Beginning,
): Omit<Asked, "idempotency"> & {
  readonly idempotency: Omit<IdempotentRequest, "nowMs"> | undefined;
} {
  if (intent.kind === "repeat") {
    const repeatable = past.filter(({ idempotency }) => idempotency !== undefined);
    const earlier = repeatable[intent.earlier % repeatable.length];
    if (earlier !== undefined) return earlier;
  }
  const request = requestOf(intent, past, beginning);
  const fingerprint = JSON.stringify(Object.values(request).map(String));
  // An import takes no idempotency key.
  return {
    request,
    idempotency:
      request.kind === "import" ? undefined : idempotencyKey && { ...idempotencyKey, fingerprint },
  };
}

/** One of the texts that the pet had. */
function textHeld(
  held: number | undefined,
  petId: bigint,
  past: readonly Event[],
): string | undefined {
  if (held === undefined) return undefined;
  const texts = past.flatMap(({ request: { kind }, outcome: { id, text } }) =>
    (kind === "add" || kind === "update") && id === petId && text !== undefined ? [text] : [],
  );
  const first = textOf(petId, { name: "x", status: "available" });
  return [first, ...texts].at(-1 - (held % (texts.length + 1)));
}

function requestOf(intent: Intent, past: readonly Event[], beginning: Beginning): Request {
  const doneIds = (kind: string) => [
    ...new Set(
      past.flatMap(({ request, outcome: { id } }) =>
        request.kind === kind && id !== undefined ? [id] : [],
      ),
    ),
  ];
  const petIdOf = (place: number): bigint => {
    const pets = [...beginning.petIds, ...beginning.freeIds, ...doneIds("add")];
    return pets[place % pets.length] as bigint;
  };
  switch (intent.kind) {
    case "repeat":
      return { kind: "add", status: "available" };
    case "import": {
      const { free, status } = intent;
      return { kind: "import", id: beginning.freeIds[free] as bigint, status };
    }
    case "place":
      return { kind: "place", petId: petIdOf(intent.pet), quantity: intent.quantity };
    case "update":
    case "delete": {
      const { pet, held, ...rest } = intent;
      const petId = petIdOf(pet);
      return { ...rest, petId, held: textHeld(held, petId, past) };
    }
    case "approve":
    case "deliver":
    case "cancel": {
      const { kind } = intent;
      const orders = doneIds("place");
      const orderId = orders[intent.order % orders.length];
      const unknown = { kind, orderId: beginning.lastOrderId + 1_000_000n, quantity: 1 };
      const placed = past.find(
        ({ request, outcome }) => request.kind === "place" && outcome.id === orderId,
      )?.request;
      if (orderId === undefined || placed?.kind !== "place") return unknown;
      return { kind, orderId, quantity: placed.quantity };
    }
    default:
      return intent;
  }
}

export function carryOut(
  { catalogue, orders }: Stores,
  { request, idempotency }: Asked,
  nowMs: number,
): Promise<Outcome> {
  const pet = { name: "x", categoryId: 1n };
  switch (request.kind) {
    case "add":
      return catalogue.add({ ...pet, status: request.status }, { idempotency });
    case "import":
      return catalogue.import([{ ...pet, id: request.id, status: request.status }]);
    case "place":
      return orders.place(request, nowMs, idempotency);
    case "update":
    case "delete": {
      const { petId, held } = request;
      const ifMatch = held === undefined ? undefined : [entityTag(held)];
      return request.kind === "delete"
        ? catalogue.delete(petId, { idempotency, ifMatch })
        : catalogue.update(petId, request, { idempotency, ifMatch });
    }
    default:
      return orders.move(request.orderId, request.kind, idempotency);
  }
}
