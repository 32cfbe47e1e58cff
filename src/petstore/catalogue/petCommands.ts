/** The rules of writes to pets, independent of the engine. */

import type { JsonOf } from "../../contract/document.ts";
import { int64After } from "../../contract/int64.ts";
import { type IdempotencyStore, idempotently } from "../idempotency/idempotency.ts";
import {
  type AddOutcome,
  type AddTerms,
  type ImportedPet,
  type ImportOutcome,
  idGivenMax,
} from "./catalogue.ts";
import { type NewPet, type Pet, petText } from "./pet.ts";

/** What these rules need of a transaction. It is isolated: no other write interleaves. */
export interface PetTransaction {
  readonly idempotency: IdempotencyStore;
  /** The largest id assigned so far; up to `idGivenMax` this includes imported pets. */
  lastPetId: bigint;
  petText(id: bigint): string | undefined;
  /** Called only for ids above `idGivenMax`. */
  isPetIdTaken(id: bigint): boolean;
  hasCategory(id: bigint): boolean;
  insertPet(pet: Pet, text: JsonOf<Pet>): void;
  /** Unlike an addition, an import may insert a pet before others. */
  noteImport(): void;
}

export interface PetAddition {
  readonly pet: NewPet;
  readonly terms: AddTerms;
}

export function addPet(transaction: PetTransaction, { pet, terms }: PetAddition): AddOutcome {
  const { idempotency, knownCategoryOnly } = terms;
  return idempotently(transaction.idempotency, idempotency, () => {
    if (knownCategoryOnly && !transaction.hasCategory(pet.categoryId)) {
      return { kind: "no_such_category" };
    }
    return { kind: "done", ...insertNext(transaction, pet) };
  });
}

/** Assigns the next free id. Above `idGivenMax`, imports may have used some. */
export function insertNext(
  transaction: PetTransaction,
  { name, categoryId, status }: NewPet,
): { readonly id: bigint; readonly text: JsonOf<Pet> } {
  let id = transaction.lastPetId;
  do id = int64After(id, "last_pet_id");
  while (id > idGivenMax && transaction.isPetIdTaken(id));
  transaction.lastPetId = id;
  const pet = { id, name, categoryId, status };
  const text = petText(pet);
  transaction.insertPet(pet, text);
  return { id, text };
}

export function importPets(
  transaction: PetTransaction,
  pets: readonly ImportedPet[],
): ImportOutcome {
  const fresh = new Map<bigint, { pet: Pet; text: JsonOf<Pet> }>();
  let unchanged = 0;
  for (const [index, { id, name, categoryId, status }] of pets.entries()) {
    if (id === undefined) continue;
    const pet = { id, name, categoryId, status };
    const text = petText(pet);
    const held = fresh.get(id)?.text ?? transaction.petText(id);
    if (held === undefined) fresh.set(id, { pet, text });
    else if (held === text) unchanged++;
    else return { kind: "conflict", id, index };
  }

  // Writes come last: the transaction continues after a conflict, which must leave no trace.
  if (fresh.size > 0) transaction.noteImport();
  for (const [id, { pet, text }] of fresh) {
    transaction.insertPet(pet, text);
    if (id > transaction.lastPetId && id <= idGivenMax) transaction.lastPetId = id;
  }
  const unnumbered = pets.filter(({ id }) => id === undefined);
  for (const pet of unnumbered) insertNext(transaction, pet);
  return { kind: "stored", added: fresh.size + unnumbered.length, unchanged };
}
