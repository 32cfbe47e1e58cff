import { then } from "../../core/maybePromise.ts";
import type { HstsPolicy } from "../../hosting/domains/domain.ts";
import { noRouting } from "../../hosting/domains/domains.ts";
import {
  type Edge,
  type EdgeView,
  routeFor,
  type ServedCertificate,
} from "../../hosting/domains/edgeView.ts";
import { byText, type LookUp, type Storage, type Writes } from "./storage.ts";

/** Nothing is cached: a removal takes effect everywhere as soon as it is committed. */
export function edgeViewRepository(storage: Storage): EdgeView {
  const { edgeRevisionNow } = storage;
  return {
    route: (host, nowMs = 0) =>
      then(storage.lookUp(findRoute, host), (row) => {
        if (row === undefined) return undefined;
        const { project, deployment, hsts } = row;
        const prepared = row.prepared === 1 ? true : undefined;
        const routing = row.routing === undefined ? noRouting : JSON.parse(row.routing);
        return routeFor(host, { project, deployment, hsts, prepared, routing }, (target) =>
          then(
            storage.lookUp(findReached, target),
            (found) => found?.project === project && found.notAfterMs > nowMs,
          ),
        );
      }),
    certificate: (host) => storage.lookUp(findServedCertificate, host),
    challenge: (host, token, nowMs) =>
      then(
        storage.get<{ keyAuthorization: string }>(findChallenge, [host, token, nowMs]),
        (row) => row?.keyAuthorization,
      ),
    revision: () => storage.edgeRevision(),
    ...(edgeRevisionNow && { revisionNow: edgeRevisionNow.bind(storage) }),
    reportEdge: (edge) => storage.write("reportEdge", edge),
    edges: (sinceMs) =>
      then(storage.all<Edge>(listEdges, [sinceMs]), (edges) => edges.sort(byText(({ id }) => id))),
    forgetEdge: (id) => storage.write("forgetEdge", id),
  };
}

export const edgeWrites = {
  async reportEdge(tx, edge: Edge): Promise<void> {
    const { id, address, httpPort, revision, seenAtMs } = edge;
    await tx.run(
      `INSERT INTO edges (id, address, http_port, revision, seen_at_ms)
       VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT (id) DO UPDATE SET address = excluded.address, http_port = excluded.http_port,
         revision = excluded.revision, seen_at_ms = excluded.seen_at_ms`,
      [id, address, httpPort, revision, seenAtMs],
    );
  },

  async forgetEdge(tx, id: string): Promise<void> {
    await tx.run("DELETE FROM edges WHERE id = ?1", [id]);
  },
} satisfies Writes;

interface RouteRow {
  readonly host: string;
  readonly project: string;
  readonly deployment: string;
  readonly hsts: HstsPolicy | undefined;
  readonly prepared: number | undefined;
  readonly routing: string | undefined;
}

const standing = `JOIN owners ON owners.id = domains.owner_id AND owners.plan = 'paid'
  JOIN projects ON projects.slug = domains.project AND projects.current IS NOT NULL`;
const whereServed = `WHERE domains.host = ANY(?1) AND domains.ownership = 'held'
  AND domains.served`;

export const findRoute: LookUp<RouteRow> = {
  text: `SELECT domains.host, domains.project, projects.current AS deployment, domains.hsts,
      domains.prepared, project_routing.routing
    FROM domains ${standing}
    LEFT JOIN project_routing ON project_routing.project = domains.project ${whereServed}`,
  keyOf: ({ host }) => [host],
};
/** What visitors may be led to, for as long as its certificate is valid. */
export const findReached: LookUp<{ host: string; project: string; notAfterMs: number }> = {
  text: `SELECT domains.host, domains.project, certificates.not_after_ms AS "notAfterMs"
    FROM domains ${standing}
    JOIN certificates ON certificates.id = domains.certificate_id ${whereServed}
    AND domains.prepared IS NOT TRUE`,
  keyOf: ({ host }) => [host],
};
export const findServedCertificate: LookUp<ServedCertificate> = {
  text: `SELECT domains.host, certificates.id, certificates.chain_pem AS "chainPem",
      certificates.sealed_key AS "sealedKey", domains.hsts
    FROM domains
    JOIN certificates ON certificates.id = domains.certificate_id ${whereServed}`,
  keyOf: ({ host }) => [host],
};
export const findChallenge = `SELECT key_authorization AS "keyAuthorization" FROM challenges
  WHERE host = ?1 AND token = ?2 AND expires_at_ms > ?3`;
const listEdges = `SELECT id, address, http_port AS "httpPort", revision, seen_at_ms AS "seenAtMs"
  FROM edges WHERE seen_at_ms >= ?1`;
