/** The interface to a certificate authority. */
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { TimeWindow } from "./domain.ts";

/** The name without the asterisk; undefined for a name that is not a wildcard. */
export function wildcardBase(host: string): string | undefined {
  return host.startsWith("*.") ? host.slice(2) : undefined;
}

/** The challenge by which the authority validates a name. */
export type Validation = "http-01" | "dns-01";

/** The usual one for a host: wildcards need dns-01 (RFC 8555, section 7.1.3). */
export function usualValidation(host: string): Validation {
  return wildcardBase(host) === undefined ? "http-01" : "dns-01";
}

/** What the authority will fetch over HTTP from the host, or look up in DNS (RFC 8555, section 8). */
export interface Challenge {
  readonly host: string;
  readonly token: string;
  readonly keyAuthorization: string;
}

/** An order that the authority knows, and the private key that its certificate will be for. */
export interface PlacedOrder {
  /** The URL of the directory of the authority that has it. */
  readonly directory: string;
  readonly url: string;
  readonly privateKeyPem: string;
}

export interface OrderRequest {
  readonly host: string;
  /** The usual one if undefined. */
  readonly validation?: Validation;
  /** The renewal name of the certificate that this one replaces (RFC 9773, section 5). */
  readonly replaces: string | undefined;
  /**
   * An earlier order for this host that had no outcome. It is continued from where it is; if the
   * authority no longer has it, another one is placed.
   */
  readonly resume?: PlacedOrder | undefined;
  /**
   * Called when a new order was placed, before anything that counts against the limits of the
   * authority. If it rejects, the order is left there, and the outcome is `abandoned`.
   */
  placed(order: PlacedOrder): Promise<void>;
  /**
   * Called before validation is requested. It resolves when every edge can respond; if it rejects,
   * validation is not requested, and the outcome is `abandoned`.
   */
  publish(challenge: Challenge): Promise<void>;
  /**
   * Called if the authority still trusts an earlier validation, in place of `publish`. If it
   * rejects, nothing is issued, and the outcome is `abandoned`.
   */
  trusted?(): Promise<void>;
  /** Aborted when the lease is lost. The outcome is then `abandoned`. */
  readonly signal: AbortSignal;
}

export type RefusalReason =
  /** A CAA record forbids it. */
  | "caa"
  | "rate_limited"
  /** The authority does not issue for this name, or not to this account. */
  | "policy"
  /** The validation failed. Counts against the limits of the authority. */
  | "authorization_failed"
  /** The authority cannot be reached, or fails. */
  | "unavailable"
  | "abandoned";

export interface AuthorityRefusal {
  readonly reason: RefusalReason;
  /** The message of the authority, as plain text of at most 500 characters, or those of both. */
  readonly detail: string;
  /** When the authority allows a retry. */
  readonly retryAtMs: number | undefined;
  /** The order is of no use any more, although the authority did not decide about the name. */
  readonly orderLost?: true;
}

/** With the longer wait, since an earlier attempt would disregard a rate limit. */
export function refusalOfBoth(first: AuthorityRefusal, second: AuthorityRefusal): AuthorityRefusal {
  const longer =
    second.reason === "rate_limited" && (second.retryAtMs ?? 0) > (first.retryAtMs ?? 0);
  const detail = `${first.detail} The second authority: ${second.detail}`;
  return { ...(longer ? second : first), detail };
}

export type OrderOutcome =
  | {
      readonly kind: "issued";
      /** The certificate first, then those that lead to the root. */
      readonly chainPem: string;
      readonly privateKeyPem: string;
      /** The directory of the authority that issued it. */
      readonly directory: string;
    }
  | { readonly kind: "refused"; readonly refusal: AuthorityRefusal };

export type RenewalWindow =
  | (TimeWindow & { readonly kind: "window"; readonly askAgainAtMs: number })
  /** This authority does not offer renewal information. */
  | { readonly kind: "not_offered" }
  | { readonly kind: "unavailable"; readonly detail: string };

/** What an order needs to know of an authority beforehand. */
export interface Reach {
  /** The URL of its directory. */
  readonly directory: string;
  /** Its names in CAA records; empty if it does not say, or never could be reached. */
  readonly caaIdentities: readonly string[];
  /** Why it cannot be reached; undefined if it can. */
  readonly refusal: AuthorityRefusal | undefined;
}

/** No method throws for errors of the network or the authority. All may be called concurrently. */
export interface CertificateAuthority {
  /**
   * Which authorities can be reached, the preferred one first. Cheap in an outage, too: many domains
   * ask.
   */
  reach(): Promise<readonly Reach[]>;
  /**
   * One order to its end, for exactly this host, with a private key of its own, by one of the
   * authorities with these directories.
   */
  order(request: OrderRequest, directories: readonly string[]): Promise<OrderOutcome>;
  /** When the authority that issued this certificate wants it replaced. */
  renewalWindow(renewalName: string, directory: string | undefined): Promise<RenewalWindow>;
}

export interface AcmeAccount {
  /** The URL of the authority's directory; of an external account, where it was made. */
  readonly directory: string;
  /** Of an external account, its key id. */
  readonly url: string;
  readonly sealedKey: string;
}

/** Accounts are stored in the database, so that every worker uses the same one. */
export interface AcmeAccounts {
  account(directory: string): MaybePromise<AcmeAccount | undefined>;
  /** Stores it unless there is one for this directory; resolves with the stored one. */
  keepAccount(account: AcmeAccount): Promise<AcmeAccount>;
}
