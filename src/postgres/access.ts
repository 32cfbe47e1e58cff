import type { AccessHolder, AccessStore, AccessToken } from "../access/access.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { hasNul } from "./texts.ts";

type AccessRow = [
  id: string,
  name: string,
  kind: AccessHolder["kind"],
  ownerId: string | null,
  hash: string,
  hint: string,
  createdAtMs: bigint,
  revokedAtMs: bigint | null,
];

/** Asks the database each time: what was revoked is refused at once, by every process. */
export class PostgresAccess implements AccessStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(token: AccessToken): Promise<boolean> {
    const { id, name, holder, hash, hint, createdAtMs, revokedAtMs } = token;
    const ownerId = holder.kind === "owner" ? holder.id : null;
    if (hasNul(ownerId ?? "")) return false;
    const { count } = await failing(
      this.#database.write(insert, [
        ...[id, name, holder.kind, ownerId, hash, hint, createdAtMs, revokedAtMs ?? null],
      ]),
    );
    return count > 0;
  }

  async revoke(id: string, atMs: number): Promise<boolean> {
    if (hasNul(id)) return false;
    return (await failing(this.#database.write(revoke, [id, atMs]))).count > 0;
  }

  async findByHash(hash: string): Promise<AccessToken | undefined> {
    const [row] = await failing(this.#database.read<AccessRow>(findAccess, [hash]));
    return row && tokenFrom(row);
  }

  async list(): Promise<readonly AccessToken[]> {
    return (await failing(this.#database.read<AccessRow>(listAccess))).map(tokenFrom);
  }
}

function tokenFrom(row: AccessRow): AccessToken {
  const [id, name, kind, ownerId, hash, hint, createdAtMs, revokedAtMs] = row;
  return {
    id,
    name,
    holder: kind === "operator" ? { kind } : { kind, id: ownerId as string },
    hash,
    hint,
    createdAtMs: Number(createdAtMs),
    revokedAtMs: revokedAtMs === null ? undefined : Number(revokedAtMs),
  };
}

const columns = "id, name, kind, owner_id, hash, hint, created_at_ms, revoked_at_ms";
export const findAccess = `SELECT ${columns} FROM access_tokens WHERE hash = $1`;
const listAccess = `SELECT ${columns} FROM access_tokens ORDER BY ordinal`;

const insert = `WITH turn AS (
    UPDATE counters SET value = value + 1 WHERE name = 'last_ordinal'
      AND ($4::text IS NULL OR EXISTS (SELECT 1 FROM owners WHERE id = $4::text))
    RETURNING value)
  INSERT INTO access_tokens (ordinal, ${columns})
  SELECT value, $1, $2, $3, $4::text, $5, $6, $7::int8, $8::int8 FROM turn`;

const revoke = `UPDATE access_tokens SET revoked_at_ms = coalesce(revoked_at_ms, $2::int8)
  WHERE id = $1`;
