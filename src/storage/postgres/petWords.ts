/** The words of the names of pets, in `pet_words`. */
import { wordsOf } from "../../petstore/catalogue/petSearch.ts";
import { int8s, type Session } from "./connection.ts";

const rowsAtOnce = 10_000;

/** The text of a tsvector. Words contain nothing that it would interpret. */
export function vectorOf(name: string): string {
  return wordsOf(name)
    .map((word) => `'${word}'`)
    .join(" ");
}

/** Of pets with these names, by their ids. Pets that are added have their words written with them. */
export async function writeWords(
  session: Session,
  names: ReadonlyMap<bigint, string>,
): Promise<void> {
  if (names.size === 0) return;
  await session.query(setWords, [int8s([...names.keys()]), [...names.values()].map(vectorOf)]);
}

// Without words too, since the pet may have had some.
const setWords = `INSERT INTO pet_words (pet_id, words)
  SELECT pet_id, words::tsvector FROM unnest($1::int8[], $2::text[]) AS given (pet_id, words)
  ON CONFLICT (pet_id) DO UPDATE SET words = excluded.words`;

/** Not a column of pets: a change of status would write its words again. */
const table = `CREATE TABLE IF NOT EXISTS pet_words (
  pet_id int8 PRIMARY KEY,
  words tsvector NOT NULL
)`;
const index = "CREATE INDEX IF NOT EXISTS pet_words_by_word ON pet_words USING gin (words)";

/** Creates the table with the words of all pets. Its index comes last: that takes far less time. */
export async function createPetWords(session: Session): Promise<void> {
  await session.script(table);
  await addAllWords(session);
  await session.script(index);
  const { rows: servers } = await session.query<[string]>("SELECT version()");
  if (servers.some(([version]) => isPostgres.test(version))) await session.script(indexAtOnce);
}

async function addAllWords(session: Session): Promise<void> {
  for (let after = 0n; ; ) {
    const { rows } = await session.query<[bigint, string]>(nextNames, [after, rowsAtOnce]);
    await writeWords(session, new Map(rows));
    if (rows.length < rowsAtOnce) return;
    after = rows.at(-1)?.[0] ?? after;
  }
}

/** Not a compatible server, such as "PostgreSQL 15.2-YB-2.25". */
const isPostgres = /^PostgreSQL (?!.*-YB-)/;

// Searches would read a list of what is not indexed yet, and once it is full, a writer would empty
// it while the others wait.
const indexAtOnce = "ALTER INDEX pet_words_by_word SET (fastupdate = off)";

const nextNames = "SELECT id, name FROM pets WHERE id > $1 ORDER BY id LIMIT $2";
