/** What signing in to the dashboard needs of a database. Of every secret it holds a hash alone. */
export const accountTables = `
  -- The kind is said twice, so that a lost owner never reads as an operator.
  CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind = 'operator' OR kind = 'owner'),
    owner_id TEXT UNIQUE REFERENCES owners (id) CHECK ((owner_id IS NULL) = (kind = 'operator')),
    password TEXT,
    password_version INTEGER NOT NULL DEFAULT 0,
    password_set_at_ms INTEGER CHECK ((password_set_at_ms IS NULL) = (password IS NULL))
  ) STRICT;

  -- One for an account: a newer one takes its place.
  CREATE TABLE one_time_links (
    account TEXT PRIMARY KEY REFERENCES accounts (name),
    hash TEXT NOT NULL UNIQUE,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE sessions (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL REFERENCES accounts (name),
    hash TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    seen_at_ms INTEGER NOT NULL,
    ends_at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX sessions_by_account ON sessions (account, seen_at_ms);
  CREATE INDEX sessions_by_end ON sessions (ends_at_ms);

  -- When the bucket would be full again: all there is to know of it.
  CREATE TABLE sign_in_tries (
    bucket TEXT PRIMARY KEY,
    full_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`;
