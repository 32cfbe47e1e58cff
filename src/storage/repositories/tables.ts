/**
 * The tables of both engines, in the notation of tableNotation.ts. From the first release on, a
 * change belongs in a new step of the migrations.
 */

export const petTables = [
  // Numbers that only grow, even in a restore.
  `CREATE TABLE counters (
     name text PRIMARY KEY,
     value int8 NOT NULL CHECK (value >= 0)
   ) WITHOUT ROWID`,
  "INSERT INTO counters (name, value) VALUES ('last_pet_id', 0), ('key_revision', 0)",

  // json is the pet as clients get it, so that a read neither builds nor rounds anything.
  `CREATE TABLE pets (
     id int8 PRIMARY KEY CHECK (id > 0),
     name text NOT NULL,
     category_id int8 NOT NULL,
     status text NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
     json text NOT NULL
   )`,
  // An index of SQLite ends with the id anyway: pets of a status come in the order of ids.
  "CREATE INDEX pets_by_status ON pets (status[postgres: , id])",
];

export const keyTables = [
  // The ordinal is the revision of the keys that began with this key.
  `CREATE TABLE keys (
     ordinal int8 [sqlite: PRIMARY KEY][postgres: NOT NULL UNIQUE],
     id text [sqlite: NOT NULL UNIQUE][postgres: PRIMARY KEY],
     name text NOT NULL,
     environment text NOT NULL CHECK (environment IN ('production', 'staging')),
     hash text NOT NULL UNIQUE,
     hint text NOT NULL,
     scopes text NOT NULL[sqlite:  CHECK (json_valid(scopes))],
     created_at_ms int8 NOT NULL,
     expires_at_ms int8,
     revoked_at_ms int8,
     replaced_by text REFERENCES keys (id),
     last_used_at_ms int8
   )`,
  `CREATE TABLE key_uses (
     key_id text NOT NULL REFERENCES keys (id),
     operation text NOT NULL,
     day text NOT NULL,
     count int8 NOT NULL CHECK (count > 0),
     last_at_ms int8 NOT NULL,
     PRIMARY KEY (key_id, operation, day)
   ) WITHOUT ROWID`,
];

/** Whether an order holds its pet. */
export const openOrder = "status IN ('placed', 'approved')";

export const orderTables = [
  "INSERT INTO counters (name, value) VALUES ('last_order_id', 0)",

  // Does not reference pets: an order outlives its pet.
  `CREATE TABLE orders (
     id int8 PRIMARY KEY CHECK (id > 0),
     pet_id int8 NOT NULL,
     quantity int8 NOT NULL CHECK (quantity > 0),
     status text NOT NULL CHECK (status IN ('placed', 'approved', 'delivered', 'cancelled')),
     placed_at_ms int8 NOT NULL,
     json text NOT NULL
   )`,
  "CREATE INDEX orders_by_status ON orders (status[postgres: , id])",
  // A pet has at most one open order.
  `CREATE UNIQUE INDEX orders_open ON orders (pet_id) WHERE ${openOrder}`,

  // Ids of deleted pets that lie beyond the last one assigned, so that they are never assigned.
  `CREATE TABLE retired_pet_ids (
     id int8 PRIMARY KEY
   )`,

  `CREATE TABLE categories (
     id int8 PRIMARY KEY,
     name text NOT NULL UNIQUE
   )`,

  // No foreign keys: a restore may remove the API key during a request.
  `CREATE TABLE idempotency_keys (
     key_id text NOT NULL,
     idempotency_key text NOT NULL,
     fingerprint text NOT NULL,
     entity_id int8 NOT NULL,
     text text NOT NULL,
     created_at_ms int8 NOT NULL,
     PRIMARY KEY (key_id, idempotency_key)
   )`,
  "CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at_ms)",
];

/** What lists are filtered by, beside words. SQLite has the categories of pets in `pet_terms`. */
export const searchTables = [
  "CREATE INDEX orders_by_pet ON orders (pet_id[postgres: , id])",
  "[postgres: CREATE INDEX pets_by_category ON pets (category_id, status, id)]",
];

/** What happened, in the order of the commits. */
export const eventTables = [
  "INSERT INTO counters (name, value) VALUES ('last_event_id', 0), ('removed_event_id', 0)",
  `CREATE TABLE events (
     id int8 PRIMARY KEY,
     type text NOT NULL,
     resource text NOT NULL,
     at_ms int8 NOT NULL,
     data text NOT NULL
   )`,
];

/** Webhooks. An endpoint that was removed stays until its deliveries are. */
export const webhookTables = [
  `CREATE TABLE webhook_endpoints (
     ordinal int8 [sqlite: PRIMARY KEY][postgres: NOT NULL UNIQUE],
     id text [sqlite: NOT NULL UNIQUE][postgres: PRIMARY KEY],
     url text NOT NULL,
     types text,
     description text NOT NULL,
     created_at_ms int8 NOT NULL,
     secrets text NOT NULL,
     disabled text CHECK (disabled IN ('operator', 'gone', 'failing', 'removed')),
     disabled_at_ms int8,
     place int8 NOT NULL,
     failing_since_ms int8,
     lease_holder text,
     lease_until_ms int8 CHECK ((lease_until_ms IS NULL) = (lease_holder IS NULL))
   )`,
  // Does not reference events: a delivery outlives its event.
  `CREATE TABLE webhook_deliveries (
     endpoint_id text NOT NULL,
     event_id int8 NOT NULL,
     type text NOT NULL,
     body text NOT NULL,
     state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
     tries int8 NOT NULL,
     attempts text NOT NULL,
     created_at_ms int8 NOT NULL,
     due_at_ms int8 NOT NULL,
     PRIMARY KEY (endpoint_id, event_id)
   )`,
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, due_at_ms)
   WHERE state = 'pending'`,
  `CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (endpoint_id, event_id)
   WHERE state = 'failed'`,
];

/** Owners, their projects, deployments and files. */
export const siteTables = [
  "INSERT INTO counters (name, value) VALUES ('site_revision', 0)",
  // Numbers the rows of tables that are listed in the order of their creation.
  "[postgres: INSERT INTO counters (name, value) VALUES ('last_ordinal', 0)]",

  `CREATE TABLE owners (
     id text PRIMARY KEY,
     name text NOT NULL,
     plan text NOT NULL CHECK (plan IN ('free', 'paid'))
   ) WITHOUT ROWID`,

  // The newest of its deployments that was ever shown, by its ordinal, beside the one that is.
  `CREATE TABLE projects (
     slug text PRIMARY KEY,
     owner_id text NOT NULL REFERENCES owners (id),
     created_at_ms int8 NOT NULL,
     newest_shown int8[sqlite: ,
     current TEXT REFERENCES deployments (id)]
   ) WITHOUT ROWID`,
  "CREATE INDEX projects_by_owner ON projects (owner_id)",

  // The ordinal is the order of the deployments of a project.
  `CREATE TABLE deployments (
     [sqlite: ordinal INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     project TEXT NOT NULL REFERENCES projects (slug),]
     [postgres: project text NOT NULL REFERENCES projects (slug),
     ordinal int8 NOT NULL CHECK (ordinal > 0),
     id text NOT NULL UNIQUE,]
     state text NOT NULL CHECK (state IN ('queued', 'building', 'ready', 'failed')),
     created_at_ms int8 NOT NULL,
     changed_at_ms int8 NOT NULL,
     files int8 NOT NULL,
     bytes int8 NOT NULL,
     fingerprint text,
     failure text[postgres: ,
     PRIMARY KEY (project, ordinal)]
   )`,
  "[sqlite: CREATE INDEX deployments_by_project ON deployments (project)]",
  // Only now, because a project and its deployments refer to each other.
  "[postgres: ALTER TABLE projects ADD COLUMN IF NOT EXISTS current text REFERENCES deployments (id)]",
  // For the foreign key: it is checked when a deployment is removed.
  "CREATE INDEX projects_by_current ON projects (current)",

  // One row for each content, shared by all files. Complete once its last part is stored.
  `CREATE TABLE contents (
     hash text PRIMARY KEY,
     bytes int8 NOT NULL,
     complete boolean NOT NULL
   ) WITHOUT ROWID`,

  // The content itself in parts, and each compressed form in one part.
  `CREATE TABLE content_parts (
     hash text NOT NULL REFERENCES contents (hash),
     encoding text NOT NULL CHECK (encoding IN ('identity', 'gzip', 'br')),
     part int8 NOT NULL,
     data bytea NOT NULL,
     PRIMARY KEY (hash, encoding, part)
   )`,

  `CREATE TABLE site_files (
     deployment text NOT NULL REFERENCES deployments (id),
     path text NOT NULL,
     hash text NOT NULL REFERENCES contents (hash),
     PRIMARY KEY (deployment, path)
   ) WITHOUT ROWID`,
  "CREATE INDEX site_files_by_hash ON site_files (hash)",
];

/** A manifest is needed until its deployment has ended. */
export const uploadTables = [
  `CREATE TABLE deployment_manifests (
     deployment text PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE,
     files text NOT NULL[sqlite:  CHECK (json_valid(files))]
   )`,
];

/** Custom domains. */
export const domainTables = [
  "INSERT INTO counters (name, value) VALUES ('edge_revision', 0), ('last_fence', 0)",

  `CREATE TABLE certificates (
     id text PRIMARY KEY,
     host text NOT NULL,
     chain_pem text NOT NULL,
     sealed_key text NOT NULL,
     issuer text NOT NULL,
     not_before_ms int8 NOT NULL,
     not_after_ms int8 NOT NULL,
     renewal_name text
   )`,
  "CREATE INDEX certificates_by_host ON certificates (host, not_before_ms)",
  "CREATE INDEX certificates_by_end ON certificates (not_after_ms)",

  // state is the whole domain; the other columns repeat what is searched for. The fence is the
  // fencing token of the latest lease, even after it has ended.
  // Without a project and its owner: a name of the platform itself.
  `CREATE TABLE domains (
     [sqlite: ordinal INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,]
     [postgres: id text PRIMARY KEY,
     ordinal int8 NOT NULL UNIQUE,]
     host text NOT NULL,
     project text REFERENCES projects (slug),
     owner_id text REFERENCES owners (id) CHECK ((owner_id IS NULL) = (project IS NULL)),
     ownership text NOT NULL
       CHECK (ownership IN ('held', 'proof_needed', 'abandoned', 'removed')),
     ended_at_ms int8 CHECK ((ended_at_ms IS NULL) = (ownership IN ('held', 'proof_needed'))),
     served boolean NOT NULL[sqlite:  CHECK (served = 0 OR served = 1)],
     certificate_id text REFERENCES certificates (id),
     state text NOT NULL,
     version int8 NOT NULL CHECK (version > 0),
     due_at_ms int8,
     lease_holder text,
     lease_until_ms int8 CHECK ((lease_until_ms IS NULL) = (lease_holder IS NULL)),
     fence int8 NOT NULL
   )`,
  "CREATE UNIQUE INDEX domains_held ON domains (host) WHERE ownership = 'held'",
  `CREATE UNIQUE INDEX domains_of_project ON domains (project, host)
   WHERE ownership IN ('held', 'proof_needed')`,
  "CREATE INDEX domains_by_host ON domains (host[postgres: , ordinal])",
  `CREATE INDEX domains_due ON domains (due_at_ms[postgres: , ordinal])
   WHERE due_at_ms IS NOT NULL`,
  "CREATE INDEX domains_ended ON domains (ended_at_ms) WHERE ended_at_ms IS NOT NULL",
  `CREATE INDEX domains_ended_of_project ON domains (project, ended_at_ms)
   WHERE ended_at_ms IS NOT NULL`,
  `CREATE INDEX domains_by_certificate ON domains (certificate_id)
   WHERE certificate_id IS NOT NULL`,

  `CREATE TABLE domain_timeline (
     domain_id text NOT NULL REFERENCES domains (id)[postgres:  ON DELETE CASCADE],
     number int8 NOT NULL,
     entry text NOT NULL,
     PRIMARY KEY (domain_id, number)
   ) WITHOUT ROWID`,

  `CREATE TABLE project_routing (
     project text PRIMARY KEY REFERENCES projects (slug),
     version int8 NOT NULL CHECK (version > 0),
     routing text NOT NULL
   ) WITHOUT ROWID`,

  // They outlive their domains, because the CA still counts them.
  `CREATE TABLE ca_attempts (
     ordinal int8 PRIMARY KEY,
     host text NOT NULL,
     registrable text NOT NULL,
     kind text NOT NULL CHECK (kind IN ('order', 'failed_authorization', 'certificate', 'settled')),
     at_ms int8 NOT NULL
   )`,
  "CREATE INDEX ca_attempts_by_host ON ca_attempts (host, at_ms)",
  "CREATE INDEX ca_attempts_by_registrable ON ca_attempts (registrable, at_ms)",
  "CREATE INDEX ca_attempts_by_age ON ca_attempts (at_ms)",

  `CREATE TABLE challenges (
     host text NOT NULL,
     token text NOT NULL,
     key_authorization text NOT NULL,
     expires_at_ms int8 NOT NULL,
     PRIMARY KEY (host, token)
   ) WITHOUT ROWID`,
  "CREATE INDEX challenges_by_end ON challenges (expires_at_ms)",

  `CREATE TABLE edges (
     id text PRIMARY KEY,
     address text NOT NULL,
     http_port int8 NOT NULL,
     revision int8 NOT NULL,
     seen_at_ms int8 NOT NULL
   ) WITHOUT ROWID`,
  "CREATE INDEX edges_by_sight ON edges (seen_at_ms)",

  `CREATE TABLE acme_accounts (
     directory text PRIMARY KEY,
     url text NOT NULL,
     sealed_key text NOT NULL
   ) WITHOUT ROWID`,
];

/** Lists of domains in pages, what browsers are told about HTTPS, and names that get no visitors yet. */
export const domainListTables = [
  'CREATE INDEX [sqlite: IF NOT EXISTS ]domains_listed ON domains (project[postgres:  COLLATE "C"], host[postgres:  COLLATE "C"], id)',
  "ALTER TABLE domains ADD COLUMN [postgres: IF NOT EXISTS ]hsts [sqlite: TEXT][postgres: text]",
  "ALTER TABLE domains ADD COLUMN [postgres: IF NOT EXISTS ]prepared [sqlite: INTEGER CHECK (prepared = 0 OR prepared = 1)][postgres: boolean]",
];

/** Access tokens for the platform's API. */
export const accessTables = [
  // The kind is stored too, so that a row that lost its owner is never read as the operator's.
  `CREATE TABLE access_tokens (
     ordinal int8 [sqlite: PRIMARY KEY][postgres: NOT NULL UNIQUE],
     id text [sqlite: NOT NULL UNIQUE][postgres: PRIMARY KEY],
     name text NOT NULL,
     kind text NOT NULL CHECK (kind IN ('operator', 'owner')),
     owner_id text REFERENCES owners (id) CHECK ((owner_id IS NULL) = (kind = 'operator')),
     hash text NOT NULL UNIQUE,
     hint text NOT NULL,
     created_at_ms int8 NOT NULL,
     revoked_at_ms int8
   )`,
];

/** Signing in. Secrets are stored as hashes. */
export const accountTables = [
  `CREATE TABLE accounts (
     name text PRIMARY KEY,
     kind text NOT NULL CHECK (kind IN ('operator', 'owner')),
     owner_id text UNIQUE REFERENCES owners (id) CHECK ((owner_id IS NULL) = (kind = 'operator')),
     password text,
     password_version int8 NOT NULL DEFAULT 0,
     password_set_at_ms int8 CHECK ((password_set_at_ms IS NULL) = (password IS NULL))
   )`,

  // One per account: a newer one replaces it.
  `CREATE TABLE one_time_links (
     account text PRIMARY KEY REFERENCES accounts (name),
     hash text NOT NULL UNIQUE,
     created_at_ms int8 NOT NULL,
     expires_at_ms int8 NOT NULL
   )`,

  // The ordinal is the order of the sessions of an account.
  `CREATE TABLE sessions (
     [sqlite: ordinal INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     account TEXT NOT NULL REFERENCES accounts (name),]
     [postgres: account text NOT NULL REFERENCES accounts (name),
     ordinal int8 NOT NULL,
     id text NOT NULL UNIQUE,]
     hash text NOT NULL UNIQUE,
     agent text NOT NULL,
     created_at_ms int8 NOT NULL,
     seen_at_ms int8 NOT NULL,
     ends_at_ms int8 NOT NULL[postgres: ,
     PRIMARY KEY (account, ordinal)]
   )`,
  "[sqlite: CREATE INDEX sessions_by_account ON sessions (account, seen_at_ms)]",
  "CREATE INDEX sessions_by_end ON sessions (ends_at_ms)",

  // The time at which the bucket is full again, which is its whole state.
  `CREATE TABLE sign_in_tries (
     bucket text PRIMARY KEY,
     full_at_ms int8 NOT NULL
   ) WITHOUT ROWID`,
];
