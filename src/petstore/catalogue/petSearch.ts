/** Which pets a filter matches. Every engine finds candidates by its own indexes of these words. */
import type { JsonOf } from "../../contract/document.ts";
import type { PetFilter } from "./catalogue.ts";
import type { Pet } from "./pet.ts";

export const categoriesFilterMax = 20;
/** More would be read from as many lists of the index. */
export const searchWordsMax = 10;
/** In code points. PostgreSQL indexes no word of more than 2,046 bytes. */
const wordLengthMax = 64;

const ascii = /^[\0-\x7f]*$/;
/**
 * The blocks of combining diacritical marks, and the points of Hebrew and Arabic, which are left out
 * at will. Vowel signs of other scripts are not among them.
 */
const accents =
  /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]/g;
const asciiWord = /[a-z0-9]+/g;
const word = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/** The words of a name, each once: runs of letters and digits, without case and accents. */
export function wordsOf(name: string): string[] {
  const words = ascii.test(name) ? name.toLowerCase().match(asciiWord) : folded(name).match(word);
  return [...new Set(words?.map(shortened))];
}

/** By way of upper case, which is the same for ß and ss, and for both forms of sigma; ẞ has none. */
function folded(name: string): string {
  const letters = name.normalize("NFKD").replace(accents, "");
  return letters.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

function shortened(text: string): string {
  return text.length <= wordLengthMax ? text : [...text].slice(0, wordLengthMax).join("");
}

/** The words to search for: without those that others begin with, which add nothing. */
export function searchWordsOf(name: string): string[] {
  const words = wordsOf(name);
  return words.filter((each) => !words.some((other) => other !== each && other.startsWith(each)));
}

/** Its groups are found in every text by `petText`. */
const form = /"name":(".*"),"categoryId":(-?\d+),"status":"(\w+)"/s;
type Groups = readonly [whole: string, name: string, category: string, status: string];

/** Whether a text by `petText` is that of a pet with this status, category and words. */
export function petMatches(
  text: JsonOf<Pet>,
  { status, categoryIds, words }: Omit<PetFilter, "ids">,
): boolean {
  const [, name, category, held] = form.exec(text) as unknown as Groups;
  if (status !== undefined && held !== status) return false;
  if (categoryIds !== undefined && !categoryIds.includes(BigInt(category))) return false;
  if (words === undefined) return true;
  const own = wordsOf(JSON.parse(name));
  return words.every((start) => own.some((each) => each.startsWith(start)));
}
