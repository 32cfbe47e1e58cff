import type { Clock } from "../../core/clock.ts";
import type { Account, OpenAccount } from "./account.ts";
import { AcmeError, isUnavailable, type JsonObject, parseBody } from "./acmeError.ts";
import type { Directory, DirectoryEntries } from "./directory.ts";
import type { SignedRequests } from "./signedRequests.ts";
import type { AcmeResponse } from "./transport.ts";
import { delay, retryAtMs, unlessAborted } from "./waiting.ts";

const pauseMsMax = 60_000;
const pauseMsMaxUnasked = 10_000;
/** A question may be asked again; what it would cost to begin anew is an order and its limits. */
const triesMax = 3;

export interface AcmeSessionOptions {
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
    let answer = first ?? (await this.get(url));
    for (let tries = 1; ; tries += 1) {
      const known = read(parseBody(answer));
      if (known !== undefined) return known;
      const nowMs = this.#options.clock.now();
      await this.#pause(tries, retryAtMs(answer.header("retry-after"), nowMs));
      answer = await this.get(url);
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
