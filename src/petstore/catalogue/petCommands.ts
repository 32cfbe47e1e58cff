/** The rules of writes to pets, independent of the engine. */

import type { JsonOf } from "../../contract/document.ts";
import { int64After } from "../../contract/int64.ts";
import type { EventRecorder } from "../events/events.ts";
import { type IdempotencyStore, idempotently } from "../idempotency/idempotency.ts";
import {
  type AddOutcome,
  type AddTerms,
  type Catalogue,
  type DeleteOutcome,
  type DeleteTerms,
  type ImportedPet,
  type ImportOutcome,
  idGivenMax,
  type UpdateOutcome,
} from "./catalogue.ts";
import { matches, type NewPet, type Pet, type PetPatch, patched, petText } from "./pet.ts";

/** What these rules need of a transaction. It is isolated: no other write interleaves. */
export interface PetTransaction extends EventRecorder {
  readonly idempotency: IdempotencyStore;
  /** The largest id assigned so far; up to `idGivenMax` this includes imported pets. */
  lastPetId: bigint;
  pet(id: bigint): NewPet | undefined;
  petText(id: bigint): string | undefined;
  /** Called only for ids above `idGivenMax`. True also for those of `retirePetId`. */
  isPetIdTaken(id: bigint): boolean;
  /** The order that holds a pet. */
  openOrderOf(petId: bigint): bigint | undefined;
  hasCategory(id: bigint): boolean;
  insertPet(pet: Pet, text: JsonOf<Pet>): void;
  updatePet(pet: Pet, text: JsonOf<Pet>): void;
  deletePet(id: bigint): void;
  /** The id of a deleted pet that would be assigned again otherwise. */
  retirePetId(id: bigint): void;
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

export interface PetUpdate {
  readonly id: bigint;
  readonly patch: PetPatch;
  readonly terms: AddTerms & DeleteTerms;
}

export interface PetDeletion {
  readonly id: bigint;
  readonly terms: DeleteTerms;
}

/** Runs the commands below in transactions of an engine. Resolves when they are on disk. */
interface PetWriter {
  submit(command: "updatePet", update: PetUpdate): Promise<UpdateOutcome>;
  submit(command: "deletePet", deletion: PetDeletion): Promise<DeleteOutcome>;
}

/** Submits only the members that are stored: they may have to be copied to another thread. */
export function petWrites(writer: PetWriter): Pick<Catalogue, "update" | "delete"> {
  return {
    update: (id, { name, categoryId, status }, terms = {}) =>
      writer.submit("updatePet", { id, patch: { name, categoryId, status }, terms }),
    delete: (id, terms = {}) => writer.submit("deletePet", { id, terms }),
  };
}

export function updatePet(
  transaction: PetTransaction,
  { id, patch, terms: { idempotency, ifMatch, knownCategoryOnly } }: PetUpdate,
): UpdateOutcome {
  return idempotently(transaction.idempotency, idempotency, () => {
    const held = transaction.pet(id);
    if (held === undefined) return { kind: "no_such_pet" };
    const before = { ...held, id };
    if (!matches(petText(before), ifMatch)) return { kind: "precondition_failed" };
    const pet = patched(before, patch);
    const moves = pet.categoryId !== held.categoryId;
    if (moves && knownCategoryOnly && !transaction.hasCategory(pet.categoryId)) {
      return { kind: "no_such_category" };
    }
    const orderId = pet.status === held.status ? undefined : transaction.openOrderOf(id);
    if (orderId !== undefined) return { kind: "reserved", orderId };
    const text = petText(pet);
    if (text !== petText(before)) changePet(transaction, before, pet);
    return { kind: "done", id, text };
  });
}

export function deletePet(
  transaction: PetTransaction,
  { id, terms: { idempotency, ifMatch } }: PetDeletion,
): DeleteOutcome {
  return idempotently<never, Exclude<DeleteOutcome, { kind: "done" | "replayed" | "mismatch" }>>(
    transaction.idempotency,
    idempotency,
    () => {
      const held = transaction.pet(id);
      if (held === undefined) return { kind: "no_such_pet" };
      if (!matches(petText({ ...held, id }), ifMatch)) return { kind: "precondition_failed" };
      const orderId = transaction.openOrderOf(id);
      if (orderId !== undefined) return { kind: "reserved", orderId };
      transaction.deletePet(id);
      const data = petText({ ...held, id });
      transaction.record({ type: "pet.deleted", resource: `pets/${id}`, data }, () => data);
      if (id > idGivenMax) transaction.retirePetId(id);
      return { kind: "done", id, text: "" };
    },
  );
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
  createPet(transaction, pet, text);
  return { id, text };
}

function createPet(transaction: PetTransaction, pet: Pet, text: JsonOf<Pet>): void {
  transaction.insertPet(pet, text);
  transaction.record({ type: "pet.created", resource: `pets/${pet.id}`, data: text });
}

export function changePet(
  transaction: Pick<PetTransaction, "updatePet" | "record">,
  from: Pet,
  pet: Pet,
): void {
  const data = petText(pet);
  transaction.updatePet(pet, data);
  const event = { type: "pet.updated", resource: `pets/${pet.id}`, data } as const;
  transaction.record(event, () => petText(from));
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
    createPet(transaction, pet, text);
    if (id > transaction.lastPetId && id <= idGivenMax) transaction.lastPetId = id;
  }
  const unnumbered = pets.filter(({ id }) => id === undefined);
  for (const pet of unnumbered) insertNext(transaction, pet);
  return { kind: "stored", added: fresh.size + unnumbered.length, unchanged };
}
