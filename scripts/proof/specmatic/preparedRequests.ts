/**
 * Requests that use up what they are about: a pet can be ordered or deleted once, an order takes each
 * step once, and a name can be given to one category. Each of them has a pet, an order or a category
 * of its own, made before Specmatic starts.
 */
import type { ServiceFixtures } from "../service.ts";

type OrderOperation = "placeOrder" | "approveOrder" | "deliverOrder" | "cancelOrder";
type CategoryOperation = "createCategory" | "updateCategory" | "deleteCategory";
export type ConsumingOperation = OrderOperation | CategoryOperation | "updatePet" | "deletePet";

export interface PreparedRequest {
  readonly operation: ConsumingOperation;
  readonly name: string;
  /** What the contract says to it. */
  readonly status: 200 | 201 | 204 | 400 | 409;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly petId?: number;
  readonly orderId?: number;
  readonly categoryId?: number;
  readonly prefer?: string;
}

const idOfNoPet = 999_999_999;

/** Each member alone, and all of them. */
const patches = {
  name: { name: "Rex" },
  category: { categoryId: 4 },
  status: { status: "sold" },
  reset: { status: null },
  all: { name: "Rex", categoryId: 4, status: "pending" },
};

export async function prepareRequests(fixtures: ServiceFixtures): Promise<PreparedRequest[]> {
  const requests: PreparedRequest[] = [];

  // The combinations that Specmatic makes of the schema where nothing is used up: each optional
  // part there and not, and each number at both ends.
  for (const prefer of [undefined, "handling=lenient", "handling=strict"]) {
    const preferring = prefer === undefined ? {} : { prefer };
    const suffix = prefer === undefined ? "" : ` and ${prefer}`;
    for (const quantity of [undefined, 1, 2, 1000]) {
      const petId = await fixtures.pet();
      requests.push({
        operation: "placeOrder",
        name: `${quantity ?? "no"} quantity${suffix}`,
        status: 201,
        body: quantity === undefined ? { petId } : { petId, quantity },
        ...preferring,
      });
    }
    requests.push(
      {
        operation: "approveOrder",
        name: `placed${suffix}`,
        status: 200,
        orderId: (await fixtures.order()).orderId,
        ...preferring,
      },
      {
        operation: "deliverOrder",
        name: `approved${suffix}`,
        status: 200,
        orderId: (await fixtures.order("approve")).orderId,
        ...preferring,
      },
      {
        operation: "cancelOrder",
        name: `open${suffix}`,
        status: 200,
        orderId: (await fixtures.order()).orderId,
        ...preferring,
      },
      {
        operation: "deletePet",
        name: `available${suffix}`,
        status: 204,
        petId: await fixtures.pet(),
        ...preferring,
      },
      {
        operation: "createCategory",
        name: `name alone${suffix}`,
        status: 201,
        body: { name: `Fish:${prefer}` },
        ...preferring,
      },
      {
        operation: "updateCategory",
        name: `another name${suffix}`,
        status: 200,
        categoryId: await fixtures.category(`Horses:${prefer}`),
        body: { name: `Ponies:${prefer}` },
        ...preferring,
      },
      {
        operation: "deleteCategory",
        name: `unused${suffix}`,
        status: 204,
        categoryId: await fixtures.category(`Dragons:${prefer}`),
        ...preferring,
      },
    );
    for (const [what, body] of Object.entries(patches)) {
      requests.push({
        operation: "updatePet",
        name: `${what}${suffix}`,
        status: 200,
        petId: await fixtures.pet(),
        body,
        ...preferring,
      });
    }
  }

  const placed = await fixtures.order();
  const approved = await fixtures.order("approve");
  const delivered = await fixtures.order("approve", "deliver");
  for (const [name, { petId }] of Object.entries({
    "pending pet": placed,
    "sold pet": delivered,
  })) {
    requests.push({ operation: "placeOrder", name, status: 409, body: { petId } });
  }
  requests.push(
    { operation: "placeOrder", name: "unknown pet", status: 400, body: { petId: idOfNoPet } },
    { operation: "approveOrder", name: "approved", status: 409, orderId: approved.orderId },
    { operation: "approveOrder", name: "delivered", status: 409, orderId: delivered.orderId },
    { operation: "deliverOrder", name: "placed", status: 409, orderId: placed.orderId },
    { operation: "deliverOrder", name: "delivered", status: 409, orderId: delivered.orderId },
    { operation: "cancelOrder", name: "delivered", status: 409, orderId: delivered.orderId },
    { operation: "deletePet", name: "ordered pet", status: 409, petId: placed.petId },
    {
      operation: "createCategory",
      name: "identifier and name",
      status: 201,
      body: { id: 1000, name: "Snakes" },
    },
    { operation: "createCategory", name: "taken name", status: 409, body: { name: "Dogs" } },
    {
      operation: "updateCategory",
      name: "taken name",
      status: 409,
      categoryId: await fixtures.category("Wolves"),
      body: { name: "Dogs" },
    },
    { operation: "deleteCategory", name: "of a pet", status: 409, categoryId: 3 },
    {
      operation: "updatePet",
      name: "ordered pet",
      status: 409,
      petId: placed.petId,
      body: { status: "sold" },
    },
  );
  return requests;
}
