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
