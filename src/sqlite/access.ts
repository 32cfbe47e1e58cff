import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AccessHolder, AccessStore, AccessToken } from "../access/access.ts";
import { reading } from "./failures.ts";
import type { Writer } from "./writer.ts";

interface AccessRow {
  readonly id: string;
  readonly name: string;
  readonly kind: AccessHolder["kind"];
  readonly owner_id: string | null;
  readonly hash: string;
  readonly hint: string;
  readonly created_at_ms: number;
  readonly revoked_at_ms: number | null;
}

export interface AccessRevocation {
  readonly id: string;
  readonly atMs: number;
}

export class SqliteAccess implements AccessStore {
  readonly #writer: Writer;
  readonly #find: StatementSync;
  readonly #list: StatementSync;

  constructor(db: DatabaseSync, writer: Writer) {
    this.#writer = writer;
    this.#find = db.prepare("SELECT * FROM access_tokens WHERE hash = ?");
    this.#list = db.prepare("SELECT * FROM access_tokens ORDER BY ordinal");
  }

  add(token: AccessToken): Promise<boolean> {
    return this.#writer.submit("addAccess", token);
  }

  revoke(id: string, atMs: number): Promise<boolean> {
    return this.#writer.submit("revokeAccess", { id, atMs });
  }

  findByHash(hash: string): AccessToken | undefined {
    const row = reading(() => this.#find.get(hash)) as AccessRow | undefined;
    return row && tokenFrom(row);
  }

  list(): readonly AccessToken[] {
    return (reading(() => this.#list.all()) as unknown as AccessRow[]).map(tokenFrom);
  }
}

function tokenFrom(row: AccessRow): AccessToken {
  return {
    id: row.id,
    name: row.name,
    holder:
      row.kind === "operator"
        ? { kind: "operator" }
        : { kind: "owner", id: row.owner_id as string },
    hash: row.hash,
    hint: row.hint,
    createdAtMs: row.created_at_ms,
    revokedAtMs: row.revoked_at_ms ?? undefined,
  };
}

/** The writes. They run in the writer's thread, within its transaction. */
export function accessCommands(db: DatabaseSync) {
  const findOwner = db.prepare("SELECT 1 FROM owners WHERE id = ?");
  const insert = db.prepare(
    `INSERT INTO access_tokens (id, name, kind, owner_id, hash, hint, created_at_ms, revoked_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const revoke = db.prepare(
    "UPDATE access_tokens SET revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?",
  );

  return {
    addAccess({ id, name, holder, hash, hint, createdAtMs, revokedAtMs }: AccessToken): boolean {
      const ownerId = holder.kind === "owner" ? holder.id : null;
      if (ownerId !== null && findOwner.get(ownerId) === undefined) return false;
      insert.run(id, name, holder.kind, ownerId, hash, hint, createdAtMs, revokedAtMs ?? null);
      return true;
    },

    revokeAccess({ id, atMs }: AccessRevocation): boolean {
      return revoke.run(atMs, id).changes !== 0;
    },
  };
}
