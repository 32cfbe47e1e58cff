import { then } from "../../core/maybePromise.ts";
import type { ApiKey, KeyStore, KeyUse } from "../../petstore/keys/keys.ts";
import {
  catalogueKeyName,
  type KeyRetention,
  keyEvent,
  keyEventsOf,
} from "../../petstore/keys/lifecycle.ts";
import { type SunsetCall, type Sunsets, sunsetEvent } from "../../petstore/keys/sunsets.ts";
import { recordEvents } from "./events.ts";
import { byText, type LookUp, type Storage, type Transaction, type Writes } from "./storage.ts";

type KeyRow = Omit<ApiKey, "scopes"> & { readonly scopes: string };

export function keyRepository(storage: Storage): KeyStore {
  return {
    add: (key) => storage.write("addKey", key),
    async rotate(oldId, oldExpiresAtMs, successor) {
      if (await storage.write("rotateKey", { oldId, oldExpiresAtMs, successor })) return;
      throw new Error(
        `The key ${oldId} is gone, or was revoked or rotated meanwhile. List the keys.`,
      );
    },
    async revoke(id, atMs) {
      if (await storage.write("revokeKey", { id, atMs })) return;
      throw new Error(`No key has the id ${id}. Nothing was changed.`);
    },
    async recordExpiry(nowMs) {
      // Hardly ever anything has expired, so a read looks first.
      const expired = await storage.get(findExpired, [nowMs, 1]);
      return expired !== undefined && (await storage.write("recordKeyExpiry", nowMs));
    },
    async recordSunsets(sunsets) {
      if (sunsets.approaching.length === 0) return false;
      const [call] = await storage.all(findSunsetCalls, sunsetValues(sunsets, 1));
      return call !== undefined && (await storage.write("recordKeySunsets", sunsets));
    },
    findByHash: (hash) => then(storage.lookUp(findKey, hash), (row) => row && keyOf(row)),
    list: () => then(storage.all<KeyRow>(listKeys), (rows) => rows.map(keyOf)),
    recordUses: (uses) => storage.write("recordKeyUses", uses),
    listUses: () => then(storage.all<KeyUse>(listUses), (uses) => uses.sort(byText(useName))),
    usesOf: (operation, keyIds, sinceDay) =>
      storage.all<KeyUse>(findUses, [keyIds, operation, sinceDay]),
    prune: (retention) => storage.write("pruneKeys", retention),
    revision: () => storage.revision("key_revision"),
  };
}

/** Few, because other writes wait. */
const prunedAtOnceMax = 1_000;
const recordedAtOnceMax = 100;

interface KeyRotation {
  readonly oldId: string;
  readonly oldExpiresAtMs: number;
  readonly successor: ApiKey;
}

export const keyWrites = {
  async addKey(tx, key: ApiKey): Promise<void> {
    await lockRevision(tx);
    await insert(tx, key);
    await recordEvents(tx, keyEventsOf(undefined, key, tx.nowMs));
  },

  /**
   * False, with nothing done, when there is no such key or it was revoked or rotated meanwhile: a
   * rotation planned before that must not replace a key that was just revoked.
   */
  async rotateKey(tx, { oldId, oldExpiresAtMs, successor }: KeyRotation): Promise<boolean> {
    await lockRevision(tx);
    const old = await findById(tx, oldId);
    if (old === undefined || old.revokedAtMs !== undefined || old.replacedBy !== undefined) {
      return false;
    }
    await insert(tx, successor);
    // Only earlier: a rotation planned before the expiry was shortened must not extend it.
    const expiresAtMs = Math.min(old.expiresAtMs ?? oldExpiresAtMs, oldExpiresAtMs);
    const replaced = { ...old, expiresAtMs, replacedBy: successor.id };
    await tx.run(replaceKey, [oldId, expiresAtMs, successor.id]);
    await recordEvents(tx, [
      ...keyEventsOf(undefined, successor, tx.nowMs),
      ...keyEventsOf(old, replaced, tx.nowMs),
    ]);
    return true;
  },

  /** False, with nothing done, when there is no such key. */
  async revokeKey(tx, { id, atMs }: { id: string; atMs: number }): Promise<boolean> {
    await lockRevision(tx);
    const key = await findById(tx, id);
    if (key === undefined) return false;
    if (key.revokedAtMs !== undefined) return true;
    await tx.run("UPDATE keys SET revoked_at_ms = ?2 WHERE id = ?1", [id, atMs]);
    await tx.advance("key_revision");
    await recordEvents(tx, keyEventsOf(key, { ...key, revokedAtMs: atMs }, tx.nowMs));
    return true;
  },

  async recordKeyExpiry(tx, nowMs: number): Promise<boolean> {
    await lockRevision(tx);
    const expired = await tx.all<KeyRow>(findExpired, [nowMs, recordedAtOnceMax]);
    const ids = expired.map(({ id }) => id);
    await tx.all(lockKeys, [ids]);
    await tx.run("UPDATE keys SET expiry_recorded_at_ms = ?2 WHERE id = ANY(?1)", [ids, nowMs]);
    await recordEvents(
      tx,
      expired.map((row) => keyEvent("key.expired", keyOf(row), nowMs)),
    );
    return expired.length === recordedAtOnceMax;
  },

  async recordKeySunsets(tx, sunsets: Sunsets): Promise<boolean> {
    await lockRevision(tx);
    const values = sunsetValues(sunsets, recordedAtOnceMax);
    const calls = await tx.all<SunsetCall & Pick<KeyUse, "day">>(findSunsetCalls, values);
    await tx.all(lockKeys, [[...new Set(calls.map(({ keyId }) => keyId))]]);
    for (const { keyId, operation, day } of calls) {
      await tx.run(markSunset, [keyId, operation, day, sunsets.nowMs]);
    }
    await recordEvents(
      tx,
      calls.map((call) => sunsetEvent(call, sunsets.approaching)),
    );
    return calls.length === recordedAtOnceMax;
  },

  async recordKeyUses(tx, uses: readonly KeyUse[]): Promise<void> {
    const ids = [...new Set(uses.map(({ keyId }) => keyId))];
    // In one order, so that processes do not deadlock. A restore may have removed a key that was in
    // use a moment ago.
    const keys = await tx.all<Pick<ApiKey, "id" | "lastUsedAtMs">>(lockKeys, [ids]);
    const known = new Set(keys.map(({ id }) => id));
    const sums = sumsOf(uses.filter(({ keyId }) => known.has(keyId)));
    await tx.insertAll(
      addUses,
      sums.map((use) => [use.keyId, use.operation, use.day, use.count, use.lastAtMs]),
    );
    const lastUses = new Map(keys.map(({ id, lastUsedAtMs = 0 }) => [id, lastUsedAtMs]));
    for (const { keyId, lastAtMs } of sums) {
      lastUses.set(keyId, Math.max(lastUses.get(keyId) ?? 0, lastAtMs));
    }
    for (const [id, lastAtMs] of lastUses) {
      await tx.run("UPDATE keys SET last_used_at_ms = ?2 WHERE id = ?1", [id, lastAtMs]);
    }
  },

  async pruneKeys(tx, { catalogueKeysExpiredAtMs, usesBeforeDay }: KeyRetention): Promise<void> {
    await lockRevision(tx);
    const limits = [catalogueKeysExpiredAtMs, prunedAtOnceMax];
    const spent = await tx.all<Pick<ApiKey, "id">>(findSpent, [catalogueKeyName, ...limits]);
    if (spent.length > 0) {
      const ids = spent.map(({ id }) => id);
      await tx.run("DELETE FROM key_uses WHERE key_id = ANY(?1)", [ids]);
      await tx.run("DELETE FROM keys WHERE id = ANY(?1)", [ids]);
      await tx.advance("key_revision");
    }
    await tx.run("DELETE FROM key_uses WHERE day < ?1", [usesBeforeDay]);
  },
} satisfies Writes;

/** Every change to a key takes this lock first, so that changes run one after the other. */
async function lockRevision(tx: Transaction): Promise<void> {
  await tx.get("SELECT value FROM counters WHERE name = 'key_revision' FOR UPDATE");
}

const sunsetValues = (sunsets: Sunsets, limit: number) => [
  sunsets.approaching.map(({ operation }) => operation),
  ...[sunsets.sinceDay, sunsets.recordedSinceMs, sunsets.nowMs, limit],
];

async function findById(tx: Transaction, id: string): Promise<ApiKey | undefined> {
  const row = await tx.get<KeyRow>(`SELECT ${columns} FROM keys WHERE id = ?1`, [id]);
  return row && keyOf(row);
}

/** The ordinal is the revision of the keys that this key starts. */
async function insert(tx: Transaction, key: ApiKey): Promise<void> {
  const ordinal = await tx.advance("key_revision");
  const identity = [key.id, key.name, key.environment, key.hash, key.hint];
  const life = [key.createdAtMs, key.expiresAtMs, key.revokedAtMs];
  const rest = [JSON.stringify(key.scopes), ...life, key.replacedBy, key.lastUsedAtMs];
  await tx.run(insertKey, [ordinal, ...identity, ...rest]);
}

/** One for each key, operation and day, in one order. */
function sumsOf(uses: readonly KeyUse[]): readonly KeyUse[] {
  const sums = new Map<string, KeyUse>();
  for (const use of uses) {
    const sum = sums.get(useName(use));
    const lastAtMs = Math.max(use.lastAtMs, sum?.lastAtMs ?? use.lastAtMs);
    sums.set(useName(use), { ...use, count: use.count + (sum?.count ?? 0), lastAtMs });
  }
  return [...sums.values()].sort(byText(useName));
}

const useName = ({ keyId, operation, day }: KeyUse) => `${keyId} ${operation} ${day}`;

const keyOf = (row: KeyRow): ApiKey => ({ ...row, scopes: JSON.parse(row.scopes) });

const columns = `id, name, environment, hash, hint, scopes, created_at_ms AS "createdAtMs",
  expires_at_ms AS "expiresAtMs", revoked_at_ms AS "revokedAtMs", replaced_by AS "replacedBy",
  last_used_at_ms AS "lastUsedAtMs"`;
export const findKey: LookUp<KeyRow> = {
  text: `SELECT ${columns} FROM keys WHERE hash = ANY(?1)`,
  keyOf: ({ hash }) => [hash],
};
const listKeys = `SELECT ${columns} FROM keys ORDER BY ordinal`;
const listUses = `SELECT key_id AS "keyId", operation, day, count, last_at_ms AS "lastAtMs"
  FROM key_uses`;
export const findUses = `${listUses} WHERE key_id = ANY(?1) AND operation = ?2 AND day >= ?3`;

const insertKey = `INSERT INTO keys (ordinal, id, name, environment, hash, hint, scopes,
    created_at_ms, expires_at_ms, revoked_at_ms, replaced_by, last_used_at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`;
const replaceKey = "UPDATE keys SET expires_at_ms = ?2, replaced_by = ?3 WHERE id = ?1";
const findExpired = `SELECT ${columns} FROM keys
  WHERE expires_at_ms <= ?1 AND revoked_at_ms IS NULL AND expiry_recorded_at_ms IS NULL
  ORDER BY expires_at_ms LIMIT ?2`;
const lockKeys = `SELECT id, last_used_at_ms AS "lastUsedAtMs" FROM keys WHERE id = ANY(?1)
  ORDER BY id FOR UPDATE`;
// A key that replaced another one is removed after it.
// Of each key and operation the latest day, whose row says that it was recorded.
const findSunsetCalls = `SELECT key_id AS "keyId", keys.name AS "keyName", operation,
    max(day) AS day, max(last_at_ms) AS "lastCallAtMs"
  FROM key_uses JOIN keys ON keys.id = key_id
  WHERE operation = ANY(?1) AND day >= ?2 AND revoked_at_ms IS NULL
    AND (expires_at_ms IS NULL OR expires_at_ms > ?4)
    AND NOT EXISTS (SELECT 1 FROM key_uses AS told WHERE told.key_id = key_uses.key_id
      AND told.operation = key_uses.operation AND told.sunset_recorded_at_ms > ?3)
  GROUP BY key_id, keys.name, operation ORDER BY key_id, operation LIMIT ?5`;
const markSunset = `UPDATE key_uses SET sunset_recorded_at_ms = ?4
  WHERE key_id = ?1 AND operation = ?2 AND day = ?3`;
const findSpent = `SELECT id FROM keys WHERE name = ?1 AND expires_at_ms <= ?2
    AND (expiry_recorded_at_ms IS NOT NULL OR revoked_at_ms IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM keys AS old WHERE old.replaced_by = keys.id)
  ORDER BY id LIMIT ?3 FOR UPDATE`;
const addUses = `INSERT INTO key_uses AS held (key_id, operation, day, count, last_at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT (key_id, operation, day) DO UPDATE SET count = held.count + excluded.count,
    last_at_ms = CASE WHEN held.last_at_ms > excluded.last_at_ms THEN held.last_at_ms
      ELSE excluded.last_at_ms END`;
