/** The one status that people see of a domain: a meaning, and a word for it. */
import type { Domain, DomainStatus } from "../../../contract/generated/platform.ts";
import type { Meaning } from "../parts/notice.tsx";

interface StatusWords {
  readonly meaning: Meaning;
  readonly words: string;
}

const all: Readonly<Record<DomainStatus, StatusWords>> = {
  pending_dns: { meaning: "waiting", words: "Waiting for DNS" },
  misconfigured: { meaning: "trouble", words: "DNS needs a change" },
  verified: { meaning: "waiting", words: "DNS is right" },
  issuing: { meaning: "waiting", words: "Getting a certificate" },
  certificate_delayed: { meaning: "waiting", words: "Certificate delayed" },
  blocked: { meaning: "trouble", words: "Certificate refused" },
  live: { meaning: "fine", words: "Live" },
  degraded: { meaning: "trouble", words: "Live, but DNS has changed" },
  renewal_failing: { meaning: "trouble", words: "Live, but renewal fails" },
  suspended: { meaning: "trouble", words: "Suspended" },
  abandoned: { meaning: "neutral", words: "Given up" },
  removed: { meaning: "neutral", words: "Removed" },
};

export const statusWords = (status: DomainStatus): StatusWords => all[status];

export function wordsOf({ status, role }: Pick<Domain, "status" | "role">): StatusWords {
  if (status === "live" && role.kind === "redirect") {
    return { meaning: "fine", words: `Redirects to ${role.to} (${role.status})` };
  }
  return all[status];
}

/** Whether nothing is awaited of it: the row alone says all. */
export const isSettled = ({ status }: Pick<Domain, "status">): boolean =>
  status === "live" || status === "abandoned" || status === "removed";

export const isServed = ({ status }: Pick<Domain, "status">): boolean =>
  status === "live" || status === "degraded" || status === "renewal_failing";
