/** Domains as rows: what the reads and the writes have in common. */
import { type Domain, isServed } from "../domains/domain.ts";
import type { StoredDomain } from "../domains/domains.ts";

/** The columns of `DomainRow`. The owner's standing is asked at the same instant. */
export const domainColumns = `domains.state, domains.version, owners.plan = 'paid',
  projects.current IS NOT NULL`;
export const selectDomains = `SELECT ${domainColumns} FROM domains
  JOIN owners ON owners.id = domains.owner_id
  JOIN projects ON projects.slug = domains.project`;

export type DomainRow = [state: string, version: bigint, paid: boolean, deployed: boolean];

export function storedFrom([state, version, paid, deployed]: DomainRow): StoredDomain {
  return { domain: JSON.parse(state), version: Number(version), standing: { paid, deployed } };
}

/** What the columns repeat of a domain. */
export interface DomainColumns {
  readonly id: string;
  readonly host: string;
  readonly project: string;
  readonly ownerId: string;
  readonly ownership: Domain["ownership"]["kind"];
  readonly endedAtMs: number | null;
  readonly served: boolean;
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
    served: isServed(domain),
    certificateId: certificate.held?.id ?? null,
    state: JSON.stringify(domain),
  };
}
