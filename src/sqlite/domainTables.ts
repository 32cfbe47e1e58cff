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
