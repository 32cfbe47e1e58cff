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
  `CREATE TABLE IF NOT EXISTS once_marks (
     key_id text NOT NULL,
     mark text NOT NULL,
     fingerprint text NOT NULL,
     entity_id int8 NOT NULL,
     text text NOT NULL,
     created_at_ms int8 NOT NULL,
     PRIMARY KEY (key_id, mark)
   )`,
  `CREATE INDEX IF NOT EXISTS once_marks_by_age ON once_marks (created_at_ms)`,
];

/** One row for each transaction that changed pets; `previous` shows where rows are missing. */
export const petChangesTable = `CREATE TABLE IF NOT EXISTS pet_changes (
    revision int8 PRIMARY KEY,
    previous int8 NOT NULL,
    pet_ids int8[] NOT NULL
  )`;
