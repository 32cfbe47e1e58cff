import { hash } from "node:crypto";
import type { JsonOf } from "../../contract/document.ts";
import type { Schemas } from "../../contract/operations.ts";

export type PetStatus = Schemas["PetStatus"];
export type NewPet = Schemas["NewPet"];
export type Pet = Schemas["Pet"];
/** A JSON Merge Patch (RFC 7396) of a pet. Null removes the status, which then has its default. */
export interface PetPatch {
  readonly name?: string | undefined;
  readonly categoryId?: bigint | undefined;
  readonly status?: PetStatus | null | undefined;
}

/** The status of a pet that is created without one. */
const statusDefault: PetStatus = "available";

export function patched(pet: Pet, { name, categoryId, status }: PetPatch): Pet {
  return {
    id: pet.id,
    name: name ?? pet.name,
    categoryId: categoryId ?? pet.categoryId,
    status: status === null ? statusDefault : (status ?? pet.status),
  };
}

export const petStatuses: readonly PetStatus[] = ["available", "pending", "sold"];

/** JSON by template: `JSON.stringify` refuses a bigint, and a number would lose its digits. */
export function petText(pet: Pet): JsonOf<Pet> {
  const name = JSON.stringify(pet.name);
  return `{"id":${pet.id},"name":${name},"categoryId":${pet.categoryId},"status":"${pet.status}"}`;
}

const tagLength = 22;

/** The strong validator of a response (RFC 9110, section 8.8.3). A page has a link to the next. */
export function entityTag(body: string, next = ""): string {
  return `"${hash("sha256", `${next}\n${body}`, "base64url").slice(0, tagLength)}"`;
}

/** The entity tags of `If-Match`, or `*` for any. */
export type IfMatch = readonly string[] | "*";

/** Also accepts the validator of a list with only this pet, which is where getPet's successor has it. */
export function matches(text: JsonOf<Pet>, ifMatch: IfMatch | undefined): boolean {
  if (ifMatch === undefined || ifMatch === "*") return true;
  return [text, `[${text}]`].some((body) => ifMatch.includes(entityTag(body)));
}
