/** Our account at one authority (RFC 8555, section 7.3). */
import type { AcmeAccount, AcmeAccounts } from "../domains/certificateAuthority.ts";
import type { Vault } from "../domains/vault.ts";
import { AccountKey, newPrivateKeyPem } from "./accountKey.ts";
import { AcmeError, malformed } from "./acmeError.ts";
import type { Directory } from "./directory.ts";
import type { SignedRequests } from "./signedRequests.ts";
import type { Transport } from "./transport.ts";
import { unlessAborted } from "./waiting.ts";

export interface OpenAccount {
  readonly url: string;
  readonly key: AccountKey;
}

export interface AccountOptions {
  readonly accounts: AcmeAccounts;
  readonly vault: Vault;
  /** An e-mail address. */
  readonly contact: string | undefined;
  readonly termsAgreed: boolean;
}

/** Opened or created once for all orders of this process, and then remembered. */
export class Account {
  readonly #options: AccountOptions;
  readonly #directory: Directory;
  readonly #requests: SignedRequests;
  readonly #transport: Transport;
  #current: Promise<OpenAccount> | undefined;

  constructor(
    options: AccountOptions,
    directory: Directory,
    requests: SignedRequests,
    transport: Transport,
  ) {
    this.#options = options;
    this.#directory = directory;
    this.#requests = requests;
    this.#transport = transport;
  }

  /** Throws what the store or the vault throws, and a `AcmeError` for what the authority does. */
  current(signal: AbortSignal): Promise<OpenAccount> {
    this.#current ??= this.#remember(this.#openOrCreate());
    // One order that ends must not take the account from the others that wait for it.
    return unlessAborted(this.#current, signal);
  }

  /** For when the authority says that it does not know the account: the same key, once more. */
  registerAgain(stale: OpenAccount, signal: AbortSignal): Promise<OpenAccount> {
    const again = async (known: OpenAccount) =>
      known.url === stale.url ? { key: known.key, url: await this.#register(known.key) } : known;
    this.#current = this.#remember((this.#current ?? Promise.resolve(stale)).then(again));
    return unlessAborted(this.#current, signal);
  }

  #remember(opening: Promise<OpenAccount>): Promise<OpenAccount> {
    opening.catch(() => {
      if (this.#current === opening) this.#current = undefined;
    });
    return opening;
  }

  async #openOrCreate(directory = this.#directory.url): Promise<OpenAccount> {
    const { accounts, vault } = this.#options;
    const kept = await accounts.account(directory);
    if (kept !== undefined) {
      const opens = vault.opens(kept.sealedKey, boundTo(directory));
      if (opens || directory !== this.#directory.url) return this.#open(kept);
      // The secret was changed or lost, and the account with it: there is another one for this secret.
      return this.#openOrCreate(`${directory}#${vault.mark}`);
    }
    const pem = newPrivateKeyPem();
    const url = await this.#register(new AccountKey(pem));
    const sealedKey = vault.seal(pem, boundTo(directory));
    // Another worker may have been quicker: then its account is ours too, and this one forgotten.
    return this.#open(await accounts.keepAccount({ directory, url, sealedKey }));
  }

  #open({ directory, url, sealedKey }: AcmeAccount): OpenAccount {
    return { url, key: new AccountKey(this.#options.vault.open(sealedKey, boundTo(directory))) };
  }

  /** Creates the account, or finds the one that this key has already. */
  async #register(key: AccountKey): Promise<string> {
    const { newAccount, hasTerms, externalAccountRequired } = await this.#directory.entries();
    const { contact, termsAgreed } = this.#options;
    if (externalAccountRequired) {
      throw new AcmeError(
        "policy",
        "This authority wants accounts that were arranged beforehand (external account binding), " +
          "which is not supported.",
      );
    }
    if (hasTerms && !termsAgreed) {
      throw new AcmeError("policy", "The authority's terms of service have not been agreed to.");
    }
    const payload = {
      ...(hasTerms ? { termsOfServiceAgreed: true } : {}),
      ...(contact === undefined ? {} : { contact: [`mailto:${contact}`] }),
    };
    const answer = await this.#requests.post({ url: newAccount, payload, key, account: undefined });
    const url = answer.header("location");
    if (!this.#transport.allows(url)) throw malformed("an account without a usable address");
    return url;
  }
}

function boundTo(directory: string): string {
  return `acme account ${directory}`;
}
