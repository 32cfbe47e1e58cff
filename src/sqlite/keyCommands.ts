/** The writes to the keys. They run in the writer's thread, within its transaction. */
import type { DatabaseSync } from "node:sqlite";
import type { ApiKey, KeyUse } from "../keys/keys.ts";
import type { Counter } from "./counter.ts";

export interface KeyRotation {
  readonly oldId: string;
  readonly oldExpiresAtMs: number;
  readonly successor: ApiKey;
}

export interface KeyRevocation {
  readonly id: string;
  readonly atMs: number;
}

export function keyCommands(db: DatabaseSync, revision: Counter) {
  const insert = db.prepare(
    `INSERT INTO keys (id, name, environment, hash, hint, scopes, created_at_ms, expires_at_ms,
       revoked_at_ms, replaced_by, last_used_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const find = db.prepare("SELECT 1 FROM keys WHERE id = ?");
  const findRotatable = db.prepare(
    "SELECT 1 FROM keys WHERE id = ? AND revoked_at_ms IS NULL AND replaced_by IS NULL",
  );
  // Earlier only: a rotation planned before the key was cut shorter must not lengthen its life.
  const replace = db.prepare(
    `UPDATE keys SET expires_at_ms = min(coalesce(expires_at_ms, ?1), ?1), replaced_by = ?2
     WHERE id = ?3`,
  );
  const revoke = db.prepare(
    "UPDATE keys SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL",
  );
  const count = db.prepare(
    `INSERT INTO key_uses (key_id, operation, day, count, last_at_ms) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count,
       last_at_ms = max(last_at_ms, excluded.last_at_ms)`,
  );
  const use = db.prepare(
    `UPDATE keys SET last_used_at_ms = max(coalesce(last_used_at_ms, ?1), ?1) WHERE id = ?2`,
  );

  function store(key: ApiKey): void {
    insert.run(
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
    );
  }

  function change(): void {
    revision.next();
  }

  return {
    addKey(key: ApiKey): void {
      store(key);
      change();
    },

    /**
     * False, with nothing done, when there is no such key or it was revoked or rotated meanwhile: a
     * rotation planned before that must not bring a key to life that somebody has just ended.
     */
    rotateKey({ oldId, oldExpiresAtMs, successor }: KeyRotation): boolean {
      if (findRotatable.get(oldId) === undefined) return false;
      store(successor);
      replace.run(oldExpiresAtMs, successor.id, oldId);
      change();
      return true;
    },

    /** False, with nothing done, when there is no such key. */
    revokeKey({ id, atMs }: KeyRevocation): boolean {
      if (find.get(id) === undefined) return false;
      if (revoke.run(atMs, id).changes !== 0) change();
      return true;
    },

    recordUses(uses: readonly KeyUse[]): void {
      for (const { keyId, operation, day, count: times, lastAtMs } of uses) {
        // A restore may have taken away a key that was in use a moment ago.
        if (use.run(lastAtMs, keyId).changes === 0) continue;
        count.run(keyId, operation, day, times, lastAtMs);
      }
    },
  };
}
