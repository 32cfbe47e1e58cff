import type { JsonOf } from "../../contract/document.ts";
import type { Schemas } from "../../contract/operations.ts";

export type PetStatus = Schemas["PetStatus"];
export type NewPet = Schemas["NewPet"];
export type Pet = Schemas["Pet"];

/** JSON by template: `JSON.stringify` refuses a bigint, and a number would lose its digits. */
export function petText(pet: Pet): JsonOf<Pet> {
  const name = JSON.stringify(pet.name);
  return `{"id":${pet.id},"name":${name},"categoryId":${pet.categoryId},"status":"${pet.status}"}`;
}

/** Looks only at the end of a text by `petText`. */
export function hasStatus(text: JsonOf<Pet>, status: PetStatus): boolean {
  return text.endsWith(`,"status":"${status}"}`);
}
