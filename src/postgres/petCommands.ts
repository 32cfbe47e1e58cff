/** The writes to the pets: what each needs to know, and how it decides. */
import {
  type AddOutcome,
  type AddTerms,
  type ImportedPet,
  type ImportOutcome,
  idGivenMax,
} from "../catalogue/catalogue.ts";
import { type NewPet, type Pet, petText } from "../catalogue/pet.ts";
import type { Wanted, WorkingSet } from "./workingSet.ts";

export interface Addition {
  readonly pet: NewPet;
  readonly terms: AddTerms;
}

export const addPet = {
  wants({ pet, terms }: Addition, wanted: Wanted): void {
    wanted.newPets++;
    wanted.mark(terms.once);
    if (terms.knownCategoryOnly) wanted.categoryIds.add(pet.categoryId);
  },

  decide({ pet, terms }: Addition, set: WorkingSet): AddOutcome {
    const { once, knownCategoryOnly } = terms;
    const earlier = set.recall<Pet>(once);
    if (earlier !== undefined) return earlier;
    if (knownCategoryOnly && !set.categoryIds.has(pet.categoryId)) {
      return { kind: "no_such_category" };
    }
    const id = set.nextPetId();
    const text = set.addPet(id, pet);
    set.keep(once, id, text);
    return { kind: "done", id, text };
  },
};

export const importPets = {
  wants(pets: readonly ImportedPet[], wanted: Wanted): void {
    for (const { id } of pets) {
      if (id === undefined) wanted.newPets++;
      else wanted.petIds.add(id);
    }
  },

  decide(pets: readonly ImportedPet[], set: WorkingSet): ImportOutcome {
    const fresh = new Map<bigint, { pet: ImportedPet; json: string }>();
    let unchanged = 0;
    for (const [index, pet] of pets.entries()) {
      const { id } = pet;
      if (id === undefined) continue;
      const json = petText({ ...pet, id });
      const held = fresh.get(id)?.json ?? set.pets.get(id)?.json;
      if (held === undefined) fresh.set(id, { pet, json });
      else if (held === json) unchanged++;
      else return { kind: "conflict", id, index };
    }

    // Only now is anything noted: a conflict must leave no trace in a transaction that goes on.
    if (fresh.size > 0) set.imported = true;
    for (const [id, { pet }] of fresh) {
      set.addPet(id, pet);
      if (id > set.lastPetId && id <= idGivenMax) set.lastPetId = id;
    }
    const unnumbered = pets.filter((pet) => pet.id === undefined);
    for (const pet of unnumbered) set.addPet(set.nextPetId(), pet);
    return { kind: "stored", added: fresh.size + unnumbered.length, unchanged };
  },
};
