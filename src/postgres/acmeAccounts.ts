import type { AcmeAccount, AcmeAccounts } from "../domains/certificateAuthority.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";

type AccountRow = [directory: string, url: string, sealedKey: string];

export class PostgresAcmeAccounts implements AcmeAccounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async account(directory: string): Promise<AcmeAccount | undefined> {
    const [row] = await failing(this.#database.read<AccountRow>(find, [directory]));
    return row && { directory: row[0], url: row[1], sealedKey: row[2] };
  }

  async keepAccount(account: AcmeAccount): Promise<AcmeAccount> {
    const { directory, url, sealedKey } = account;
    await failing(this.#database.write(insert, [directory, url, sealedKey]));
    // Accounts are never taken away: whoever was first, it is there now.
    return (await this.account(directory)) as AcmeAccount;
  }
}

const find = "SELECT directory, url, sealed_key FROM acme_accounts WHERE directory = $1";
const insert = `INSERT INTO acme_accounts (directory, url, sealed_key) VALUES ($1, $2, $3)
  ON CONFLICT (directory) DO NOTHING`;
