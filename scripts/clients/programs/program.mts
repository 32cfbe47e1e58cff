// The client of openapi-generator for TypeScript, `typescript-fetch`. Its numbers are doubles.
import {
  Configuration,
  ErrorCode,
  EventsApi,
  ModelErrorFromJSON,
  OrderStatus,
  PetsApi,
  ResponseError,
  StoreApi,
} from "./client/index.js";

const basePath = process.env["BASE_URL"] ?? "";
const configured = (accessToken: string) => new Configuration({ basePath, accessToken });

function check(holds: boolean, seen: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(seen));
}

async function expectRefusal(step: string, code: ErrorCode, call: () => Promise<unknown>) {
  try {
    await call();
  } catch (refused) {
    if (!(refused instanceof ResponseError)) throw refused;
    const body = ModelErrorFromJSON(await refused.response.json());
    check(body.code === code && String(body.status) === step, body);
    console.log(step);
    return;
  }
  throw new Error(`${step}: the call succeeded`);
}

const pets = new PetsApi(configured(process.env["API_KEY"] ?? ""));
const store = new StoreApi(configured(process.env["API_KEY"] ?? ""));

const pet = await pets.createPet({ newPet: { name: "Generated", categoryId: 3 } });
const created: number[] = [];
for (const name of ["One", "Two", "Three"]) {
  created.push((await pets.createPet({ newPet: { name, categoryId: 3 } })).id);
}
const seen: number[] = [];
for (let cursor: string | undefined; ; ) {
  const asked = { limit: 1, id: created, ...(cursor === undefined ? {} : { cursor }) };
  const page = await pets.listPetsRaw(asked);
  seen.push(...(await page.value()).map(({ id }) => id));
  cursor = /[?&]cursor=([^&>]+)/.exec(page.raw.headers.get("link") ?? "")?.[1];
  if (cursor === undefined) break;
}
check(seen.join() === created.join(), seen);
console.log("pages");

await expectRefusal("400", ErrorCode.BodyInvalid, () =>
  store.placeOrder({ newOrder: { petId: 999999999 } }),
);
await expectRefusal("401", ErrorCode.KeyInvalid, () =>
  new PetsApi(configured("pet_live_unknown")).listPets(),
);
await expectRefusal("404", ErrorCode.OrderNotFound, () => store.getOrder({ orderId: 999999999 }));

const newOrder = { petId: pet.id };
const placed = await store.placeOrder({ newOrder });
await expectRefusal("409", ErrorCode.PetNotAvailable, () => store.placeOrder({ newOrder }));
const cancelled = await store.cancelOrder({ orderId: placed.id });
check(cancelled.status === OrderStatus.Cancelled, cancelled);
console.log("cancel");

const { id: orderId } = await store.placeOrder({ newOrder });
await store.approveOrder({ orderId });
const delivered = await store.deliverOrder({ orderId });
check(delivered.status === OrderStatus.Delivered, delivered);
console.log("orders");

const once = { newPet: { name: "Once", categoryId: 3 }, idempotencyKey: crypto.randomUUID() };
const first = await pets.createPet(once);
check(first.id === (await pets.createPet(once)).id, first);
console.log("repeat");

const petId = created[0] ?? 0;
const petPatch = { name: "Renamed" };
const updated = await pets.updatePet({ petId, petPatch });
check(updated.name === "Renamed", updated);
console.log("update");
await expectRefusal("412", ErrorCode.PreconditionFailed, () =>
  pets.updatePet({ petId, petPatch, ifMatch: '"stale"' }),
);
await pets.deletePet({ petId });
check((await pets.listPets({ id: created })).length === 2, created);
console.log("delete");
const events = new EventsApi(configured(process.env["API_KEY"] ?? ""));
const happened = await events.listEvents({ resource: `pets/${petId}` });
check(happened.at(-1)?.type === "pet.deleted", happened);
console.log("events");
