/** A certificate authority that speaks ACME (RFC 8555), and ARI (RFC 9773) where it offers it. */
import type { Clock } from "../../core/clock.ts";
import type {
  AcmeAccounts,
  CertificateAuthority,
  OrderOutcome,
  OrderRequest,
  RenewalWindow,
} from "../domains/certificateAuthority.ts";
import type { Vault } from "../domains/vault.ts";
import { Account } from "./account.ts";
import { AcmeError, messageOf } from "./acmeError.ts";
import { Directory, fetchRenewalWindow } from "./directory.ts";
import { runOrder } from "./order.ts";
import { AcmeSession, SignedRequests } from "./session.ts";
import { Transport } from "./transport.ts";

const pollMsDefault = 1_000;
const orderMsMaxDefault = 5 * 60_000;
const requestMsMaxDefault = 30_000;

export interface AcmeOptions {
  readonly clock: Clock;
  readonly accounts: AcmeAccounts;
  readonly vault: Vault;
  /** The address of the authority's directory. Plain http is for tests, and holds for all of it. */
  readonly directory: string;
  /** The operator's e-mail address, for an authority that writes to its customers. */
  readonly contact: string | undefined;
  /** A root in PEM that is trusted beside the usual ones when talking to the authority. */
  readonly trustPem: string | undefined;
  /** Whether the operator agreed to the authority's terms of service. */
  readonly termsAgreed: boolean;
  /** How long to wait before asking again where the authority does not say. Doubles up to 10 s. */
  readonly pollMs?: number;
  readonly orderMsMax?: number;
  readonly requestMsMax?: number;
}

/** Throws only what `accounts`, `vault` or a fault of ours throws. */
export class AcmeAuthority implements CertificateAuthority {
  readonly #clock: Clock;
  readonly #transport: Transport;
  readonly #directory: Directory;
  readonly #requests: SignedRequests;
  readonly #account: Account;
  readonly #pollMs: number;
  readonly #orderMsMax: number;

  constructor(options: AcmeOptions) {
    const { clock, directory, trustPem } = options;
    const plainHttpAllowed = new URL(directory).protocol === "http:";
    const requestMsMax = options.requestMsMax ?? requestMsMaxDefault;
    this.#clock = clock;
    this.#pollMs = options.pollMs ?? pollMsDefault;
    this.#orderMsMax = options.orderMsMax ?? orderMsMaxDefault;
    this.#transport = new Transport({ clock, requestMsMax, trustPem, plainHttpAllowed });
    this.#directory = new Directory(directory, this.#transport, clock);
    this.#requests = new SignedRequests(this.#transport, this.#directory, clock);
    this.#account = new Account(options, this.#directory, this.#requests, this.#transport);
  }

  async caaIdentities(): Promise<readonly string[] | undefined> {
    try {
      return (await this.#directory.entries()).caaIdentities;
    } catch (reason) {
      refusedOrThrow(reason);
      return undefined;
    }
  }

  async order(request: OrderRequest): Promise<OrderOutcome> {
    const ending = new AbortController();
    const abandon = () =>
      ending.abort(new AcmeError("abandoned", messageOf(request.signal.reason)));
    if (request.signal.aborted) abandon();
    request.signal.addEventListener("abort", abandon, { once: true });
    const stopTimer = this.#clock.after(this.#orderMsMax, () => ending.abort(this.#tooLate()));
    try {
      const issued = await runOrder(request, this.#session(ending.signal));
      return { kind: "issued", ...issued };
    } catch (reason) {
      return { kind: "refused", refusal: refusedOrThrow(reason).refusal };
    } finally {
      stopTimer();
      request.signal.removeEventListener("abort", abandon);
    }
  }

  async renewalWindow(renewalName: string): Promise<RenewalWindow> {
    try {
      return await fetchRenewalWindow(renewalName, this.#directory, this.#transport, this.#clock);
    } catch (reason) {
      return { kind: "unavailable", detail: refusedOrThrow(reason).refusal.detail };
    }
  }

  #session(signal: AbortSignal): AcmeSession {
    return new AcmeSession({
      clock: this.#clock,
      directory: this.#directory,
      account: this.#account,
      requests: this.#requests,
      pollMs: this.#pollMs,
      signal,
    });
  }

  #tooLate(): AcmeError {
    const seconds = Math.round(this.#orderMsMax / 1000);
    return new AcmeError("unavailable", `The order was not finished within ${seconds} seconds.`);
  }
}

function refusedOrThrow(reason: unknown): AcmeError {
  if (reason instanceof AcmeError) return reason;
  throw reason;
}
