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
