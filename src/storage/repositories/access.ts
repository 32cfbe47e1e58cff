import type { AccessHolder, AccessStore, AccessToken } from "../../accounts/access.ts";
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import type { Storage, Transaction } from "./storage.ts";

/** Whoever holds a token or an account, as columns. */
export interface HolderColumns {
  readonly kind: AccessHolder["kind"];
  readonly ownerId: string | undefined;
}

type TokenRow = Omit<AccessToken, "holder"> & HolderColumns;

export class AccessRepository implements AccessStore {
  readonly #storage: Storage;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  add(token: AccessToken): Promise<boolean> {
    return this.#storage.write("addAccessToken", token);
  }

  revoke(id: string, atMs: number): Promise<boolean> {
    return this.#storage.write("revokeAccessToken", { id, atMs });
  }

  findByHash(hash: string): MaybePromise<AccessToken | undefined> {
    return then(this.#storage.get<TokenRow>(findAccessToken, [hash]), (row) => row && tokenOf(row));
  }

  list(): MaybePromise<readonly AccessToken[]> {
    return then(this.#storage.all<TokenRow>(listAccessTokens), (rows) => rows.map(tokenOf));
  }
}

export const accessWrites = {
  async addAccessToken(tx: Transaction, token: AccessToken): Promise<boolean> {
    const { id, name, holder, hash, hint, createdAtMs, revokedAtMs } = token;
    const { kind, ownerId } = holderColumns(holder);
    if (!(await isHolderKnown(tx, holder))) return false;
    const ordinal = await tx.ordinal();
    await tx.run(
      `INSERT INTO access_tokens (ordinal, id, name, kind, owner_id, hash, hint, created_at_ms,
         revoked_at_ms)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
      [ordinal, id, name, kind, ownerId, hash, hint, createdAtMs, revokedAtMs],
    );
    return true;
  },

  async revokeAccessToken(
    tx: Transaction,
    { id, atMs }: { readonly id: string; readonly atMs: number },
  ): Promise<boolean> {
    const revoked = await tx.get(
      `UPDATE access_tokens SET revoked_at_ms = coalesce(revoked_at_ms, ?2) WHERE id = ?1
       RETURNING id`,
      [id, atMs],
    );
    return revoked !== undefined;
  },
};

export async function isHolderKnown(tx: Transaction, holder: AccessHolder): Promise<boolean> {
  if (holder.kind === "operator") return true;
  return (await tx.get("SELECT 1 FROM owners WHERE id = ?1", [holder.id])) !== undefined;
}

export function holderColumns(holder: AccessHolder): HolderColumns {
  return { kind: holder.kind, ownerId: holder.kind === "owner" ? holder.id : undefined };
}

export function holderOf({ kind, ownerId }: HolderColumns): AccessHolder {
  return kind === "operator" ? { kind } : { kind, id: ownerId as string };
}

function tokenOf({ kind, ownerId, ...token }: TokenRow): AccessToken {
  return { ...token, holder: holderOf({ kind, ownerId }) };
}

const columns = `id, name, kind, owner_id AS "ownerId", hash, hint, created_at_ms AS "createdAtMs",
  revoked_at_ms AS "revokedAtMs"`;
export const findAccessToken = `SELECT ${columns} FROM access_tokens WHERE hash = ?1`;
const listAccessTokens = `SELECT ${columns} FROM access_tokens ORDER BY ordinal`;
