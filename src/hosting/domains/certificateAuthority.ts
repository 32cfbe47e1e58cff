/** What we ask of a certificate authority. */
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { TimeWindow } from "./domain.ts";

/** The name that a wildcard is below; undefined for a name that is none. */
export function wildcardBase(host: string): string | undefined {
  return host.startsWith("*.") ? host.slice(2) : undefined;
}

/** How the authority is to check a host: only DNS can speak for all names below one. */
export function challengeType(host: string): "http-01" | "dns-01" {
  return wildcardBase(host) === undefined ? "http-01" : "dns-01";
}

/** What the authority will fetch over HTTP from the host, or look up in DNS (RFC 8555, section 8). */
export interface Challenge {
  readonly host: string;
  readonly token: string;
  readonly keyAuthorization: string;
}

export interface OrderRequest {
  readonly host: string;
  /** The renewal name of the certificate that this one replaces (RFC 9773, section 5). */
  readonly replaces: string | undefined;
  /**
   * Called before the authority is asked to validate. It resolves when every edge can answer; when it
   * rejects, the order is left without having been tried, and the outcome is `abandoned`.
   */
  publish(challenge: Challenge): Promise<void>;
  /** Aborted when the right to order was lost. The outcome is then `abandoned`. */
  readonly signal: AbortSignal;
}

export type RefusalReason =
  /** A CAA record forbids it. */
  | "caa"
  | "rate_limited"
  /** The authority will not issue for this name, or not to this account. */
  | "policy"
  /** The authority looked, and did not find what it should. Counts against its limits. */
  | "authorization_failed"
  /** The authority cannot be reached, or fails. */
  | "unavailable"
  | "abandoned";

export interface AuthorityRefusal {
  readonly reason: RefusalReason;
  /** What the authority said, as plain text of at most 500 characters. */
  readonly detail: string;
  /** When the authority said to come back. */
  readonly retryAtMs: number | undefined;
}

export type OrderOutcome =
  | {
      readonly kind: "issued";
      /** The certificate first, then those that lead to the root. */
      readonly chainPem: string;
      readonly privateKeyPem: string;
    }
  | { readonly kind: "refused"; readonly refusal: AuthorityRefusal };

export type RenewalWindow =
  | (TimeWindow & { readonly kind: "window"; readonly askAgainAtMs: number })
  /** This authority does not say. */
  | { readonly kind: "not_offered" }
  | { readonly kind: "unavailable"; readonly detail: string };

/** No method throws for what the network or the authority does. All may be called concurrently. */
export interface CertificateAuthority {
  /** The names by which a CAA record permits this authority; undefined while it does not say. */
  caaIdentities(): Promise<readonly string[] | undefined>;
  /** One order from beginning to end, for exactly this host, with a new private key. */
  order(request: OrderRequest): Promise<OrderOutcome>;
  /** When the authority wants this certificate replaced. */
  renewalWindow(renewalName: string): Promise<RenewalWindow>;
}

export interface AcmeAccount {
  /** The address of the authority's directory. */
  readonly directory: string;
  readonly url: string;
  readonly sealedKey: string;
}

/** Accounts are kept in the database, so that every worker orders with the same one. */
export interface AcmeAccounts {
  account(directory: string): MaybePromise<AcmeAccount | undefined>;
  /** Keeps it unless there is one for this directory; resolves with the one that is kept. */
  keepAccount(account: AcmeAccount): Promise<AcmeAccount>;
}
