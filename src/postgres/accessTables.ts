/** What version 1 of the database has for the dashboard's API: who may come in. */
export const accessTables: readonly string[] = [
  // The kind is said twice, so that a lost owner never reads as an operator.
  `CREATE TABLE IF NOT EXISTS access_tokens (
     ordinal int8 NOT NULL UNIQUE,
     id text PRIMARY KEY,
     name text NOT NULL,
     kind text NOT NULL CHECK (kind IN ('operator', 'owner')),
     owner_id text REFERENCES owners (id) CHECK ((owner_id IS NULL) = (kind = 'operator')),
     hash text NOT NULL UNIQUE,
     hint text NOT NULL,
     created_at_ms int8 NOT NULL,
     revoked_at_ms int8
   )`,
];
