import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { OperationId } from "../contract/operations.ts";
import type { ApiKey, KeyStore, KeyUse } from "../keys/keys.ts";
import type { Environment } from "../keys/token.ts";
import { reading } from "./failures.ts";
import type { RevisionReader } from "./revisions.ts";
import type { Writer } from "./writer.ts";

interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly hash: string;
  readonly hint: string;
  readonly scopes: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number | null;
  readonly revoked_at_ms: number | null;
  readonly replaced_by: string | null;
  readonly last_used_at_ms: number | null;
}

interface UseRow {
  readonly key_id: string;
  readonly operation: OperationId;
  readonly day: string;
  readonly count: number;
  readonly last_at_ms: number;
}

export class SqliteKeys implements KeyStore {
  readonly #writer: Writer;
  readonly #find: StatementSync;
  readonly #list: StatementSync;
  readonly #listUses: StatementSync;
  readonly #revisions: RevisionReader;

  constructor(db: DatabaseSync, writer: Writer, revisions: RevisionReader) {
    this.#writer = writer;
    this.#revisions = revisions;
    this.#find = db.prepare("SELECT * FROM keys WHERE hash = ?");
    this.#list = db.prepare("SELECT * FROM keys ORDER BY ordinal");
    this.#listUses = db.prepare("SELECT * FROM key_uses ORDER BY key_id, operation, day");
  }

  add(key: ApiKey): Promise<void> {
    return this.#writer.submit("addKey", key);
  }

  async rotate(oldId: string, oldExpiresAtMs: number, successor: ApiKey): Promise<void> {
    const rotated = await this.#writer.submit("rotateKey", { oldId, oldExpiresAtMs, successor });
    if (!rotated) {
      throw new Error(
        `The key ${oldId} is gone, or was revoked or rotated meanwhile. List the keys.`,
      );
    }
  }

  async revoke(id: string, atMs: number): Promise<void> {
    const found = await this.#writer.submit("revokeKey", { id, atMs });
    if (!found) throw unknownKey(id);
  }

  findByHash(hash: string): ApiKey | undefined {
    const row = reading(() => this.#find.get(hash)) as KeyRow | undefined;
    return row && keyFrom(row);
  }

  list(): readonly ApiKey[] {
    return (reading(() => this.#list.all()) as unknown as KeyRow[]).map(keyFrom);
  }

  recordUses(uses: readonly KeyUse[]): Promise<void> {
    return this.#writer.submit("recordUses", uses);
  }

  listUses(): readonly KeyUse[] {
    return (reading(() => this.#listUses.all()) as unknown as UseRow[]).map(useFrom);
  }

  revision(): number {
    return this.#revisions.read().key_revision;
  }
}

function unknownKey(id: string): Error {
  return new Error(`No key has the id ${id}. Nothing was changed.`);
}

function keyFrom(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    environment: row.environment,
    hash: row.hash,
    hint: row.hint,
    scopes: JSON.parse(row.scopes),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms ?? undefined,
    revokedAtMs: row.revoked_at_ms ?? undefined,
    replacedBy: row.replaced_by ?? undefined,
    lastUsedAtMs: row.last_used_at_ms ?? undefined,
  };
}

function useFrom(row: UseRow): KeyUse {
  return {
    keyId: row.key_id,
    operation: row.operation,
    day: row.day,
    count: row.count,
    lastAtMs: row.last_at_ms,
  };
}
