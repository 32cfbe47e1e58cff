/** The client against the real service. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type DeprecationNotice,
  isPetStoreError,
  type NewPet,
  type Pet,
  PetStoreClient,
  type PetStoreError,
} from "../../src/client/client.ts";
import { int64Max, int64Min } from "../../src/contract/int64.ts";
import { Problem } from "../../src/core/problems.ts";
import { openSqlite } from "../../src/storage/sqlite/store.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { faultyStores } from "../../testkit/faultyStores.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { fakePlatform } from "./platform.ts";
import { rejection } from "./scriptedServer.ts";

let running: TestService;
let client: PetStoreClient;

beforeAll(async () => {
  running = await startTestService();
  client = clientOf(running);
});
afterAll(() => running.stop());

function clientOf({ base, token }: TestService, apiKey = token): PetStoreClient {
  return new PetStoreClient({ baseUrl: base, apiKey, onDeprecation: () => {} });
}

async function refusal(work: Promise<unknown>): Promise<PetStoreError> {
  const error = await rejection(work);
  if (isPetStoreError(error)) return error;
  throw error;
}

describe("createPet", () => {
  test("gives the pet as stored, with bigints", async () => {
    const pet = await client.createPet({ name: "Bella", categoryId: 3 });
    expect(pet).toEqual({
      id: expect.any(BigInt),
      name: "Bella",
      categoryId: 3n,
      status: "available",
    });
    expect((await client.listPets({ id: [pet.id] })).items).toEqual([pet]);
  });

  test("takes every member, and a status that is undefined as left out", async () => {
    const sold = await client.createPet({ name: "Rex", categoryId: 4n, status: "sold" });
    expect(sold.status).toBe("sold");
    const { status } = await client.createPet({ name: "Rex", categoryId: 4n, status: undefined });
    expect(status).toBe("available");
  });

  for (const categoryId of [int64Min, int64Max, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n]) {
    test(`keeps categoryId ${categoryId} in every operation`, async () => {
      const pet = await client.createPet({
        name: `"${categoryId}":12345678901234567890`,
        categoryId,
      });
      expect(pet.categoryId).toBe(categoryId);
      expect((await client.listPets({ id: [pet.id] })).items).toEqual([pet]);
      expect(await client.getPet(pet.id)).toEqual(pet);
    });
  }

  test("refuses a number that may already be rounded, before anything is sent", async () => {
    for (const categoryId of [2 ** 53, -(2 ** 60), Number.NaN, Number.POSITIVE_INFINITY]) {
      const error = await rejection(client.createPet({ name: "Rex", categoryId }));
      expect(error).toBeInstanceOf(TypeError);
      expect((error as Error).message).toStartWith("categoryId ");
    }
    const error = await rejection(client.listPets({ id: [1, 2 ** 53] }));
    expect((error as Error).message).toContain("Pass a bigint");
  });

  test("tells with `call` where the new pet is", async () => {
    const { status, headers, body } = await client.call("createPet", {
      body: { name: "Bella", categoryId: 3n },
    });
    expect([status, headers.get("location")]).toEqual([201, `${running.base}/pets/${body.id}`]);
  });
});

describe("getPet", () => {
  test("gives the pet, by bigint or number", async () => {
    const pet = await client.createPet({ name: "Bella", categoryId: 3 });
    expect(await client.getPet(pet.id)).toEqual(pet);
    expect(await client.getPet(Number(pet.id))).toEqual(pet);
  });

  test("announces its end once for each client, to the hook or else as a warning", async () => {
    const { id } = await client.createPet({ name: "Bella", categoryId: 3 });
    const notices: DeprecationNotice[] = [];
    const options = { baseUrl: running.base, apiKey: running.token };
    const listening = new PetStoreClient({
      ...options,
      onDeprecation: (told) => notices.push(told),
    });
    const fake = fakePlatform();
    const silent = new PetStoreClient({ ...options, platform: { warn: fake.warn } });
    for (const one of [listening, listening, silent, silent]) {
      await one.listPets();
      await one.getPet(id);
    }
    expect(notices).toEqual([
      {
        operation: "getPet",
        deprecatedAt: new Date("2026-11-01"),
        sunsetAt: new Date("2030-12-05"),
        notice: `${running.origin}/docs/guide/deprecation.md`,
        successor: `${running.base}/pets?id=${id}`,
      },
    ]);
    expect(fake.warnings).toEqual([
      `Pet Store: getPet is deprecated and ends on 2030-12-05. Use ${running.base}/pets?id=${id} instead. See ${running.origin}/docs/guide/deprecation.md.`,
    ]);
  });

  test("is refused with operation_removed from that date on", async () => {
    const later = await startTestService({ clock: fakeClock(Date.UTC(2030, 11, 5)) });
    const error = await refusal(clientOf(later).getPet(1));
    expect([error.code, error.status]).toEqual(["operation_removed", 410]);
    await later.stop();
  });
});

describe("paging", () => {
  const total = 250;
  let service: TestService;
  let pagingClient: PetStoreClient;
  let added: Pet[];
  beforeAll(async () => {
    service = await startTestService();
    pagingClient = clientOf(service);
    const status = (index: number) => (index % 5 === 0 ? "sold" : "available");
    added = await Promise.all(
      Array.from({ length: total }, (_, index) =>
        pagingClient.createPet({ name: `Pet ${index}`, categoryId: index, status: status(index) }),
      ),
    );
    added.sort((a, b) => Number(a.id - b.id));
  });
  afterAll(() => service.stop());

  const all = async (pets: AsyncIterable<Pet>) => {
    const seen: Pet[] = [];
    for await (const pet of pets) seen.push(pet);
    return seen;
  };

  test("pets() meets those that match all filters", async () => {
    const found = await all(pagingClient.pets({ name: "pet 24", status: "sold", limit: 1 }));
    expect(found.map(({ name }) => name)).toEqual(["Pet 240", "Pet 245"]);
    const [one, , three] = await all(pagingClient.pets({ categoryId: [24n, 7, 1n] }));
    expect([one?.categoryId, three?.categoryId].toSorted()).toEqual([1n, 24n]);
  });

  test(`pets() meets each of ${total} pets once, in order, whatever the page size`, async () => {
    expect(await all(pagingClient.pets())).toEqual(added);
    expect(await all(pagingClient.pets({ limit: 7 }))).toEqual(added);
    expect(await all(pagingClient.pets({ limit: 50 }))).toEqual(added);
  });

  test("pets() keeps its filters on every page", async () => {
    const sold = added.filter(({ status }) => status === "sold");
    expect(await all(pagingClient.pets({ status: "sold", limit: 9 }))).toEqual(sold);
    const some = added.filter((_, index) => index % 4 === 0);
    expect(await all(pagingClient.pets({ id: some.map(({ id }) => id), limit: 10 }))).toEqual(some);
  });

  test("pets() asks for a page only when it is wanted", async () => {
    let asked = 0;
    const counting = new PetStoreClient({
      baseUrl: service.base,
      apiKey: service.token,
      fetch(address, init) {
        asked++;
        return fetch(address, init);
      },
    });
    const pets = counting.pets();
    expect(asked).toBe(0);
    for await (const pet of pets) if (pet.id === added[99]?.id) break;
    expect(asked).toBe(1);
    expect(await all(counting.pets())).toHaveLength(total);
    expect(asked).toBe(1 + 3);
  });

  test("next() leads from page to page, and gives undefined after the last one", async () => {
    const first = await pagingClient.listPets({ limit: 100 });
    const second = await first.next();
    const third = await second?.next();
    expect([first, second, third].map((page) => page?.items.length)).toEqual([100, 100, 50]);
    expect(await third?.next()).toBeUndefined();
    expect(third?.nextCursor).toBeUndefined();
    expect(await second?.next()).toEqual({ ...third, next: expect.any(Function) } as typeof third);
  });

  test("nextCursor goes on where a page ended", async () => {
    const { nextCursor: cursor } = await pagingClient.listPets({ limit: 3 });
    const { items } = await pagingClient.listPets({ limit: 2, cursor });
    expect(items).toEqual(added.slice(3, 5));
  });

  test("an empty list of ids is refused, because the service would see no filter at all", async () => {
    expect(await rejection(pagingClient.listPets({ id: [] }))).toEqual(
      new TypeError("id is an empty list. Name at least one, or leave id out."),
    );
  });
});

describe("a pet that is there", () => {
  test("is updated in what is given, and only while it has the ETag", async () => {
    const { id } = await client.createPet({ name: "Bella", categoryId: int64Max });
    const { headers } = await client.call("listPets", { query: { id: [id] } });
    const ifMatch = headers.get("etag") ?? "";
    const updated = await client.updatePet(id, { name: "Rex" }, { ifMatch });
    expect(updated).toEqual({ id, name: "Rex", categoryId: int64Max, status: "available" });
    const late = await refusal(client.updatePet(id, { name: "Max" }, { ifMatch }));
    expect([late.code, late.status]).toEqual(["precondition_failed", 412]);
    expect(await client.updatePet(id, { ...updated, status: null })).toEqual(updated);
    expect((await refusal(client.deletePet(id, { ifMatch }))).code).toBe("precondition_failed");
    expect((await refusal(client.updatePet(id, {}))).code).toBe("body_invalid");
    expect(await client.deletePet(Number(id))).toBeUndefined();
    expect((await client.listPets({ id: [id] })).items).toEqual([]);
    expect((await refusal(client.deletePet(id))).code).toBe("pet_not_found");
  });

  test("is deleted once though the answer is lost", async () => {
    let lost = 0;
    const unlucky = new PetStoreClient({
      baseUrl: running.base,
      apiKey: running.token,
      platform: fakePlatform(),
      async fetch(address: string, init: RequestInit) {
        const response = await fetch(address, init);
        if (lost++ < 2) throw new TypeError("the connection broke");
        return response;
      },
    });
    const { id } = await client.createPet({ name: "Bella", categoryId: 3 });
    expect(await unlucky.deletePet(id)).toBeUndefined();
    expect(lost).toBe(3);
  });

  test("reads again only what has changed since its ETag", async () => {
    const { id } = await client.createPet({ name: "Bella", categoryId: 3 });
    const query = { id: [id] };
    const { headers } = await client.call("listPets", { query });
    const ifNoneMatch = headers.get("etag") ?? "";
    const same = await client.call("listPets", { query, ifNoneMatch });
    expect([same.status, same.body]).toEqual([304, undefined]);
    expect(same.headers.get("etag")).toBe(ifNoneMatch);
    await client.updatePet(id, { name: "Rex" });
    const changed = await client.call("listPets", { query, ifNoneMatch });
    expect([changed.status, changed.body?.[0]?.name]).toEqual([200, "Rex"]);
    const wrong = rejection(client.call("listPets", { ifNoneMatch: "\n" }));
    expect(await wrong).toBeInstanceOf(TypeError);
  });

  test("is not asked for with an ETag that no header can carry", async () => {
    for (const ifMatch of ["", '"a"\n', '"ü"']) {
      expect(await rejection(client.deletePet(1n, { ifMatch }))).toBeInstanceOf(TypeError);
    }
  });
});

test("categories are created, renamed and deleted", async () => {
  const created = await client.createCategory({ id: 70n, name: "Dogs" });
  expect(created).toEqual({ id: 70n, name: "Dogs" });
  expect(await client.createCategory({ name: "Cats" })).toEqual({
    id: 71n,
    name: "Cats",
  });
  const renamed = { id: 71n, name: "Lions" };
  expect(await client.updateCategory(renamed.id, { name: "Lions" })).toEqual(renamed);
  expect((await refusal(client.updateCategory(1, { name: "x" }))).code).toBe("category_not_found");
  for (const { id } of [created, renamed]) expect(await client.deleteCategory(id)).toBeUndefined();
  expect((await client.listCategories()).items).toEqual([]);
});

describe("a refusal of the service", () => {
  const newPet = { name: "Bella", categoryId: 3 };
  const cases: [code: string, status: number, call: () => Promise<unknown>][] = [
    ["pet_not_found", 404, () => client.getPet(int64Max)],
    ["parameter_invalid", 400, () => client.listPets({ limit: 0 })],
    ["parameter_invalid", 400, () => client.listPets({ limit: 1.5 })],
    ["parameter_invalid", 400, () => client.listPets({ id: [int64Max + 1n] })],
    ["cursor_invalid", 400, () => client.listPets({ cursor: "forged & <odd>" })],
    ["body_invalid", 400, () => client.createPet({ name: " ", categoryId: 3 })],
    ["body_invalid", 400, () => client.createPet({ ...newPet, categoryId: int64Max + 1n })],
    [
      "body_invalid",
      400,
      () => client.createPet({ ...newPet, colour: "red" } as NewPet, { strict: true }),
    ],
    ["body_too_large", 413, () => client.createPet({ ...newPet, name: "a".repeat(70_000) })],
    ["key_invalid", 401, () => clientOf(running, "pet_live_nonsense").listPets()],
    ["path_not_found", 404, () => clientOf({ ...running, base: `${running.base}/v1` }).listPets()],
  ];
  for (const [code, status, call] of cases) {
    test(`${code} is a PetStoreError of that code, sent once: ${call}`, async () => {
      const error = await refusal(call());
      expect({ ...error }).toMatchObject({
        name: "PetStoreError",
        code,
        status,
        attempts: 1,
      } as object);
      expect(error.message.length).toBeGreaterThan(10);
      expect(running.logged()).toContain(`"${error.requestId}"`);
    });
  }

  test("insufficient_scope and key_expired are told apart", async () => {
    const reader = await running.newKey({ scopes: ["pets:read"] });
    const expired = await running.newKey({ expiresAtMs: 1 });
    const narrow = await refusal(clientOf(running, reader.token).createPet(newPet));
    expect([narrow.code, narrow.status, narrow.operation]).toEqual([
      "insufficient_scope",
      403,
      "createPet",
    ]);
    expect((await refusal(clientOf(running, expired.token).listPets())).code).toBe("key_expired");
  });

  test("narrows by code", async () => {
    const error: unknown = await refusal(client.getPet(int64Max));
    expect(isPetStoreError(error)).toBe(true);
    expect(isPetStoreError(error, "pet_not_found")).toBe(true);
    expect(isPetStoreError(error, "internal", "pet_not_found")).toBe(true);
    expect(isPetStoreError(error, "internal")).toBe(false);
    expect(isPetStoreError(new Error("pet_not_found"), "pet_not_found")).toBe(false);
    if (!isPetStoreError(error, "pet_not_found")) throw error;
    const code: "pet_not_found" = error.code;
    expect(code).toBe("pet_not_found");
  });
});

describe("a store that fails", () => {
  const folder = mkdtempSync(join(tmpdir(), "petstore-client-"));
  let stores: ReturnType<typeof faultyStores>;
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      async openStores(options) {
        stores = faultyStores(await openSqlite(join(folder, "petstore.db"), options));
        return stores;
      },
    });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  test("for a moment is waited for, as long as the service asks, and nobody notices", async () => {
    stores.fault = new Problem("store_unavailable", { headers: { "retry-after": "2" } });
    const fake = fakePlatform();
    const patient = new PetStoreClient({
      baseUrl: service.base,
      apiKey: service.token,
      platform: {
        ...fake,
        async sleep(delayMs, signal) {
          await fake.sleep(delayMs, signal);
          if (fake.pauses.length === 2) stores.fault = undefined;
        },
      },
    });
    const pet = await patient.createPet({ name: "Bella", categoryId: 3 });
    expect(pet.name).toBe("Bella");
    expect(fake.pauses).toEqual([2_000, 2_000]);
    expect((await patient.listPets()).items).toEqual([pet]);
  });

  test("by a fault of its own is 500, told at once", async () => {
    stores.fault = new Error("a bug");
    const error = await refusal(clientOf(service).listPets());
    expect([error.code, error.status, error.attempts]).toEqual(["internal", 500, 1]);
  });
});
