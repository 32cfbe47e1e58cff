/** One pet of a file, before anything is believed about it. */
import type { ImportedPet } from "../../catalogue/catalogue.ts";
import type { NewPet } from "../../catalogue/pet.ts";
import { int64FromJson, int64Max } from "../../contract/int64.ts";
import { readerFor } from "../../contract/operations.ts";

export type FileRecord =
  | { readonly kind: "read"; readonly line: number; readonly value: unknown }
  | Unreadable;

/** What stands there is no record. `rest` when nothing after it can be read either. */
export interface Unreadable {
  readonly kind: "unreadable";
  readonly line: number;
  readonly complaint: string;
  readonly rest: boolean;
}

export const lineBytesMax = 64 * 1024;

const readNewPet = readerFor("NewPet");

/** The pet, or what is wrong with it in whole sentences: the rules of the API, and an id. */
export function petFrom(value: unknown): ImportedPet | readonly string[] {
  const complaints: string[] = [];
  const pet = readNewPet(value, "The record", { complaints, strict: false }) as NewPet;
  if (complaints.length > 0 && pet === undefined) return complaints;
  const given = value as { readonly id?: unknown };
  const id = Object.hasOwn(given, "id") ? int64FromJson(given.id) : undefined;
  if (Object.hasOwn(given, "id") && (id === undefined || id < 1n)) {
    complaints.push(`id must be an integer from 1 to ${int64Max}.`);
  }
  if (complaints.length > 0) return complaints;
  return id === undefined ? pet : { ...pet, id };
}
