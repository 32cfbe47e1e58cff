import type { Clock } from "../../core/clock.ts";
import type { Account, AccountKey, OpenAccount } from "./account.ts";
import {
  AcmeError,
  errorOfResponse,
  isUnavailable,
  type JsonObject,
  malformed,
  parseBody,
} from "./acmeError.ts";
import type { Directory, DirectoryEntries } from "./directory.ts";
import { type AcmeResponse, delay, retryAtMs, type Transport, unlessAborted } from "./transport.ts";

const pauseMsMax = 60_000;
const pauseMsMaxUnasked = 10_000;
/** A question may be asked again; what it would cost to begin anew is an order and its limits. */
const triesMax = 3;

interface AcmeSessionOptions {
  readonly clock: Clock;
  readonly directory: Directory;
  readonly account: Account;
  readonly requests: SignedRequests;
  readonly pollMs: number;
  /** Ends everything that is under way, with its reason. */
  readonly signal: AbortSignal;
}

/** Requests for one order, signed by our account. Waits as long as the authority asks for. */
export class AcmeSession {
  readonly signal: AbortSignal;
  readonly #options: AcmeSessionOptions;

  constructor(options: AcmeSessionOptions) {
    this.signal = options.signal;
    this.#options = options;
  }

  directory(): Promise<DirectoryEntries> {
    return unlessAborted(this.#options.directory.entries(), this.signal);
  }

  async keyAuthorization(token: string): Promise<string> {
    const { key } = await this.#options.account.current(this.signal);
    return key.keyAuthorization(token);
  }

  /** The payload is undefined for a POST-as-GET. */
  async post(url: string, payload: unknown, accept?: string): Promise<AcmeResponse> {
    const { account, requests } = this.#options;
    const send = ({ key, url: kid }: OpenAccount) =>
      requests.post(
        { url, payload, key, account: kid, ...(accept === undefined ? {} : { accept }) },
        this.signal,
      );
    const known = await account.current(this.signal);
    try {
      return await send(known);
    } catch (reason) {
      const forgotten = reason instanceof AcmeError && reason.problemType === "accountDoesNotExist";
      if (!forgotten) throw reason;
      return send(await account.registerAgain(known, this.signal));
    }
  }

  /** A POST-as-GET, repeated a few times while the authority is unavailable. */
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

  /** Asks until the reader knows. It does so in `first` before, where that is given. */
  async poll<T>(
    url: string,
    read: (state: JsonObject) => T | undefined,
    first?: AcmeResponse,
  ): Promise<T> {
    let response = first ?? (await this.get(url));
    for (let tries = 1; ; tries += 1) {
      const known = read(parseBody(response));
      if (known !== undefined) return known;
      const nowMs = this.#options.clock.now();
      await this.#pause(tries, retryAtMs(response.header("retry-after"), nowMs));
      response = await this.get(url);
    }
  }

  #pause(tries: number, untilMs: number | undefined): Promise<void> {
    const { clock, pollMs } = this.#options;
    const delayMs =
      untilMs === undefined
        ? Math.min(pollMs * 2 ** (tries - 1), pauseMsMaxUnasked)
        : Math.min(Math.max(untilMs - clock.now(), pollMs), pauseMsMax);
    return delay(clock, delayMs, this.signal);
  }
}

/** Authorities forget nonces after minutes, so there is no sense in many. */
const noncesMax = 16;
const nonceLengthMax = 1024;
/** How often one request is sent before refused nonces are the authority's failure. */
const nonceTriesMax = 8;

interface ToSign {
  readonly url: string;
  /** Undefined for a POST-as-GET (section 6.3). */
  readonly payload: unknown;
  readonly key: AccountKey;
  /** The account's address, undefined while there is none. */
  readonly account: string | undefined;
  readonly accept?: string;
}

/** Signed requests and the nonces that they use up (RFC 8555, sections 6.2 to 6.5). */
export class SignedRequests {
  readonly #transport: Transport;
  readonly #directory: Directory;
  readonly #clock: Clock;
  #nonces: string[] = [];

  constructor(transport: Transport, directory: Directory, clock: Clock) {
    this.#transport = transport;
    this.#directory = directory;
    this.#clock = clock;
  }

  /** Resolves with a success; whatever else comes back is thrown as a `AcmeError`. */
  async post(toSign: ToSign, signal?: AbortSignal): Promise<AcmeResponse> {
    for (let tries = 1; ; tries += 1) {
      const response = await this.#postOnce(toSign, signal);
      if (response.status >= 200 && response.status < 300) return response;
      const refused = errorOfResponse(response, this.#clock.now());
      if (refused.problemType !== "badNonce" || tries >= nonceTriesMax) throw refused;
      // Those in hand are as old as the one refused. The refusal brought a fresh one.
      this.#nonces = this.#nonces.slice(-1);
    }
  }

  async #postOnce({ url, payload, key, account, accept }: ToSign, signal?: AbortSignal) {
    const nonce = this.#nonces.pop() ?? (await this.#newNonce(signal));
    const response = await this.#transport.send(
      {
        method: "POST",
        url,
        headers: {
          "content-type": "application/jose+json",
          ...(accept === undefined ? {} : { accept }),
        },
        body: key.signed(url, nonce, account, payload),
      },
      signal,
    );
    const fresh = nonceIn(response);
    if (fresh !== undefined) this.#nonces = [...this.#nonces, fresh].slice(-noncesMax);
    return response;
  }

  async #newNonce(signal?: AbortSignal): Promise<string> {
    const { newNonce } = await this.#directory.entries();
    const response = await this.#transport.send({ method: "HEAD", url: newNonce }, signal);
    if (response.status !== 200 && response.status !== 204) {
      throw errorOfResponse(response, this.#clock.now());
    }
    const nonce = nonceIn(response);
    if (nonce === undefined) throw malformed("no nonce");
    return nonce;
  }
}

/** A nonce of another form must be ignored (section 6.5.1). */
function nonceIn(response: AcmeResponse): string | undefined {
  const nonce = response.header("replay-nonce");
  if (nonce === undefined || nonce.length > nonceLengthMax) return undefined;
  return /^[A-Za-z0-9_-]+$/.test(nonce) ? nonce : undefined;
}
