/** What the service's API for the dashboard answers. Instants are text (RFC 3339), or end with Ms. */

export interface Session {
  readonly actor: Actor;
  readonly expiresAtMs: number;
}

export interface Actor {
  readonly kind: "operator" | "owner";
  readonly id: string;
  readonly name: string;
}

export interface OpenSession {
  readonly id: string;
  readonly agent: string;
  readonly createdAtMs: number;
  readonly seenAtMs: number;
  readonly expiresAtMs: number;
  /** The one that asks. */
  readonly current: boolean;
}

export interface Invitation {
  readonly link: string;
  readonly expiresAtMs: number;
}

export type Plan = "free" | "paid";

export interface ProjectLine {
  readonly slug: string;
  readonly owner: string;
  readonly plan: Plan | null;
  readonly createdAt: string;
  readonly current: string | null;
}

export interface Deployment {
  readonly id: string;
  readonly state: "queued" | "building" | "ready" | "failed";
  readonly createdAt: string;
  readonly files: number;
  readonly bytes: number;
  readonly failure: string | null;
}

export interface Project {
  readonly slug: string;
  readonly ownerId: string;
  readonly plan: Plan;
  readonly createdAt: string;
  readonly current: string | null;
  readonly address: string;
  readonly deployments: readonly Deployment[];
}

export type DomainStatus =
  | "pending_dns"
  | "misconfigured"
  | "verified"
  | "issuing"
  | "certificate_delayed"
  | "blocked"
  | "live"
  | "degraded"
  | "renewal_failing"
  | "suspended"
  | "abandoned"
  | "removed";

export interface RecordToCreate {
  readonly type: "CNAME" | "ALIAS" | "TXT";
  readonly name: string;
  readonly fullName: string;
  readonly value: string;
  readonly ttlSeconds: number;
  readonly note?: string | null;
}

export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly next?: string | null;
  readonly found?: readonly string[] | null;
  readonly expected?: readonly string[] | null;
  readonly at?: readonly string[] | null;
  readonly seconds?: number | null;
  readonly until?: string | null;
}

export type Role =
  | { readonly kind: "primary" }
  | { readonly kind: "site" }
  | { readonly kind: "redirect"; readonly to: string; readonly status: number };

export interface Certificate {
  readonly issuer: string;
  readonly notBefore: string;
  readonly notAfter: string;
  readonly renewAt: string | null;
  readonly window: { readonly start: string; readonly end: string } | null;
}

export interface Domain {
  readonly id: string;
  readonly host: string;
  readonly unicodeHost: string;
  readonly project: string;
  readonly status: DomainStatus;
  readonly step: "dns" | "certificate" | "live" | "none";
  readonly records: readonly RecordToCreate[];
  readonly findings: readonly Finding[];
  readonly role: Role;
  readonly certificate: Certificate | null;
  readonly addedAt: string;
  readonly checkedAt: string | null;
  readonly nextAt: string;
  readonly retryAt: string | null;
}

export interface TimelineEntry {
  readonly at: string;
  readonly event: string;
  readonly message: string;
  readonly findings: readonly Finding[];
  readonly answers: readonly string[];
}

/** What is used of a limit of the authority, such as `certificates for this name within a week`. */
export interface UsedLimit {
  readonly words: string;
  readonly used: number;
  readonly max: number;
  readonly until: string | null;
}

export interface DomainDetails extends Domain {
  readonly budget: readonly UsedLimit[];
  readonly timeline: readonly TimelineEntry[];
}

export interface Redirect {
  readonly from: string;
  readonly to: string;
  readonly status: number;
}

export interface Routing {
  readonly primary: string | null;
  readonly redirects: readonly Redirect[];
}

export interface DeprecatedUse {
  readonly operation: string;
  readonly count: number;
  readonly lastAt: string;
  readonly sunsetAt: string;
  readonly successor: string;
}

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly scopes: "all" | readonly string[];
  readonly state: "active" | "expired" | "revoked";
  readonly replacedBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  /** Made by the dashboard for itself. */
  readonly dashboard: boolean;
  readonly deprecatedUses: readonly DeprecatedUse[];
}

export interface Keys {
  readonly scopes: readonly string[];
  readonly keys: readonly Key[];
}

export interface MintedKey {
  readonly key: Key;
  readonly token: string;
}

export interface Series {
  readonly stepSeconds: number;
  readonly from: string;
  readonly requests: readonly number[];
  readonly errors: readonly number[];
  readonly p50Ms: readonly (number | null)[];
  readonly p99Ms: readonly (number | null)[];
  readonly commits: readonly number[];
  readonly writes: readonly number[];
}

export interface CertificateHealth {
  readonly host: string;
  readonly project: string;
  readonly status: DomainStatus;
  readonly notAfter: string | null;
  readonly renewAt: string | null;
}

export interface Overview {
  /** Null for those who see only their own projects. */
  readonly series: Series | null;
  readonly certificates: readonly CertificateHealth[];
  readonly projects: number;
  readonly ready: boolean;
  readonly trouble: string | null;
}

export interface Owner {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly projects?: number | null;
  /** Whether they have chosen a password yet. */
  readonly welcomed?: boolean | null;
}
