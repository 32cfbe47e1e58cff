/** The writes to the keys. Each is a transaction of its own: they are few. */
import type { ApiKey, KeyUse } from "../keys/keys.ts";
import type { Database } from "./database.ts";
import { int8s, type Session } from "./session.ts";

export type KeyChange =
  | { readonly kind: "changed"; readonly revision: bigint }
  | { readonly kind: "unchanged" | "refused" };

/** Whoever changes a key takes this row first, so that changes come one after the other. */
const begin = "BEGIN; SELECT value FROM counters WHERE name = 'key_revision' FOR UPDATE";

export class KeyCommands {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(key: ApiKey): Promise<KeyChange> {
    return this.#change(async (session, revision) => {
      await store(session, key, revision);
      return "changed";
    });
  }

  /**
   * Refuses when there is no such key or it was revoked or rotated meanwhile: a rotation planned
   * before that must not bring a key to life that somebody has just ended.
   */
  rotate(oldId: string, oldExpiresAtMs: number, successor: ApiKey): Promise<KeyChange> {
    return this.#change(async (session, revision) => {
      if ((await session.query(findRotatable, [oldId])).count === 0) return "refused";
      await store(session, successor, revision);
      await session.query(replace, [oldExpiresAtMs, successor.id, oldId]);
      return "changed";
    });
  }

  /** Refuses when there is no such key. */
  revoke(id: string, atMs: number): Promise<KeyChange> {
    return this.#change(async (session) => {
      if ((await session.query(revoke, [atMs, id])).count > 0) return "changed";
      const known = await session.query("SELECT 1 FROM keys WHERE id = $1", [id]);
      return known.count > 0 ? "unchanged" : "refused";
    });
  }

  async recordUses(uses: readonly KeyUse[]): Promise<void> {
    const sums = sumsOf(uses);
    if (sums.length === 0) return;
    await this.#database.transact("BEGIN", async (session) => {
      const ids = [...new Set(sums.map(({ keyId }) => keyId))];
      // In one order, so that two processes never wait for each other. Some may be gone.
      const held = await session.query<[string]>(lockKeys, [ids]);
      const there = new Set(held.rows.map(([id]) => id));
      const kept = sums.filter(({ keyId }) => there.has(keyId));
      if (kept.length === 0) return;
      await session.query(addCounts, [
        kept.map(({ keyId }) => keyId),
        kept.map(({ operation }) => operation),
        kept.map(({ day }) => day),
        int8s(kept.map(({ count }) => count)),
        int8s(kept.map(({ lastAtMs }) => lastAtMs)),
      ]);
      const last = lastUses(kept);
      await session.query(moveLastUse, [[...last.keys()], int8s([...last.values()])]);
    });
  }

  async #change(
    work: (session: Session, revision: bigint) => Promise<KeyChange["kind"]>,
  ): Promise<KeyChange> {
    return this.#database.transact(begin, async (session, [row]) => {
      const revision = (row?.[0] as bigint) + 1n;
      const kind = await work(session, revision);
      if (kind !== "changed") return { kind };
      await session.query("UPDATE counters SET value = $1 WHERE name = 'key_revision'", [revision]);
      return { kind, revision };
    });
  }
}

async function store(session: Session, key: ApiKey, ordinal: bigint): Promise<void> {
  await session.query(insert, [
    ordinal,
    key.id,
    key.name,
    key.environment,
    key.hash,
    key.hint,
    JSON.stringify(key.scopes),
    key.createdAtMs,
    key.expiresAtMs ?? null,
    key.revokedAtMs ?? null,
    key.replacedBy ?? null,
    key.lastUsedAtMs ?? null,
  ]);
}

/** One for each key, operation and day, in one order: a statement may touch a row only once. */
function sumsOf(uses: readonly KeyUse[]): readonly KeyUse[] {
  const sums = new Map<string, KeyUse>();
  for (const use of uses) {
    const name = `${use.keyId} ${use.operation} ${use.day}`;
    const sum = sums.get(name);
    const lastAtMs = Math.max(use.lastAtMs, sum?.lastAtMs ?? use.lastAtMs);
    sums.set(name, { ...use, count: use.count + (sum?.count ?? 0), lastAtMs });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

function lastUses(uses: readonly KeyUse[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { keyId, lastAtMs } of uses) {
    last.set(keyId, Math.max(lastAtMs, last.get(keyId) ?? lastAtMs));
  }
  return last;
}

const insert = `INSERT INTO keys (ordinal, id, name, environment, hash, hint, scopes, created_at_ms,
    expires_at_ms, revoked_at_ms, replaced_by, last_used_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;

const findRotatable =
  "SELECT 1 FROM keys WHERE id = $1 AND revoked_at_ms IS NULL AND replaced_by IS NULL";

// Earlier only: a rotation planned before the key was cut shorter must not lengthen its life.
const replace = `UPDATE keys
  SET expires_at_ms = least(coalesce(expires_at_ms, $1::int8), $1::int8), replaced_by = $2
  WHERE id = $3`;

const revoke = "UPDATE keys SET revoked_at_ms = $1 WHERE id = $2 AND revoked_at_ms IS NULL";

const lockKeys = "SELECT id FROM keys WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE";

const addCounts = `INSERT INTO key_uses AS held (key_id, operation, day, count, last_at_ms)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int8[])
  ON CONFLICT (key_id, operation, day) DO UPDATE SET count = held.count + excluded.count,
    last_at_ms = greatest(held.last_at_ms, excluded.last_at_ms)`;

const moveLastUse = `UPDATE keys
  SET last_used_at_ms = greatest(coalesce(keys.last_used_at_ms, used.at_ms), used.at_ms)
  FROM unnest($1::text[], $2::int8[]) AS used (id, at_ms) WHERE keys.id = used.id`;
