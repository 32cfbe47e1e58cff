import { describe, expect, test } from "bun:test";
import { int64Max } from "../../src/contract/int64.ts";
import { idGivenMax } from "../../src/petstore/catalogue/catalogue.ts";
import { type Pet, petText } from "../../src/petstore/catalogue/pet.ts";
import {
  addPet,
  deletePet,
  importPets,
  type PetTransaction,
  updatePet,
} from "../../src/petstore/catalogue/petCommands.ts";

const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

/** A transaction in memory that throws where an engine may rely on not being asked. */
function transactionOn(...stored: readonly Pet[]) {
  const pets = new Map(stored.map((pet) => [pet.id, pet]));
  const retired = new Set<bigint>();
  const recorded: (string | undefined)[][] = [];
  let imports = 0;
  const unexpected = (): never => {
    throw new Error("An engine is not asked this.");
  };
  const transaction: PetTransaction = {
    idempotency: { find: unexpected, store: unexpected },
    lastPetId: stored.at(-1)?.id ?? 0n,
    pet: (id) => pets.get(id),
    petText(id) {
      const pet = pets.get(id);
      return pet && petText(pet);
    },
    isPetIdTaken: (id) => (id > idGivenMax ? pets.has(id) || retired.has(id) : unexpected()),
    openOrderOf: () => undefined,
    hasCategory: () => true,
    insertPet: (pet) => void pets.set(pet.id, pet),
    updatePet: (pet) => void pets.set(pet.id, pet),
    deletePet: (id) => void pets.delete(id),
    retirePetId: (id) => (id > idGivenMax ? void retired.add(id) : unexpected()),
    noteImport: () => void imports++,
    record: ({ type, data }, before) => recorded.push([type, data, before?.()]),
  };
  return { transaction, recorded, imports: () => imports };
}

const add = (transaction: PetTransaction) => addPet(transaction, { pet: bella, terms: {} });

describe("the id of a pet", () => {
  test("is checked and retired only beyond those that are assigned in turn", () => {
    const { transaction } = transactionOn({ ...bella, id: idGivenMax - 1n });
    expect(add(transaction)).toMatchObject({ id: idGivenMax });
    expect(deletePet(transaction, { id: idGivenMax, terms: {} })).toMatchObject({ kind: "done" });
    importPets(transaction, [{ ...bella, id: idGivenMax + 1n }]);
    deletePet(transaction, { id: idGivenMax + 1n, terms: {} });
    expect(add(transaction)).toMatchObject({ id: idGivenMax + 2n });
  });

  test("is never past the largest of all", () => {
    const { transaction } = transactionOn({ ...bella, id: int64Max });
    expect(() => add(transaction)).toThrow("Every number of last_pet_id is used up.");
  });
});

test("an import is noted if it may insert a pet before others", () => {
  const { transaction, imports } = transactionOn({ ...bella, id: 1n });
  importPets(transaction, []);
  importPets(transaction, [bella, { ...bella, id: 1n }]);
  expect(imports()).toBe(0);
  importPets(transaction, [{ ...bella, id: 7n }]);
  expect(imports()).toBe(1);
});

test("changes and deletions are recorded with the pet as it was", () => {
  const pet: Pet = { ...bella, id: 1n };
  const { transaction, recorded } = transactionOn(pet);
  updatePet(transaction, { id: 1n, patch: { name: "Rex" }, terms: {} });
  deletePet(transaction, { id: 1n, terms: {} });
  const rex = petText({ ...pet, name: "Rex" });
  expect(recorded).toEqual([
    ["pet.updated", rex, petText(pet)],
    ["pet.deleted", rex, rex],
  ]);
});
