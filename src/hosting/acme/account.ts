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
import {
  type ExternalAccount,
  type ExternalAccountSource,
  requestExternalAccount,
} from "./externalAccount.ts";
import { unlessAborted } from "./transport.ts";

export interface AcmeLog {
  info(event: string, fields: Readonly<Record<string, unknown>>): void;
}

const silentLog: AcmeLog = { info() {} };

export interface OpenAccount {
  readonly url: string;
  readonly key: AccountKey;
}

interface AccountOptions {
  readonly accounts: AcmeAccounts;
  readonly vault: Vault;
  /** An e-mail address. */
  readonly contact: string | undefined;
  readonly externalAccount?: ExternalAccount | ExternalAccountSource | undefined;
  readonly termsAgreed: boolean;
  readonly log?: AcmeLog | undefined;
}

/** What is stored of an account: its address or id, and a secret, which is sealed. */
interface Credentials {
  readonly url: string;
  readonly secret: string;
}

/** After a failure, the external account is not asked for again before this. */
const externalRetryMs = 60_000;

/** Opened or created once for all orders of this process, and then cached. */
export class Account {
  readonly #options: AccountOptions;
  readonly #client: AcmeClient;
  #current: Promise<OpenAccount> | undefined;
  /** The last failure to get an external account. */
  #external: { readonly failure: AcmeError; readonly retryAtMs: number } | undefined;

  constructor(options: AccountOptions, client: AcmeClient) {
    this.#options = options;
    this.#client = client;
  }

  /** Throws errors of the store and the vault, and an `AcmeError` for errors of the authority. */
  current(signal: AbortSignal): Promise<OpenAccount> {
    this.#current ??= this.#cache(this.#openOrRegister());
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

  async #openOrRegister(): Promise<OpenAccount> {
    const { url, secret } = await this.#openOrCreate(this.#client.directoryUrl, async () => {
      const pem = newPrivateKeyPem();
      return { url: await this.#register(new AccountKey(pem)), secret: pem };
    });
    return { url, key: new AccountKey(secret) };
  }

  /** `directory` is where the account is, and identifies it in the store. */
  async #openOrCreate(directory: string, create: () => Promise<Credentials>): Promise<Credentials> {
    const { accounts, vault } = this.#options;
    const stored = await accounts.account(directory);
    if (stored === undefined) return this.#create(directory, create);
    if (vault.opens(stored.sealedKey, boundTo(directory))) return this.#open(stored);
    // The secret was changed or lost, so the key cannot be read: each secret has its own account.
    const marked = `${directory}#${vault.mark}`;
    const own = await accounts.account(marked);
    return own === undefined ? this.#create(marked, create) : this.#open(own);
  }

  async #create(directory: string, create: () => Promise<Credentials>): Promise<Credentials> {
    const { url, secret } = await create();
    const sealedKey = this.#options.vault.seal(secret, boundTo(directory));
    // If another worker was faster, its account is used and this one discarded.
    return this.#open(await this.#options.accounts.keepAccount({ directory, url, sealedKey }));
  }

  #open({ directory, url, sealedKey }: AcmeAccount): Credentials {
    return { url, secret: this.#options.vault.open(sealedKey, boundTo(directory)) };
  }

  /** Creates the account, or finds the existing one of this key. */
  async #register(key: AccountKey): Promise<string> {
    const { newAccount, hasTerms, externalAccountRequired } = await this.#client.directory();
    const { contact, termsAgreed } = this.#options;
    if (hasTerms && !termsAgreed) {
      throw new AcmeError("policy", "The authority's terms of service have not been agreed to.");
    }
    const external = await this.#externalAccount(externalAccountRequired);
    const payload = {
      ...(hasTerms ? { termsOfServiceAgreed: true } : {}),
      ...(contact === undefined ? {} : { contact: [`mailto:${contact}`] }),
      ...(external && { externalAccountBinding: key.boundTo(external, newAccount) }),
    };
    const response = await this.#client.post({ url: newAccount, payload, key, account: undefined });
    const url = response.header("location");
    if (!this.#client.allows(url)) throw malformed("an account without a usable address");
    return url;
  }

  /** The one that is set; or the one for our e-mail address, which is made once, when required. */
  async #externalAccount(required: boolean): Promise<ExternalAccount | undefined> {
    const { externalAccount: set } = this.#options;
    if (set === undefined && required) {
      throw new AcmeError(
        "policy",
        "This authority requires an account that was made elsewhere (external account binding), " +
          "and none is set.",
      );
    }
    if (set === undefined || "kid" in set) return set;
    if (!required) return undefined;
    const at = `${set.madeAt}?${new URLSearchParams({ email: set.email })}`;
    const { url, secret } = await this.#openOrCreate(at, () => this.#requestExternal(set));
    return { kid: url, hmacKey: Buffer.from(secret, "base64url") };
  }

  async #requestExternal(source: ExternalAccountSource): Promise<Credentials> {
    const { log = silentLog } = this.#options;
    const nowMs = this.#client.clock.now();
    if (this.#external !== undefined && nowMs < this.#external.retryAtMs) {
      throw this.#external.failure;
    }
    try {
      const { kid, hmacKey } = await requestExternalAccount(source, this.#client);
      log.info("authority.external_account_created", { madeAt: source.madeAt });
      return { url: kid, secret: hmacKey };
    } catch (cause) {
      if (!(cause instanceof AcmeError)) throw cause;
      const { retryAtMs: saidMs = 0 } = cause.refusal;
      this.#external = { failure: cause, retryAtMs: Math.max(saidMs, nowMs + externalRetryMs) };
      throw cause;
    }
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
