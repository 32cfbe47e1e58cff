/** Our account at one authority (RFC 8555, section 7.3). */

import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";
import type { Vault } from "../../core/vault.ts";
import type { AcmeAccount, AcmeAccounts } from "../domains/certificateAuthority.ts";
import { AcmeError, malformed } from "./acmeError.ts";
import type { AcmeClient } from "./client.ts";
import { unlessAborted } from "./transport.ts";

/** Proves that the account belongs to one that was made elsewhere (RFC 8555, section 7.3.4). */
export interface ExternalAccount {
  readonly kid: string;
  readonly hmacKey: Uint8Array;
}

export interface OpenAccount {
  readonly url: string;
  readonly key: AccountKey;
}

interface AccountOptions {
  readonly accounts: AcmeAccounts;
  readonly vault: Vault;
  /** An e-mail address. */
  readonly contact: string | undefined;
  readonly externalAccount?: ExternalAccount | undefined;
  readonly termsAgreed: boolean;
}

/** Opened or created once for all orders of this process, and then cached. */
export class Account {
  readonly #options: AccountOptions;
  readonly #client: AcmeClient;
  #current: Promise<OpenAccount> | undefined;

  constructor(options: AccountOptions, client: AcmeClient) {
    this.#options = options;
    this.#client = client;
  }

  /** Throws errors of the store and the vault, and an `AcmeError` for errors of the authority. */
  current(signal: AbortSignal): Promise<OpenAccount> {
    this.#current ??= this.#cache(this.#openOrCreate());
    // Aborting one order must not fail others that wait for the account.
    return unlessAborted(this.#current, signal);
  }

  /** Registers the same key again, after the authority reported that the account does not exist. */
  registerAgain(stale: OpenAccount, signal: AbortSignal): Promise<OpenAccount> {
    const again = async (known: OpenAccount) =>
      known.url === stale.url ? { key: known.key, url: await this.#register(known.key) } : known;
    this.#current = this.#cache((this.#current ?? Promise.resolve(stale)).then(again));
    return unlessAborted(this.#current, signal);
  }

  #cache(opening: Promise<OpenAccount>): Promise<OpenAccount> {
    opening.catch(() => {
      if (this.#current === opening) this.#current = undefined;
    });
    return opening;
  }

  async #openOrCreate(directory = this.#client.directoryUrl): Promise<OpenAccount> {
    const { accounts, vault } = this.#options;
    const stored = await accounts.account(directory);
    if (stored !== undefined) {
      const opens = vault.opens(stored.sealedKey, boundTo(directory));
      if (opens || directory !== this.#client.directoryUrl) return this.#open(stored);
      // The secret was changed or lost, so the key cannot be read: each secret has its own account.
      return this.#openOrCreate(`${directory}#${vault.mark}`);
    }
    const pem = newPrivateKeyPem();
    const url = await this.#register(new AccountKey(pem));
    const sealedKey = vault.seal(pem, boundTo(directory));
    // If another worker was faster, its account is used and this one discarded.
    return this.#open(await accounts.keepAccount({ directory, url, sealedKey }));
  }

  #open({ directory, url, sealedKey }: AcmeAccount): OpenAccount {
    return { url, key: new AccountKey(this.#options.vault.open(sealedKey, boundTo(directory))) };
  }

  /** Creates the account, or finds the existing one of this key. */
  async #register(key: AccountKey): Promise<string> {
    const { newAccount, hasTerms, externalAccountRequired } = await this.#client.directory();
    const { contact, termsAgreed, externalAccount } = this.#options;
    if (externalAccountRequired && externalAccount === undefined) {
      throw new AcmeError(
        "policy",
        "This authority requires an account that was made elsewhere (external account binding), " +
          "and none is set.",
      );
    }
    if (hasTerms && !termsAgreed) {
      throw new AcmeError("policy", "The authority's terms of service have not been agreed to.");
    }
    const payload = {
      ...(hasTerms ? { termsOfServiceAgreed: true } : {}),
      ...(contact === undefined ? {} : { contact: [`mailto:${contact}`] }),
      ...(externalAccount && {
        externalAccountBinding: key.boundTo(externalAccount, newAccount),
      }),
    };
    const response = await this.#client.post({ url: newAccount, payload, key, account: undefined });
    const url = response.header("location");
    if (!this.#client.allows(url)) throw malformed("an account without a usable address");
    return url;
  }
}

function boundTo(directory: string): string {
  return `acme account ${directory}`;
}

/** A P-256 key in PEM. Never from the injected clock, whose randomness a test may control. */
export function newPrivateKeyPem(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The key of our account, and signatures with it (RFC 8555, section 6.2). */
export class AccountKey {
  readonly #key: KeyObject;
  readonly #jwk: {
    readonly crv: string;
    readonly kty: string;
    readonly x: string;
    readonly y: string;
  };

  constructor(pem: string) {
    this.#key = createPrivateKey(pem);
    const { x = "", y = "" } = createPublicKey(this.#key).export({ format: "jwk" });
    // In the order of RFC 7638, section 3.2, so that its JSON can be hashed directly.
    this.#jwk = { crv: "P-256", kty: "EC", x, y };
  }

  keyAuthorization(token: string): string {
    const thumbprint = createHash("sha256").update(JSON.stringify(this.#jwk)).digest("base64url");
    return `${token}.${thumbprint}`;
  }

  /** The external account's signature of this key (RFC 8555, section 7.3.4). */
  boundTo({ kid, hmacKey }: ExternalAccount, url: string) {
    const head = base64url(JSON.stringify({ alg: "HS256", kid, url }));
    const payload = base64url(JSON.stringify(this.#jwk));
    const signature = createHmac("sha256", hmacKey).update(`${head}.${payload}`);
    return { protected: head, payload, signature: signature.digest("base64url") };
  }

  /** The payload is undefined for a POST-as-GET. Without an account URL, the key itself is included. */
  signed(url: string, nonce: string, account: string | undefined, payload: unknown): string {
    const who = account === undefined ? { jwk: this.#jwk } : { kid: account };
    const head = base64url(JSON.stringify({ alg: "ES256", ...who, nonce, url }));
    const body = payload === undefined ? "" : base64url(JSON.stringify(payload));
    const signature = sign("sha256", Buffer.from(`${head}.${body}`), {
      key: this.#key,
      dsaEncoding: "ieee-p1363",
    });
    return JSON.stringify({
      protected: head,
      payload: body,
      signature: signature.toString("base64url"),
    });
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
