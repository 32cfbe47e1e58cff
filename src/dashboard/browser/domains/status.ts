/** The status of a domain as shown: a tone and a label. */
import type { Domain, DomainStatus, HstsPolicy } from "../../../contract/generated/platform.ts";
import type { Tone } from "../../../docs/icons.ts";

interface StatusLabel {
  readonly tone: Tone;
  readonly label: string;
}

export const statusLabels: Readonly<Record<DomainStatus, StatusLabel>> = {
  pending_dns: { tone: "waiting", label: "Waiting for DNS" },
  misconfigured: { tone: "trouble", label: "DNS needs a change" },
  verified: { tone: "waiting", label: "DNS is right" },
  issuing: { tone: "waiting", label: "Getting a certificate" },
  certificate_delayed: { tone: "trouble", label: "Certificate delayed" },
  blocked: { tone: "trouble", label: "Certificate refused" },
  prepared: { tone: "waiting", label: "Ready to switch" },
  live: { tone: "fine", label: "Live" },
  degraded: { tone: "trouble", label: "Live, but DNS has changed" },
  renewal_failing: { tone: "trouble", label: "Live, but renewal fails" },
  suspended: { tone: "trouble", label: "Suspended" },
  abandoned: { tone: "neutral", label: "Given up" },
  removed: { tone: "neutral", label: "Removed" },
};

export function statusOf({ status, role }: Pick<Domain, "status" | "role">): StatusLabel {
  if (status === "live" && role.kind === "redirect" && !role.held) {
    return { tone: "fine", label: `Redirects to ${role.to} (${role.status})` };
  }
  return statusLabels[status];
}

/** What the role waits for; undefined if it is in effect. */
export function heldText({ role }: Pick<Domain, "role">): string | undefined {
  if (role.kind === "site" || !role.held) return undefined;
  return role.kind === "primary"
    ? "Primary: held until it is live"
    : `Redirect to ${role.to} (${role.status}): held until ${role.to} is live`;
}

export const servedStatuses: readonly DomainStatus[] = ["live", "degraded", "renewal_failing"];

/** Listed for a while after it was given up. */
export const isAbandoned = ({ status }: Pick<Domain, "status">): boolean => status === "abandoned";

export const isServed = ({ status }: Pick<Domain, "status">): boolean =>
  servedStatuses.includes(status);

const withTone = (tone: Tone): DomainStatus[] =>
  (Object.keys(statusLabels) as DomainStatus[]).filter(
    (status) => statusLabels[status].tone === tone,
  );

const { removed: _, ...listed } = statusLabels;

/** What a list of domains can be filtered by, and the statuses that it stands for. */
export const statusFilters: Readonly<
  Record<string, { readonly label: string; readonly statuses: readonly DomainStatus[] }>
> = {
  all: { label: "All statuses", statuses: [] },
  trouble: { label: "Needs attention", statuses: withTone("trouble") },
  waiting: { label: "In progress", statuses: withTone("waiting") },
  ...Object.fromEntries(
    Object.entries(listed).map(([status, { label }]) => [
      status,
      { label, statuses: [status as DomainStatus] },
    ]),
  ),
};

/** For how long browsers insist on HTTPS. */
export const hstsLabels: Readonly<Record<HstsPolicy, string>> = {
  off: "Off",
  day: "For a day",
  year: "For a year",
  subdomains: "For a year, with all subdomains",
};
