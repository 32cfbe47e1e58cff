/** Random histories of pets and orders: what is asked for, in which words, how often and when. */

import type { PetStatus } from "../../src/petstore/catalogue/pet.ts";
import { type IdempotentRequest, retentionMs } from "../../src/petstore/idempotency/idempotency.ts";
import type { Stores } from "../../src/storage/stores.ts";
import fc from "../../testkit/fastCheck.ts";

export type Request =
  | { readonly kind: "add"; readonly status: PetStatus }
  | { readonly kind: "import"; readonly id: bigint; readonly status: PetStatus }
  | { readonly kind: "place"; readonly petId: bigint; readonly quantity: number }
  | { readonly kind: "approve" | "deliver"; readonly orderId: bigint };

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
  | { readonly kind: "approve" | "deliver"; readonly order: number }
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
const intent = fc.oneof<fc.WeightedArbitrary<Intent>[]>(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("add" as const), status }) },
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
      pet: fc.nat({ max: 7 }),
      quantity: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("approve" as const), order }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("deliver" as const), order }) },
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

function requestOf(intent: Intent, past: readonly Event[], beginning: Beginning): Request {
  const doneIds = (kind: string) => [
    ...new Set(
      past.flatMap(({ request, outcome: { id } }) =>
        request.kind === kind && id !== undefined ? [id] : [],
      ),
    ),
  ];
  switch (intent.kind) {
    case "repeat":
      return { kind: "add", status: "available" };
    case "import": {
      const { free, status } = intent;
      return { kind: "import", id: beginning.freeIds[free] as bigint, status };
    }
    case "place": {
      const pets = [...beginning.petIds, ...beginning.freeIds, ...doneIds("add")];
      const petId = pets[intent.pet % pets.length] as bigint;
      return { kind: "place", petId, quantity: intent.quantity };
    }
    case "approve":
    case "deliver": {
      const orders = doneIds("place");
      const orderId = orders[intent.order % orders.length] ?? beginning.lastOrderId + 1_000_000n;
      return { kind: intent.kind, orderId };
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
    default:
      return orders.move(request.orderId, request.kind, idempotency);
  }
}
