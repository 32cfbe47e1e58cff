/** The writes to the pets. They run in the writer's thread, within its transaction. */
import type { DatabaseSync } from "node:sqlite";
import {
  type AddOutcome,
  type AddTerms,
  type ImportedPet,
  type ImportOutcome,
  idGivenMax,
} from "../catalogue/catalogue.ts";
import { type NewPet, type Pet, petText } from "../catalogue/pet.ts";
import type { Counter } from "./counter.ts";
import type { OnceMarks } from "./onceMarks.ts";

export interface ConditionalAddition {
  readonly pet: NewPet;
  readonly terms: AddTerms;
}

export function petCommands(db: DatabaseSync, lastId: Counter, marks: OnceMarks) {
  const insert = db.prepare(
    "INSERT INTO pets (id, name, category_id, status, json) VALUES (?, ?, ?, ?, ?)",
  );
  const find = db.prepare("SELECT json FROM pets WHERE id = ?");
  find.setReturnArrays(true);
  const noteChange = db.prepare(
    "UPDATE counters SET value = value + 1 WHERE name = 'pet_revision'",
  );
  const findCategory = db.prepare("SELECT 1 FROM categories WHERE id = ?");

  /** Past `idGivenMax` an import may have been there before. */
  function nextId(): bigint {
    let id = lastId.next();
    while (id > idGivenMax && find.get(id) !== undefined) id = lastId.next();
    return id;
  }

  function store(id: bigint, pet: NewPet, json: string): void {
    insert.run(id, pet.name, pet.categoryId, pet.status, json);
  }

  return {
    /** Gives back the id alone: the caller has the rest. */
    addPet(pet: NewPet): bigint {
      const id = nextId();
      store(id, pet, petText({ id, ...pet }));
      return id;
    },

    /** Apart from `addPet`, which so asks nothing of the database. */
    addPetOnTerms({ pet, terms }: ConditionalAddition): AddOutcome {
      const { once, knownCategoryOnly } = terms;
      const earlier = once && marks.recall<Pet>(once);
      if (earlier !== undefined) return earlier;
      if (knownCategoryOnly && findCategory.get(pet.categoryId) === undefined) {
        return { kind: "no_such_category" };
      }
      const id = nextId();
      const text = petText({ id, ...pet });
      store(id, pet, text);
      if (once) marks.keep(once, id, text);
      return { kind: "done", id, text };
    },

    importPets(pets: readonly ImportedPet[]): ImportOutcome {
      const fresh = new Map<bigint, { pet: ImportedPet; json: string }>();
      let unchanged = 0;
      for (const [index, pet] of pets.entries()) {
        const { id } = pet;
        if (id === undefined) continue;
        const json = petText({ ...pet, id });
        const held = fresh.get(id)?.json ?? (find.get(id) as unknown as [string] | undefined)?.[0];
        if (held === undefined) fresh.set(id, { pet, json });
        else if (held === json) unchanged++;
        else return { kind: "conflict", id, index };
      }

      // Only now is anything written: a conflict must leave no trace in a transaction that goes on.
      for (const [id, { pet, json }] of fresh) {
        store(id, pet, json);
        if (id > lastId.get() && id <= idGivenMax) lastId.set(id);
      }
      // A pet may have come among those with smaller ids, where an addition never puts one.
      if (fresh.size > 0) noteChange.run();
      const unnumbered = pets.filter((pet) => pet.id === undefined);
      for (const pet of unnumbered) {
        const id = nextId();
        store(id, pet, petText({ ...pet, id }));
      }
      return { kind: "stored", added: fresh.size + unnumbered.length, unchanged };
    },
  };
}
