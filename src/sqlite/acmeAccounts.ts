import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { AcmeAccount, AcmeAccounts } from "../domains/certificateAuthority.ts";
import { reading } from "./failures.ts";
import type { Writer } from "./writer.ts";

export class SqliteAcmeAccounts implements AcmeAccounts {
  readonly #writer: Writer;
  readonly #find: StatementSync;

  constructor(db: DatabaseSync, writer: Writer) {
    this.#writer = writer;
    this.#find = db.prepare(findAccount);
  }

  account(directory: string): AcmeAccount | undefined {
    return reading(() => this.#find.get(directory)) as AcmeAccount | undefined;
  }

  keepAccount(account: AcmeAccount): Promise<AcmeAccount> {
    return this.#writer.submit("keepAcmeAccount", account);
  }
}

/** The write. It runs in the writer's thread, within its transaction. */
export function acmeAccountCommands(db: DatabaseSync) {
  const find = db.prepare(findAccount);
  const insert = db.prepare(
    `INSERT INTO acme_accounts (directory, url, sealed_key) VALUES (?, ?, ?)
     ON CONFLICT (directory) DO NOTHING`,
  );

  return {
    /** The one that is kept: the first for its directory. */
    keepAcmeAccount({ directory, url, sealedKey }: AcmeAccount): AcmeAccount {
      insert.run(directory, url, sealedKey);
      return find.get(directory) as unknown as AcmeAccount;
    },
  };
}

const findAccount = `SELECT directory, url, sealed_key AS "sealedKey" FROM acme_accounts
  WHERE directory = ?`;
