/** A certificate authority that speaks ACME (RFC 8555), and ARI (RFC 9773) where it offers it. */
import type { Clock } from "../../core/clock.ts";
import type { Vault } from "../../core/vault.ts";
import type {
  AcmeAccounts,
  AuthorityRefusal,
  OrderOutcome,
  OrderRequest,
  PlacedOrder,
  Reach,
  RenewalWindow,
} from "../domains/certificateAuthority.ts";
import { Account, type AcmeLog } from "./account.ts";
import { AcmeError, isUnavailable, messageOf } from "./acmeError.ts";
import { fetchRenewalWindow } from "./certificates.ts";
import { AcmeClient, AcmeSession } from "./client.ts";
import type { ExternalAccount, ExternalAccountSource } from "./externalAccount.ts";
import { runOrder } from "./order.ts";
import { tooSlow, unlessAborted } from "./transport.ts";

const pollMsDefault = 1_000;
const orderMsMaxDefault = 5 * 60_000;
const requestMsMaxDefault = 30_000;

export interface AcmeOptions {
  readonly clock: Clock;
  readonly accounts: AcmeAccounts;
  readonly vault: Vault;
  /** The URL of the authority's directory. Plain http is for tests, and allows it for all URLs. */
  readonly directory: string;
  /** The operator's e-mail address, for notices of the authority. */
  readonly contact: string | undefined;
  /** For an authority that requires one, or where it makes one. */
  readonly externalAccount?: ExternalAccount | ExternalAccountSource | undefined;
  /** Its names in CAA records, if its directory does not say. */
  readonly caaIdentities?: readonly string[] | undefined;
  /** A root in PEM that is trusted in addition to the usual ones for connections to the authority. */
  readonly trustPem: string | undefined;
  /** Whether the operator agreed to the authority's terms of service. */
  readonly termsAgreed: boolean;
  readonly log?: AcmeLog | undefined;
  /** The polling interval if the authority does not specify one. Doubles up to 10 s. */
  readonly pollMs?: number;
  readonly orderMsMax?: number;
  readonly requestMsMax?: number;
}

/** Throws only errors of `accounts` and `vault`, and defects. */
export class AcmeAuthority {
  readonly #client: AcmeClient;
  readonly #account: Account;
  readonly #caaIdentities: readonly string[] | undefined;
  readonly #pollMs: number;
  readonly #orderMsMax: number;

  constructor(options: AcmeOptions) {
    const { clock, trustPem, requestMsMax = requestMsMaxDefault } = options;
    this.#client = new AcmeClient(options.directory, { clock, requestMsMax, trustPem });
    this.#account = new Account(options, this.#client);
    this.#caaIdentities = options.caaIdentities;
    this.#pollMs = options.pollMs ?? pollMsDefault;
    this.#orderMsMax = options.orderMsMax ?? orderMsMaxDefault;
  }

  get directory(): string {
    return this.#client.directoryUrl;
  }

  /** After `waitMsMax`, it counts as out of reach; what is under way is not cancelled. */
  async reach(waitMsMax = this.#orderMsMax): Promise<Reach> {
    let refusal: AuthorityRefusal | undefined;
    const late = new AbortController();
    const stopTimer = this.#client.clock.after(waitMsMax, () => late.abort(tooSlow()));
    await unlessAborted(this.#client.directory(), late.signal).catch((reason) => {
      ({ refusal } = refusedOrThrow(reason));
    });
    stopTimer();
    const caaIdentities = this.#caaIdentities ?? this.#client.lastDirectory?.caaIdentities ?? [];
    return { directory: this.directory, caaIdentities, refusal };
  }

  async order(request: OrderRequest): Promise<OrderOutcome> {
    const ending = new AbortController();
    const abandon = () =>
      ending.abort(new AcmeError("abandoned", messageOf(request.signal.reason)));
    if (request.signal.aborted) abandon();
    request.signal.addEventListener("abort", abandon, { once: true });
    const session = new AcmeSession(this.#client, this.#account, this.#pollMs, ending.signal);
    const stopTimer = this.#client.clock.after(this.#orderMsMax, () =>
      ending.abort(this.#tooLate()),
    );
    let isPlaced = request.resume !== undefined;
    const placed = (order: PlacedOrder) => {
      isPlaced = true;
      return request.placed(order);
    };
    try {
      return await runOrder({ ...request, placed }, session);
    } catch (reason) {
      if (isUnavailable(reason)) this.#client.orderFailed(isPlaced ? undefined : reason);
      return { kind: "refused", refusal: refusedOrThrow(reason).refusal };
    } finally {
      stopTimer();
      request.signal.removeEventListener("abort", abandon);
    }
  }

  async renewalWindow(renewalName: string): Promise<RenewalWindow> {
    try {
      return await fetchRenewalWindow(renewalName, this.#client);
    } catch (reason) {
      return { kind: "unavailable", detail: refusedOrThrow(reason).refusal.detail };
    }
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
