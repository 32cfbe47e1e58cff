import type { OperationId } from "../contract/operations.ts";
import type { ApiKey, KeyStore, KeyUse } from "../keys/keys.ts";
import type { Environment } from "../keys/token.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { GatheredLookUps } from "./gatheredLookUps.ts";
import { type KeyChange, KeyCommands } from "./keyCommands.ts";
import type { Revisions } from "./revisions.ts";

type KeyRow = [
  id: string,
  name: string,
  environment: Environment,
  hash: string,
  hint: string,
  scopes: string,
  createdAtMs: bigint,
  expiresAtMs: bigint | null,
  revokedAtMs: bigint | null,
  replacedBy: string | null,
  lastUsedAtMs: bigint | null,
];
type UseRow = [keyId: string, operation: OperationId, day: string, count: bigint, lastAtMs: bigint];

export class PostgresKeys implements KeyStore {
  readonly #database: Database;
  readonly #commands: KeyCommands;
  readonly #revisions: Revisions;
  readonly #byHash: GatheredLookUps<ApiKey>;

  constructor(database: Database, revisions: Revisions) {
    this.#database = database;
    this.#commands = new KeyCommands(database);
    this.#revisions = revisions;
    // When a revision is over, all requests under way come to ask for the same few keys.
    this.#byHash = new GatheredLookUps(async (hashes) => {
      const rows = await failing(database.read<KeyRow>(findKeys, [hashes]));
      return new Map(rows.map(keyFrom).map((key) => [key.hash, key]));
    });
  }

  async add(key: ApiKey): Promise<void> {
    await this.#inForce(this.#commands.add(key));
  }

  async rotate(oldId: string, oldExpiresAtMs: number, successor: ApiKey): Promise<void> {
    const change = await this.#inForce(this.#commands.rotate(oldId, oldExpiresAtMs, successor));
    if (change.kind === "refused") {
      throw new Error(
        `The key ${oldId} is gone, or was revoked or rotated meanwhile. List the keys.`,
      );
    }
  }

  async revoke(id: string, atMs: number): Promise<void> {
    const change = await this.#inForce(this.#commands.revoke(id, atMs));
    if (change.kind === "refused") throw new Error(`No key has the id ${id}. Nothing was changed.`);
  }

  /** Resolves when no process goes by what the keys were before. */
  async #inForce(changing: Promise<KeyChange>): Promise<KeyChange> {
    const change = await failing(changing);
    if (change.kind === "changed") {
      await this.#revisions.announce("key_revision", change.revision);
    }
    return change;
  }

  findByHash(hash: string): Promise<ApiKey | undefined> {
    return this.#byHash.get(hash);
  }

  async list(): Promise<readonly ApiKey[]> {
    return (await failing(this.#database.read<KeyRow>(listKeys))).map(keyFrom);
  }

  recordUses(uses: readonly KeyUse[]): Promise<void> {
    return failing(this.#commands.recordUses(uses));
  }

  async listUses(): Promise<readonly KeyUse[]> {
    const rows = await failing(this.#database.read<UseRow>(listUses));
    // Here and not by the server, whose language may order letters in its own way.
    return rows.map(useFrom).sort(byKeyOperationAndDay);
  }

  revision(): number {
    return this.#revisions.of("key_revision");
  }
}

const columns = `id, name, environment, hash, hint, scopes, created_at_ms, expires_at_ms,
  revoked_at_ms, replaced_by, last_used_at_ms`;
export const findKeys = `SELECT ${columns} FROM keys WHERE hash = ANY($1::text[])`;
const listKeys = `SELECT ${columns} FROM keys ORDER BY ordinal`;
const listUses = "SELECT key_id, operation, day, count, last_at_ms FROM key_uses";

function keyFrom(row: KeyRow): ApiKey {
  const [id, name, environment, hash, hint, scopes] = row;
  const [, , , , , , createdAtMs, expiresAtMs, revokedAtMs, replacedBy, lastUsedAtMs] = row;
  return {
    id,
    name,
    environment,
    hash,
    hint,
    scopes: JSON.parse(scopes),
    createdAtMs: Number(createdAtMs),
    expiresAtMs: instant(expiresAtMs),
    revokedAtMs: instant(revokedAtMs),
    replacedBy: replacedBy ?? undefined,
    lastUsedAtMs: instant(lastUsedAtMs),
  };
}

function instant(ms: bigint | null): number | undefined {
  return ms === null ? undefined : Number(ms);
}

function useFrom([keyId, operation, day, count, lastAtMs]: UseRow): KeyUse {
  return { keyId, operation, day, count: Number(count), lastAtMs: Number(lastAtMs) };
}

export function byKeyOperationAndDay(one: KeyUse, other: KeyUse): number {
  const [a, b] = [one, other].map(({ keyId, operation, day }) => `${keyId} ${operation} ${day}`);
  return a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
}
