/** What version 1 of the database has for the keys, and for those who must hear of changes. */
export const keyTables: readonly string[] = [
  // The ordinal is the revision of the keys that began with this key.
  `CREATE TABLE IF NOT EXISTS keys (
     ordinal int8 NOT NULL UNIQUE,
     id text PRIMARY KEY,
     name text NOT NULL,
     environment text NOT NULL CHECK (environment IN ('production', 'staging')),
     hash text NOT NULL UNIQUE,
     hint text NOT NULL,
     scopes text NOT NULL,
     created_at_ms int8 NOT NULL,
     expires_at_ms int8,
     revoked_at_ms int8,
     replaced_by text REFERENCES keys (id),
     last_used_at_ms int8
   )`,

  `CREATE TABLE IF NOT EXISTS key_uses (
     key_id text NOT NULL REFERENCES keys (id),
     operation text NOT NULL,
     day text NOT NULL,
     count int8 NOT NULL CHECK (count > 0),
     last_at_ms int8 NOT NULL,
     PRIMARY KEY (key_id, operation, day)
   )`,

  // Who remembers what as of which revision. Whoever has not been seen for a while remembers nothing.
  `CREATE TABLE IF NOT EXISTS watchers (
     id text NOT NULL,
     counter text NOT NULL,
     value int8 NOT NULL,
     seen_at_ms int8 NOT NULL,
     PRIMARY KEY (counter, id)
   )`,
];
