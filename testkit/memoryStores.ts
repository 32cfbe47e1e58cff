import type { AcmeAccount, AcmeAccounts } from "../src/hosting/domains/certificateAuthority.ts";
import type { Stores } from "../src/storage/stores.ts";
import { MemoryDomains } from "./memoryDomains.ts";
import { MemorySites } from "./memorySites.ts";

class MemoryAccounts implements AcmeAccounts {
  readonly #accounts = new Map<string, AcmeAccount>();

  account(directory: string): AcmeAccount | undefined {
    return this.#accounts.get(directory);
  }

  async keepAccount(account: AcmeAccount): Promise<AcmeAccount> {
    const kept = this.#accounts.get(account.directory) ?? account;
    this.#accounts.set(kept.directory, kept);
    return kept;
  }
}

export interface SitesAndDomains extends Pick<Stores, "sites" | "edgeView" | "acmeAccounts"> {
  readonly sites: MemorySites;
  readonly domains: MemoryDomains;
  readonly edgeView: MemoryDomains;
}

/** What sites and their domains need of a database, in memory. */
export function memoryStores(): SitesAndDomains {
  const sites = new MemorySites();
  const domains = new MemoryDomains(sites);
  return { sites, domains, edgeView: domains, acmeAccounts: new MemoryAccounts() };
}
