/** Signed requests and the nonces that they use up (RFC 8555, sections 6.2 to 6.5). */
import type { Clock } from "../../core/clock.ts";
import type { AccountKey } from "./accountKey.ts";
import { errorOfResponse, malformed } from "./acmeError.ts";
import type { Directory } from "./directory.ts";
import type { AcmeResponse, Transport } from "./transport.ts";

/** Authorities forget nonces after minutes, so there is no sense in many. */
const noncesMax = 16;
const nonceLengthMax = 1024;
/** How often one request is sent before refused nonces are the authority's failure. */
const triesMax = 8;

export interface ToSign {
  readonly url: string;
  /** Undefined for a POST-as-GET (section 6.3). */
  readonly payload: unknown;
  readonly key: AccountKey;
  /** The account's address, undefined while there is none. */
  readonly account: string | undefined;
  readonly accept?: string;
}

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
      const answer = await this.#postOnce(toSign, signal);
      if (answer.status >= 200 && answer.status < 300) return answer;
      const refused = errorOfResponse(answer, this.#clock.now());
      if (refused.problemType !== "badNonce" || tries >= triesMax) throw refused;
      // Those in hand are as old as the one refused. The refusal brought a fresh one.
      this.#nonces = this.#nonces.slice(-1);
    }
  }

  async #postOnce({ url, payload, key, account, accept }: ToSign, signal?: AbortSignal) {
    const nonce = this.#nonces.pop() ?? (await this.#newNonce(signal));
    const answer = await this.#transport.send(
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
    const fresh = nonceIn(answer);
    if (fresh !== undefined) this.#nonces = [...this.#nonces, fresh].slice(-noncesMax);
    return answer;
  }

  async #newNonce(signal?: AbortSignal): Promise<string> {
    const { newNonce } = await this.#directory.entries();
    const answer = await this.#transport.send({ method: "HEAD", url: newNonce }, signal);
    if (answer.status !== 200 && answer.status !== 204) {
      throw errorOfResponse(answer, this.#clock.now());
    }
    const nonce = nonceIn(answer);
    if (nonce === undefined) throw malformed("no nonce");
    return nonce;
  }
}

/** A nonce of another form must be ignored (section 6.5.1). */
function nonceIn(answer: AcmeResponse): string | undefined {
  const nonce = answer.header("replay-nonce");
  if (nonce === undefined || nonce.length > nonceLengthMax) return undefined;
  return /^[A-Za-z0-9_-]+$/.test(nonce) ? nonce : undefined;
}
