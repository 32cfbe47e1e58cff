/** Requests to one authority: its directory, signed requests and their nonces, retries and polling. */

import type { Clock } from "../../core/clock.ts";
import { retryAtMs } from "../../core/retryAfter.ts";
import type { Account, AccountKey, OpenAccount } from "./account.ts";
import {
  AcmeError,
  errorOfResponse,
  isObject,
  isUnavailable,
  type JsonObject,
  malformed,
  parseBody,
} from "./acmeError.ts";
import {
  type AcmeResponse,
  delay,
  Transport,
  type TransportOptions,
  unlessAborted,
} from "./transport.ts";

const directoryTtlMs = 3_600_000;
/** In an outage, one request in this time finds out for all orders whether it is over. */
const directoryRetryMs = 10_000;
const caaIdentitiesMax = 16;
/** Nonces expire after minutes, so keeping more is useless. */
const noncesMax = 16;
const nonceLengthMax = 1024;
/** How often one request is sent before rejected nonces count as an error of the authority. */
const nonceTriesMax = 8;

/** The directory of the authority (RFC 8555, section 7.1.1). */
interface Directory {
  readonly newNonce: string;
  readonly newAccount: string;
  readonly newOrder: string;
  readonly renewalInfo: string | undefined;
  readonly caaIdentities: readonly string[] | undefined;
  readonly hasTerms: boolean;
  readonly externalAccountRequired: boolean;
}

interface ToSign {
  readonly url: string;
  /** Undefined for a POST-as-GET (RFC 8555, section 6.3). */
  readonly payload: unknown;
  readonly key: AccountKey;
  /** The account URL; undefined while there is none. */
  readonly account: string | undefined;
  readonly accept?: string | undefined;
}

/** What all orders at one authority share. */
export class AcmeClient {
  readonly clock: Clock;
  readonly directoryUrl: string;
  readonly #transport: Transport;
  #known: { readonly directory: Directory; readonly readAtMs: number } | undefined;
  #reading: Promise<Directory> | undefined;
  /** The last outage. */
  #failed: { readonly reason: unknown; readonly atMs: number } | undefined;
  #nonces: string[] = [];

  constructor(directoryUrl: string, options: Omit<TransportOptions, "plainHttpAllowed">) {
    const plainHttpAllowed = new URL(directoryUrl).protocol === "http:";
    this.clock = options.clock;
    this.directoryUrl = directoryUrl;
    this.#transport = new Transport({ ...options, plainHttpAllowed });
  }

  allows(url: unknown): url is string {
    return this.#transport.allows(url);
  }

  /** Cached for all orders, for an hour; a failure for ten seconds. */
  async directory(): Promise<Directory> {
    const known = this.#known;
    if (known !== undefined && this.clock.elapsed() - known.readAtMs < directoryTtlMs) {
      return known.directory;
    }
    // By the calendar, as the next attempts are.
    const failedMs = this.clock.now() - (this.#failed?.atMs ?? 0);
    if (failedMs >= 0 && failedMs < directoryRetryMs) throw this.#failed?.reason;
    this.#reading ??= this.#readDirectory().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** As it was last read, however long ago. */
  get lastDirectory(): Directory | undefined {
    return this.#known?.directory;
  }

  /**
   * The directory is read again, to find out whether there is an outage. If the authority accepts no
   * order at all, that is an outage as well, which lasts until it is tried again.
   */
  orderFailed(notAccepted: AcmeError | undefined): void {
    this.#known &&= { ...this.#known, readAtMs: Number.NEGATIVE_INFINITY };
    // An order that failed by what is known already must not prolong it.
    if (notAccepted !== undefined && notAccepted !== this.#failed?.reason) {
      this.#failed = { reason: notAccepted, atMs: this.clock.now() };
    }
  }

  async #readDirectory(): Promise<Directory> {
    try {
      const directory = this.#parseDirectory(parseBody(await this.get(this.directoryUrl)));
      this.#known = { directory, readAtMs: this.clock.elapsed() };
      return directory;
    } catch (reason) {
      this.#failed = { reason, atMs: this.clock.now() };
      throw reason;
    }
  }

  #parseDirectory({ newNonce, newAccount, newOrder, renewalInfo, meta }: JsonObject): Directory {
    if (!this.allows(newNonce) || !this.allows(newAccount) || !this.allows(newOrder)) {
      throw malformed("a directory in which something is missing");
    }
    const about = isObject(meta) ? meta : {};
    return {
      newNonce,
      newAccount,
      newOrder,
      renewalInfo: this.allows(renewalInfo) ? renewalInfo : undefined,
      caaIdentities: readCaaIdentities(about["caaIdentities"]),
      hasTerms: typeof about["termsOfService"] === "string",
      externalAccountRequired: about["externalAccountRequired"] === true,
    };
  }

  /** A plain GET, without an account. */
  async get(url: string, signal?: AbortSignal): Promise<AcmeResponse> {
    const response = await this.#transport.send({ method: "GET", url }, signal);
    if (response.status !== 200) throw errorOfResponse(response, this.clock.now());
    return response;
  }

  /** A form outside ACME, without an account. Resolves with the response, whatever it is. */
  postForm(url: string, fields: Record<string, string>): Promise<AcmeResponse> {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = new URLSearchParams(fields).toString();
    return this.#transport.send({ method: "POST", url, headers, body });
  }

  /**
   * Sends a signed request (RFC 8555, sections 6.2 to 6.5). Resolves with a successful response;
   * throws an `AcmeError` for any other.
   */
  async post(toSign: ToSign, signal?: AbortSignal): Promise<AcmeResponse> {
    for (let tries = 1; ; tries += 1) {
      const response = await this.#postOnce(toSign, signal);
      if (response.status >= 200 && response.status < 300) return response;
      const refused = errorOfResponse(response, this.clock.now());
      if (refused.problemType !== "badNonce" || tries >= nonceTriesMax) throw refused;
      // The other nonces are as old as the rejected one. The error response included a new one.
      this.#nonces = this.#nonces.slice(-1);
    }
  }

  async #postOnce({ url, payload, key, account, accept }: ToSign, signal?: AbortSignal) {
    const nonce = this.#nonces.pop() ?? (await this.#newNonce(signal));
    const headers = {
      "content-type": "application/jose+json",
      ...(accept === undefined ? {} : { accept }),
    };
    const body = key.signed(url, nonce, account, payload);
    const response = await this.#transport.send({ method: "POST", url, headers, body }, signal);
    const fresh = nonceIn(response);
    if (fresh !== undefined) this.#nonces = [...this.#nonces, fresh].slice(-noncesMax);
    return response;
  }

  async #newNonce(signal?: AbortSignal): Promise<string> {
    const { newNonce } = await this.directory();
    const response = await this.#transport.send({ method: "HEAD", url: newNonce }, signal);
    if (response.status !== 200 && response.status !== 204) {
      throw errorOfResponse(response, this.clock.now());
    }
    const nonce = nonceIn(response);
    if (nonce === undefined) throw malformed("no nonce");
    return nonce;
  }
}

function readCaaIdentities(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = value
    .filter((name) => typeof name === "string")
    .map((name) => name.toLowerCase())
    .filter((name) => /^[a-z0-9.-]{1,253}$/.test(name));
  return names.length === 0 ? undefined : names.slice(0, caaIdentitiesMax);
}

/** A nonce of another form must be ignored (RFC 8555, section 6.5.1). */
function nonceIn(response: AcmeResponse): string | undefined {
  const nonce = response.header("replay-nonce");
  if (nonce === undefined || nonce.length > nonceLengthMax) return undefined;
  return /^[A-Za-z0-9_-]+$/.test(nonce) ? nonce : undefined;
}

const pauseMsMax = 60_000;
const pauseMsMaxDefault = 10_000;
/** A read can be retried; a new order would count against the rate limits. */
const triesMax = 3;

/** Requests for one order, signed by our account. Respects the Retry-After of the authority. */
export class AcmeSession {
  /** Aborts all requests in flight, with its reason. */
  readonly signal: AbortSignal;
  readonly #client: AcmeClient;
  readonly #account: Account;
  readonly #pollMs: number;

  constructor(client: AcmeClient, account: Account, pollMs: number, signal: AbortSignal) {
    this.#client = client;
    this.#account = account;
    this.#pollMs = pollMs;
    this.signal = signal;
  }

  get directoryUrl(): string {
    return this.#client.directoryUrl;
  }

  directory(): Promise<Directory> {
    return unlessAborted(this.#client.directory(), this.signal);
  }

  async keyAuthorization(token: string): Promise<string> {
    const { key } = await this.#account.current(this.signal);
    return key.keyAuthorization(token);
  }

  /** The payload is undefined for a POST-as-GET. */
  async post(url: string, payload: unknown, accept?: string): Promise<AcmeResponse> {
    const send = ({ key, url: account }: OpenAccount) =>
      this.#client.post({ url, payload, key, account, accept }, this.signal);
    const known = await this.#account.current(this.signal);
    try {
      return await send(known);
    } catch (reason) {
      const unknown = reason instanceof AcmeError && reason.problemType === "accountDoesNotExist";
      if (!unknown) throw reason;
      return send(await this.#account.registerAgain(known, this.signal));
    }
  }

  /** A POST-as-GET, retried a few times while the authority is unavailable. */
  async get(url: string, accept?: string): Promise<AcmeResponse> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.post(url, undefined, accept);
      } catch (reason) {
        if (!isUnavailable(reason) || this.signal.aborted || tries >= triesMax) throw reason;
        await this.#pause(tries, reason.refusal.retryAtMs);
      }
    }
  }

  /** Polls until `read` returns a value, starting with `first` if given. */
  async poll<T>(
    url: string,
    read: (state: JsonObject) => T | undefined,
    first?: AcmeResponse,
  ): Promise<T> {
    let response = first ?? (await this.get(url));
    for (let tries = 1; ; tries += 1) {
      const known = read(parseBody(response));
      if (known !== undefined) return known;
      await this.#pause(tries, retryAtMs(response.header("retry-after"), this.#client.clock.now()));
      response = await this.get(url);
    }
  }

  #pause(tries: number, untilMs: number | undefined): Promise<void> {
    const { clock } = this.#client;
    const delayMs =
      untilMs === undefined
        ? Math.min(this.#pollMs * 2 ** (tries - 1), pauseMsMaxDefault)
        : Math.min(Math.max(untilMs - clock.now(), this.#pollMs), pauseMsMax);
    return delay(clock, delayMs, this.signal);
  }
}
