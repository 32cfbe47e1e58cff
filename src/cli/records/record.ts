/** One pet of a file, before anything is believed about it. */
import { extname } from "node:path";
import { int64FromJson, int64Max } from "../../contract/int64.ts";
import { readerFor } from "../../contract/operations.ts";
import type { ImportedPet } from "../../petstore/catalogue/catalogue.ts";
import type { NewPet } from "../../petstore/catalogue/pet.ts";
import { UsageError } from "../errors.ts";
import { readChoice } from "../readText.ts";

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

export function unreadable(line: number, complaint: string, rest: boolean): Unreadable {
  return { kind: "unreadable", line, complaint, rest };
}

export const lineBytesMax = 64 * 1024;

export const memberNames = ["id", "name", "categoryId", "status"] as const;
export type MemberName = (typeof memberNames)[number];

/**
 * Names that differ from a known one in nothing but case and space. The API ignores them like
 * every unknown name; a file says its names once for many pets, so here they are worth a refusal.
 */
export function misspelled(
  names: readonly string[],
): readonly { readonly name: string; readonly meant: MemberName }[] {
  return names.flatMap((name) => {
    const meant = meantBy.get(name.trim().toLowerCase());
    return meant === undefined || meant === name ? [] : [{ name, meant }];
  });
}

const known: ReadonlySet<string> = new Set(memberNames);
const meantBy = new Map<string, MemberName>(memberNames.map((name) => [name.toLowerCase(), name]));

const readNewPet = readerFor("NewPet");

/** The pet, or what is wrong with it in whole sentences: the rules of the API, and an id. */
export function petFrom(value: unknown): ImportedPet | readonly string[] {
  const complaints: string[] = [];
  const pet = readNewPet(value, "The record", { complaints, strict: false }) as NewPet;
  if (complaints.length > 0 && pet === undefined) return complaints;
  const given = value as Readonly<Record<string, unknown>>;
  const slips = misspelled(Object.keys(given).filter((name) => !known.has(name)));
  if (slips.length > 0) {
    return slips.map(
      ({ name, meant }) => `The member ${nameShown(name)} must be written ${meant}.`,
    );
  }
  const id = Object.hasOwn(given, "id") ? int64FromJson(given["id"]) : undefined;
  if (Object.hasOwn(given, "id") && (id === undefined || id < 1n)) {
    complaints.push(`id must be an integer from 1 to ${int64Max}.`);
  }
  if (complaints.length > 0) return complaints.map((complaint) => withValue(complaint, given));
  return id === undefined ? pet : { ...pet, id };
}

/** A complaint about a member begins with its name. */
function withValue(complaint: string, given: Readonly<Record<string, unknown>>): string {
  const [name = ""] = complaint.split(" must be ", 1);
  const shown = Object.hasOwn(given, name) ? valueShown(given[name]) : undefined;
  return shown === undefined ? complaint : `${complaint.replace(/\.$/, "")}, not ${shown}.`;
}

const formats = ["ndjson", "csv"] as const;
export type Format = (typeof formats)[number];

const extensions: Readonly<Record<string, Format>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
};

/** What was asked for, or what the file's name says; NDJSON through a pipe. */
export function formatOf(asked: string | undefined, file: string): Format {
  if (asked !== undefined) return readChoice("--format", asked, formats);
  const format = file === "-" ? "ndjson" : extensions[extname(file).toLowerCase()];
  if (format !== undefined) return format;
  throw new UsageError(
    `The name of ${file} does not tell its format. Add --format ndjson or --format csv.`,
  );
}

/** Repeating what a file says, in one line of bounded length. */

const lengthMax = 60;

/** Quoted, as a person can compare it with the file. */
export function shortened(text: string): string {
  const characters = [...text];
  const cut = characters.length > lengthMax;
  return JSON.stringify(cut ? `${characters.slice(0, lengthMax).join("")}…` : text);
}

/** A plain word as it is, anything else quoted. */
export function nameShown(name: string): string {
  return /^[\p{L}\p{N}_-]{1,60}$/u.test(name) ? name : shortened(name);
}

/** A value of parsed JSON; undefined where its digits are no longer known. */
export function valueShown(value: unknown): string | undefined {
  if (typeof value === "string") return shortened(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? "an array" : "an object";
  }
  return String(value);
}
