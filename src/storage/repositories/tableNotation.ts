/**
 * The notation in which tables are written once for both engines:
 *
 * - `text`, `int8`, `boolean` and `bytea` are the types.
 * - `WITHOUT ROWID` makes a table its own primary key, on SQLite.
 * - `[sqlite: …]` and `[postgres: …]` hold what only one engine has. SQLite assigns
 *   `ordinal` as the row id; on PostgreSQL the writes assign it, and the primary key is another.
 */

const engineOnly = /\[(sqlite|postgres): ([^\]]*)\]/g;
const columnType = /^(\s+\w+) (text|int8|boolean|bytea)\b/gm;
const sqliteTypes: Readonly<Record<string, string>> = {
  text: "TEXT",
  int8: "INTEGER",
  boolean: "INTEGER",
  bytea: "BLOB",
};

/** A script that creates the tables. All are STRICT: a column holds only its type. */
export function tablesForSqlite(statements: readonly string[]): string {
  const own = statementsFor("sqlite", statements).map((text) =>
    text.startsWith("CREATE TABLE") ? strictTable(text) : text,
  );
  return own.map((text) => `${text};`).join("\n");
}

/** Compares values one by one: for IN, SQLite would build a table at every insert. */
function strictTable(text: string): string {
  return text
    .replace(columnType, (_, column, type) => `${column} ${sqliteTypes[type]}`)
    .replace(/(\w+) IN \(([^)]*)\)/g, (_, column, values: string) => {
      const comparisons = values.split(", ").map((value) => `${column} = ${value}`);
      return comparisons.join(" OR ");
    })
    .replace(/\)( WITHOUT ROWID)?$/, (_, keyed) => `) STRICT${keyed ? ", WITHOUT ROWID" : ""}`);
}

/**
 * Each statement may be run again: not every compatible server rolls back a table with the
 * transaction that created it.
 */
export function tablesForPostgres(statements: readonly string[]): readonly string[] {
  return statementsFor("postgres", statements).map((text) =>
    text
      .replace(/^CREATE (TABLE|INDEX|UNIQUE INDEX)/, "CREATE $1 IF NOT EXISTS")
      .replace(/\) WITHOUT ROWID$/, ")")
      .replace(/^INSERT INTO counters.*$/s, "$& ON CONFLICT (name) DO NOTHING"),
  );
}

function statementsFor(engine: string, statements: readonly string[]): readonly string[] {
  return statements
    .map((text) => text.replace(engineOnly, (_, only, own) => (only === engine ? own : "")))
    .filter((text) => text !== "");
}
