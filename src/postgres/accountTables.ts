/** What version 1 of the database has for signing in. Of every secret it holds a hash alone. */
export const accountTables: readonly string[] = [
  // The kind is said twice, so that a lost owner never reads as an operator.
  `CREATE TABLE IF NOT EXISTS accounts (
     name text PRIMARY KEY,
     kind text NOT NULL CHECK (kind IN ('operator', 'owner')),
     owner_id text UNIQUE REFERENCES owners (id)
       CHECK ((owner_id IS NULL) = (kind = 'operator')),
     password text,
     password_version int8 NOT NULL DEFAULT 0,
     password_set_at_ms int8 CHECK ((password_set_at_ms IS NULL) = (password IS NULL))
   )`,

  // One for an account: a newer one takes its place.
  `CREATE TABLE IF NOT EXISTS one_time_links (
     account text PRIMARY KEY REFERENCES accounts (name),
     hash text NOT NULL UNIQUE,
     created_at_ms int8 NOT NULL,
     expires_at_ms int8 NOT NULL
   )`,

  // The ordinal tells which of two of an account began later.
  `CREATE TABLE IF NOT EXISTS sessions (
     account text NOT NULL REFERENCES accounts (name),
     ordinal int8 NOT NULL,
     id text NOT NULL UNIQUE,
     hash text NOT NULL UNIQUE,
     agent text NOT NULL,
     created_at_ms int8 NOT NULL,
     seen_at_ms int8 NOT NULL,
     ends_at_ms int8 NOT NULL,
     PRIMARY KEY (account, ordinal)
   )`,
  `CREATE INDEX IF NOT EXISTS sessions_by_end ON sessions (ends_at_ms)`,

  // When the bucket would be full again: all there is to know of it.
  `CREATE TABLE IF NOT EXISTS sign_in_tries (
     bucket text PRIMARY KEY,
     full_at_ms int8 NOT NULL
   )`,
];
