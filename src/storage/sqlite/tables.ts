/** What version 3 of the database has: owners, their sites, and what these consist of. */
export const siteTables = `INSERT INTO counters (name, value) VALUES ('site_revision', 0);

   CREATE TABLE owners (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     plan TEXT NOT NULL CHECK (plan = 'free' OR plan = 'paid')
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE projects (
     slug TEXT PRIMARY KEY,
     owner_id TEXT NOT NULL REFERENCES owners (id),
     created_at_ms INTEGER NOT NULL,
     current TEXT REFERENCES deployments (id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX projects_by_owner ON projects (owner_id);
   -- Whoever removes a deployment is asked whether it is shown.
   CREATE INDEX projects_by_current ON projects (current);

   -- The ordinal tells which of two was begun later.
   CREATE TABLE deployments (
     ordinal INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     project TEXT NOT NULL REFERENCES projects (slug),
     state TEXT NOT NULL
       CHECK (state = 'queued' OR state = 'building' OR state = 'ready' OR state = 'failed'),
     created_at_ms INTEGER NOT NULL,
     changed_at_ms INTEGER NOT NULL,
     files INTEGER NOT NULL,
     bytes INTEGER NOT NULL,
     fingerprint TEXT,
     failure TEXT
   ) STRICT;
   CREATE INDEX deployments_by_project ON deployments (project);

   -- One for each content, however many files have it. Complete once its last part is there.
   CREATE TABLE contents (
     hash TEXT PRIMARY KEY,
     bytes INTEGER NOT NULL,
     complete INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;

   -- The content itself in parts, and its smaller forms in one part each.
   CREATE TABLE content_parts (
     hash TEXT NOT NULL REFERENCES contents (hash),
     encoding TEXT NOT NULL
       CHECK (encoding = 'identity' OR encoding = 'gzip' OR encoding = 'br'),
     part INTEGER NOT NULL,
     data BLOB NOT NULL,
     PRIMARY KEY (hash, encoding, part)
   ) STRICT;

   CREATE TABLE site_files (
     deployment TEXT NOT NULL REFERENCES deployments (id),
     path TEXT NOT NULL,
     hash TEXT NOT NULL REFERENCES contents (hash),
     PRIMARY KEY (deployment, path)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX site_files_by_hash ON site_files (hash);`;

/** What version 10 of the database has. A manifest is of no use once its deployment has ended. */
export const uploadTables = `CREATE TABLE deployment_manifests (
     deployment TEXT PRIMARY KEY REFERENCES deployments (id) ON DELETE CASCADE,
     files TEXT NOT NULL CHECK (json_valid(files))
   ) STRICT;
   CREATE TRIGGER deployment_ended AFTER UPDATE OF state ON deployments
     WHEN NEW.state = 'ready' OR NEW.state = 'failed' BEGIN
       DELETE FROM deployment_manifests WHERE deployment = NEW.id;
   END;`;

/** What custom domains need of a database: a step of its migration. */
export const domainTables = `
  INSERT INTO counters (name, value) VALUES ('edge_revision', 0), ('last_fence', 0);

  CREATE TABLE certificates (
    id TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    chain_pem TEXT NOT NULL,
    sealed_key TEXT NOT NULL,
    issuer TEXT NOT NULL,
    not_before_ms INTEGER NOT NULL,
    not_after_ms INTEGER NOT NULL,
    renewal_name TEXT
  ) STRICT;
  CREATE INDEX certificates_by_host ON certificates (host, not_before_ms);
  CREATE INDEX certificates_by_end ON certificates (not_after_ms);

  -- state is the whole domain; the columns beside it repeat what is searched for. The fence is the
  -- number of the latest lease, also once that has ended.
  CREATE TABLE domains (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    host TEXT NOT NULL,
    project TEXT NOT NULL REFERENCES projects (slug),
    owner_id TEXT NOT NULL REFERENCES owners (id),
    ownership TEXT NOT NULL
      CHECK (ownership = 'held' OR ownership = 'proof_needed'
        OR ownership = 'abandoned' OR ownership = 'removed'),
    ended_at_ms INTEGER
      CHECK ((ended_at_ms IS NULL) = (ownership = 'held' OR ownership = 'proof_needed')),
    served INTEGER NOT NULL CHECK (served = 0 OR served = 1),
    certificate_id TEXT REFERENCES certificates (id),
    state TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version > 0),
    due_at_ms INTEGER,
    lease_holder TEXT,
    lease_until_ms INTEGER CHECK ((lease_until_ms IS NULL) = (lease_holder IS NULL)),
    fence INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX domains_held ON domains (host) WHERE ownership = 'held';
  CREATE UNIQUE INDEX domains_of_project ON domains (project, host)
    WHERE ownership IN ('held', 'proof_needed');
  CREATE INDEX domains_by_host ON domains (host);
  CREATE INDEX domains_due ON domains (due_at_ms) WHERE due_at_ms IS NOT NULL;
  CREATE INDEX domains_ended ON domains (ended_at_ms) WHERE ended_at_ms IS NOT NULL;
  CREATE INDEX domains_ended_of_project ON domains (project, ended_at_ms)
    WHERE ended_at_ms IS NOT NULL;
  CREATE INDEX domains_by_certificate ON domains (certificate_id)
    WHERE certificate_id IS NOT NULL;

  CREATE TABLE domain_timeline (
    domain_id TEXT NOT NULL REFERENCES domains (id),
    number INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (domain_id, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE project_routing (
    project TEXT PRIMARY KEY REFERENCES projects (slug),
    version INTEGER NOT NULL CHECK (version > 0),
    routing TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- They outlive the domains that caused them, because the authority counts on.
  CREATE TABLE ca_attempts (
    ordinal INTEGER PRIMARY KEY,
    host TEXT NOT NULL,
    registrable TEXT NOT NULL,
    kind TEXT NOT NULL
      CHECK (kind = 'order' OR kind = 'failed_authorization' OR kind = 'certificate'
        OR kind = 'settled'),
    at_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ca_attempts_by_host ON ca_attempts (host, at_ms);
  CREATE INDEX ca_attempts_by_registrable ON ca_attempts (registrable, at_ms);
  CREATE INDEX ca_attempts_by_age ON ca_attempts (at_ms);

  CREATE TABLE challenges (
    host TEXT NOT NULL,
    token TEXT NOT NULL,
    key_authorization TEXT NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    PRIMARY KEY (host, token)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX challenges_by_end ON challenges (expires_at_ms);

  CREATE TABLE edges (
    id TEXT PRIMARY KEY,
    address TEXT NOT NULL,
    http_port INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    seen_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX edges_by_sight ON edges (seen_at_ms);

  CREATE TABLE acme_accounts (
    directory TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    sealed_key TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

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
