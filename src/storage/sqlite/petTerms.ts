/** The full-text index of pets: the words of their names, and their categories. */
import type { PetFilter } from "../../petstore/catalogue/catalogue.ts";
import { wordsOf } from "../../petstore/catalogue/petSearch.ts";

/**
 * The beginnings of words that have a list of their own, which is read in the order of ids from any
 * of them on. For others SQLite first merges the lists of all words that begin so. Each length makes
 * it slower to add a pet.
 */
const listedLengths = [1, 3];

/**
 * Terms are separated by spaces and stored as they are. The writer adds those of a new pet itself,
 * because a function of ours in a trigger takes three times as long.
 */
export const petTermsIndex = `
  CREATE VIRTUAL TABLE pet_terms USING fts5(terms, content = '', contentless_delete = 1,
    detail = none, tokenize = 'ascii', prefix = '${listedLengths.join(" ")}');
  INSERT INTO pet_terms (rowid, terms) SELECT id, pet_terms_of(name, category_id) FROM pets;
  CREATE TRIGGER pet_terms_changed AFTER UPDATE OF name, category_id ON pets
    WHEN new.name <> old.name OR new.category_id <> old.category_id BEGIN
      DELETE FROM pet_terms WHERE rowid = old.id;
      INSERT INTO pet_terms (rowid, terms)
        VALUES (new.id, pet_terms_of(new.name, new.category_id));
  END;
  CREATE TRIGGER pet_terms_deleted AFTER DELETE ON pets BEGIN
    DELETE FROM pet_terms WHERE rowid = old.id;
  END;`;

export function termsOf(name: string, categoryId: bigint): string {
  return [categoryTerm(categoryId), ...wordsOf(name)].join(" ");
}

/** No word contains the sign. To the index, a minus would separate terms. */
function categoryTerm(id: bigint): string {
  return `§${String(id).replace("-", "§")}`;
}

/**
 * A query of the index. For words that are not whole it looks for a listed beginning: that is fast
 * where many words begin so, but also matches others.
 */
export function matchText(
  { categoryIds, words = [] }: Pick<PetFilter, "categoryIds" | "words">,
  isWhole: (word: string) => boolean = () => true,
): string {
  const starts = words.map((word) => `"${isWhole(word) ? word : listed(word)}"*`);
  const categories = categoryIds?.map((id) => `"${categoryTerm(id)}"`).join(" OR ");
  return [...starts, ...(categories === undefined ? [] : [`(${categories})`])].join(" AND ");
}

function listed(word: string): string {
  const letters = [...word];
  const length = listedLengths.findLast((each) => each <= letters.length);
  return letters.slice(0, length).join("");
}

export const findByTerms =
  "SELECT CAST(rowid AS text) AS id FROM pet_terms WHERE pet_terms MATCH ?1 LIMIT 1";

export const listByTerms = `SELECT pets.id, pets.json
  FROM pet_terms CROSS JOIN pets ON pets.id = pet_terms.rowid
  WHERE pet_terms MATCH ? AND pet_terms.rowid > ? ORDER BY pet_terms.rowid LIMIT ?`;
