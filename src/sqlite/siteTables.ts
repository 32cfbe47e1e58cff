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
