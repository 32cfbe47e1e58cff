/** What the dashboard's API needs of a database: who may come in. */
export const accessTables = `
  -- The kind is said twice, so that a lost owner never reads as an operator.
  CREATE TABLE access_tokens (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind = 'operator' OR kind = 'owner'),
    owner_id TEXT REFERENCES owners (id) CHECK ((owner_id IS NULL) = (kind = 'operator')),
    hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    revoked_at_ms INTEGER
  ) STRICT;
`;
