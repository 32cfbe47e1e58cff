/** Domains as rows: what the reads and the commands have in common. */
import { type Domain, isServed } from "../domains/domain.ts";
import type { StoredDomain } from "../domains/domains.ts";

/** Of each domain, the columns of `DomainRow`. The owner's standing is asked at the same instant. */
export const selectDomains = `SELECT domains.state, domains.version,
    owners.plan = 'paid' AS paid, projects.current IS NOT NULL AS deployed
  FROM domains
  JOIN owners ON owners.id = domains.owner_id
  JOIN projects ON projects.slug = domains.project`;

export type DomainRow = [state: string, version: number, paid: number, deployed: number];

export function storedFrom([state, version, paid, deployed]: DomainRow): StoredDomain {
  const standing = { paid: paid === 1, deployed: deployed === 1 };
  return { domain: JSON.parse(state), version, standing };
}

/** What the columns repeat of a domain. */
export interface DomainColumns {
  readonly id: string;
  readonly host: string;
  readonly project: string;
  readonly ownerId: string;
  readonly ownership: Domain["ownership"]["kind"];
  readonly endedAtMs: number | null;
  readonly served: 0 | 1;
  readonly certificateId: string | null;
  readonly state: string;
}

export function columnsOf(domain: Domain): DomainColumns {
  const { id, host, project, ownerId, ownership, certificate } = domain;
  return {
    id,
    host,
    project,
    ownerId,
    ownership: ownership.kind,
    endedAtMs: "atMs" in ownership ? ownership.atMs : null,
    served: isServed(domain) ? 1 : 0,
    certificateId: certificate.held?.id ?? null,
    state: JSON.stringify(domain),
  };
}
