/**
 * What version 1 of the database has. Each statement does nothing where its work is done already:
 * not every engine takes back a table with the transaction that made it.
 */
export const petTables: readonly string[] = [
  // Numbers that only grow.
  `CREATE TABLE IF NOT EXISTS counters (
     name text PRIMARY KEY,
     value int8 NOT NULL CHECK (value >= 0)
   )`,
  `INSERT INTO counters (name, value)
   VALUES ('last_pet_id', 0), ('last_order_id', 0), ('key_revision', 0), ('probe', 0)
   ON CONFLICT (name) DO NOTHING`,

  // json is the pet as clients get it, so that a read neither builds nor rounds anything.
  `CREATE TABLE IF NOT EXISTS pets (
     id int8 PRIMARY KEY CHECK (id > 0),
     name text NOT NULL,
     category_id int8 NOT NULL,
     status text NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
     json text NOT NULL
   )`,
  `CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status, id)`,

  // A pet is ordered at most once, because an order ends with the pet being sold.
  `CREATE TABLE IF NOT EXISTS orders (
     id int8 PRIMARY KEY CHECK (id > 0),
     pet_id int8 NOT NULL UNIQUE REFERENCES pets (id),
     quantity int8 NOT NULL CHECK (quantity > 0),
     status text NOT NULL CHECK (status IN ('placed', 'approved', 'delivered')),
     placed_at_ms int8 NOT NULL,
     json text NOT NULL
   )`,
  `CREATE INDEX IF NOT EXISTS orders_by_status ON orders (status, id)`,

  `CREATE TABLE IF NOT EXISTS categories (
     id int8 PRIMARY KEY,
     name text NOT NULL UNIQUE
   )`,

  // Refers neither to keys nor to what was done: a restore may take a key away under a request.
  `CREATE TABLE IF NOT EXISTS idempotency_keys (
     key_id text NOT NULL,
     idempotency_key text NOT NULL,
     fingerprint text NOT NULL,
     entity_id int8 NOT NULL,
     text text NOT NULL,
     created_at_ms int8 NOT NULL,
     PRIMARY KEY (key_id, idempotency_key)
   )`,
  `CREATE INDEX IF NOT EXISTS idempotency_keys_by_age ON idempotency_keys (created_at_ms)`,
];

/** One row for each transaction that changed pets; `previous` shows where rows are missing. */
export const petChangesTable = `CREATE TABLE IF NOT EXISTS pet_changes (
    revision int8 PRIMARY KEY,
    previous int8 NOT NULL,
    pet_ids int8[] NOT NULL
  )`;

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

/** What the database has for the quotas of keys, where several processes share them. */
export const quotaTables: readonly string[] = [
  // Refers to no key: a bucket outlives the key that it was for, and is swept away by its age.
  // taken says what the last statement took, since a statement gives back only what it leaves.
  `CREATE TABLE IF NOT EXISTS quota_buckets (
     key_id text PRIMARY KEY,
     tokens float8 NOT NULL,
     filled_at_ms int8 NOT NULL,
     taken int8 NOT NULL
   )`,
];

/** What version 1 of the database has for owners, their sites, and what these consist of. */
export const siteTables: readonly string[] = [
  // The last ordinal is that of whatever else is kept in the order in which it was added.
  `INSERT INTO counters (name, value) VALUES ('site_revision', 0), ('last_ordinal', 0)
   ON CONFLICT (name) DO NOTHING`,

  `CREATE TABLE IF NOT EXISTS owners (
     id text PRIMARY KEY,
     name text NOT NULL,
     plan text NOT NULL CHECK (plan IN ('free', 'paid'))
   )`,

  `CREATE TABLE IF NOT EXISTS projects (
     slug text PRIMARY KEY,
     owner_id text NOT NULL REFERENCES owners (id),
     created_at_ms int8 NOT NULL
   )`,
  `CREATE INDEX IF NOT EXISTS projects_by_owner ON projects (owner_id)`,

  // The ordinal tells which of two of a project was begun later.
  `CREATE TABLE IF NOT EXISTS deployments (
     project text NOT NULL REFERENCES projects (slug),
     ordinal int8 NOT NULL CHECK (ordinal > 0),
     id text NOT NULL UNIQUE,
     state text NOT NULL CHECK (state IN ('queued', 'building', 'ready', 'failed')),
     created_at_ms int8 NOT NULL,
     changed_at_ms int8 NOT NULL,
     files int8 NOT NULL,
     bytes int8 NOT NULL,
     fingerprint text,
     failure text,
     PRIMARY KEY (project, ordinal)
   )`,
  // Only now, because a project and its deployments refer to each other.
  `ALTER TABLE projects ADD COLUMN IF NOT EXISTS current text REFERENCES deployments (id)`,
  // Whoever removes a deployment is asked whether it is shown.
  `CREATE INDEX IF NOT EXISTS projects_by_current ON projects (current)`,

  // One for each content, however many files have it. Complete once its last part is there.
  `CREATE TABLE IF NOT EXISTS contents (
     hash text PRIMARY KEY,
     bytes int8 NOT NULL,
     complete boolean NOT NULL
   )`,

  // The content itself in parts, and its smaller forms in one part each.
  `CREATE TABLE IF NOT EXISTS content_parts (
     hash text NOT NULL REFERENCES contents (hash),
     encoding text NOT NULL CHECK (encoding IN ('identity', 'gzip', 'br')),
     part int8 NOT NULL,
     data bytea NOT NULL,
     PRIMARY KEY (hash, encoding, part)
   )`,

  `CREATE TABLE IF NOT EXISTS site_files (
     deployment text NOT NULL REFERENCES deployments (id),
     path text NOT NULL,
     hash text NOT NULL REFERENCES contents (hash),
     PRIMARY KEY (deployment, path)
   )`,
  `CREATE INDEX IF NOT EXISTS site_files_by_hash ON site_files (hash)`,
];

/** What version 4 of the database has. A manifest is of no use once its deployment has ended. */
export const uploadTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS deployment_manifests (
     deployment text PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE,
     files text NOT NULL
   )`,
];

/** What version 1 of the database has for custom domains. */
export const domainTables: readonly string[] = [
  `INSERT INTO counters (name, value) VALUES ('edge_revision', 0), ('last_fence', 0)
   ON CONFLICT (name) DO NOTHING`,

  `CREATE TABLE IF NOT EXISTS certificates (
     id text PRIMARY KEY,
     host text NOT NULL,
     chain_pem text NOT NULL,
     sealed_key text NOT NULL,
     issuer text NOT NULL,
     not_before_ms int8 NOT NULL,
     not_after_ms int8 NOT NULL,
     renewal_name text
   )`,
  `CREATE INDEX IF NOT EXISTS certificates_by_host ON certificates (host, not_before_ms)`,
  `CREATE INDEX IF NOT EXISTS certificates_by_end ON certificates (not_after_ms)`,

  // state is the whole domain; the columns beside it repeat what is searched for. The fence is the
  // number of the latest lease, also once that has ended.
  `CREATE TABLE IF NOT EXISTS domains (
     id text PRIMARY KEY,
     ordinal int8 NOT NULL UNIQUE,
     host text NOT NULL,
     project text NOT NULL REFERENCES projects (slug),
     owner_id text NOT NULL REFERENCES owners (id),
     ownership text NOT NULL
       CHECK (ownership IN ('held', 'proof_needed', 'abandoned', 'removed')),
     ended_at_ms int8 CHECK ((ended_at_ms IS NULL) = (ownership IN ('held', 'proof_needed'))),
     served boolean NOT NULL,
     certificate_id text REFERENCES certificates (id),
     state text NOT NULL,
     version int8 NOT NULL CHECK (version > 0),
     due_at_ms int8,
     lease_holder text,
     lease_until_ms int8 CHECK ((lease_until_ms IS NULL) = (lease_holder IS NULL)),
     fence int8 NOT NULL
   )`,
  `CREATE UNIQUE INDEX IF NOT EXISTS domains_held ON domains (host) WHERE ownership = 'held'`,
  `CREATE UNIQUE INDEX IF NOT EXISTS domains_of_project ON domains (project, host)
   WHERE ownership IN ('held', 'proof_needed')`,
  `CREATE INDEX IF NOT EXISTS domains_by_host ON domains (host, ordinal)`,
  `CREATE INDEX IF NOT EXISTS domains_due ON domains (due_at_ms, ordinal)
   WHERE due_at_ms IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS domains_ended ON domains (ended_at_ms)
   WHERE ended_at_ms IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS domains_ended_of_project ON domains (project, ended_at_ms)
   WHERE ended_at_ms IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS domains_by_certificate ON domains (certificate_id)
   WHERE certificate_id IS NOT NULL`,

  `CREATE TABLE IF NOT EXISTS domain_timeline (
     domain_id text NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
     number int8 NOT NULL,
     entry text NOT NULL,
     PRIMARY KEY (domain_id, number)
   )`,

  `CREATE TABLE IF NOT EXISTS project_routing (
     project text PRIMARY KEY REFERENCES projects (slug),
     version int8 NOT NULL CHECK (version > 0),
     routing text NOT NULL
   )`,

  // They outlive the domains that caused them, because the authority counts on.
  `CREATE TABLE IF NOT EXISTS ca_attempts (
     ordinal int8 PRIMARY KEY,
     host text NOT NULL,
     registrable text NOT NULL,
     kind text NOT NULL CHECK (kind IN ('order', 'failed_authorization', 'certificate', 'settled')),
     at_ms int8 NOT NULL
   )`,
  `CREATE INDEX IF NOT EXISTS ca_attempts_by_host ON ca_attempts (host, at_ms)`,
  `CREATE INDEX IF NOT EXISTS ca_attempts_by_registrable ON ca_attempts (registrable, at_ms)`,
  `CREATE INDEX IF NOT EXISTS ca_attempts_by_age ON ca_attempts (at_ms)`,

  `CREATE TABLE IF NOT EXISTS challenges (
     host text NOT NULL,
     token text NOT NULL,
     key_authorization text NOT NULL,
     expires_at_ms int8 NOT NULL,
     PRIMARY KEY (host, token)
   )`,
  `CREATE INDEX IF NOT EXISTS challenges_by_end ON challenges (expires_at_ms)`,

  `CREATE TABLE IF NOT EXISTS edges (
     id text PRIMARY KEY,
     address text NOT NULL,
     http_port int8 NOT NULL,
     revision int8 NOT NULL,
     seen_at_ms int8 NOT NULL
   )`,
  `CREATE INDEX IF NOT EXISTS edges_by_sight ON edges (seen_at_ms)`,

  `CREATE TABLE IF NOT EXISTS acme_accounts (
     directory text PRIMARY KEY,
     url text NOT NULL,
     sealed_key text NOT NULL
   )`,
];

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
