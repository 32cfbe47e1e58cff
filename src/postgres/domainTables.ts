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
