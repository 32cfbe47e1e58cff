import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Edge, EdgeView, Route, ServedCertificate } from "../domains/edgeView.ts";
import { noRouting, type Routing } from "../domains/routing.ts";
import { reading } from "./failures.ts";
import type { RevisionReader } from "./revisions.ts";
import type { Writer } from "./writer.ts";

type RouteRow = [project: string, deployment: string, routing: string | null];
type CertificateRow = [id: string, chainPem: string, sealedKey: string];
type EdgeRow = [id: string, address: string, httpPort: number, revision: number, seenAtMs: number];

export class SqliteEdgeView implements EdgeView {
  readonly #writer: Writer;
  readonly #findRoute: StatementSync;
  readonly #findCertificate: StatementSync;
  readonly #findChallenge: StatementSync;
  readonly #listEdges: StatementSync;
  readonly #revisions: RevisionReader;

  constructor(db: DatabaseSync, writer: Writer, revisions: RevisionReader) {
    this.#writer = writer;
    this.#revisions = revisions;
    const prepare = (query: string) => {
      const statement = db.prepare(query);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#findRoute = prepare(findRoute);
    this.#findCertificate = prepare(findServedCertificate);
    this.#findChallenge = prepare(findChallenge);
    this.#listEdges = prepare(listEdges);
  }

  route(host: string): Route | undefined {
    const row = reading(() => this.#findRoute.get(host)) as RouteRow | undefined;
    if (row === undefined) return undefined;
    const [project, deployment, text] = row;
    const { primary, redirects }: Routing = text === null ? noRouting : JSON.parse(text);
    const redirect = redirects.find(({ from }) => from === host);
    if (redirect !== undefined) {
      return { kind: "redirect", to: redirect.to, status: redirect.status };
    }
    return { kind: "site", project, deployment, primary };
  }

  certificate(host: string): ServedCertificate | undefined {
    const row = reading(() => this.#findCertificate.get(host)) as CertificateRow | undefined;
    return row && { id: row[0], chainPem: row[1], sealedKey: row[2] };
  }

  challenge(host: string, token: string, nowMs: number): string | undefined {
    const row = reading(() => this.#findChallenge.get(host, token, nowMs));
    return (row as [string] | undefined)?.[0];
  }

  /** Plans and deployments move the other one. Both only grow, so their sum does with each. */
  revision(): number {
    const { edge_revision, site_revision } = this.#revisions.read();
    return edge_revision + site_revision;
  }

  /** A commit shows in the index of the log, and only then is anything asked of SQLite. */
  revisionNow(): number {
    return this.revision();
  }

  reportEdge(edge: Edge): Promise<void> {
    return this.#writer.submit("reportEdge", edge);
  }

  edges(sinceMs: number): readonly Edge[] {
    const rows = reading(() => this.#listEdges.all(sinceMs)) as unknown as EdgeRow[];
    return rows.map(([id, address, httpPort, revision, seenAtMs]) => ({
      id,
      address,
      httpPort,
      revision,
      seenAtMs,
    }));
  }

  forgetEdge(id: string): Promise<void> {
    return this.#writer.submit("forgetEdge", id);
  }
}

const served = `JOIN owners ON owners.id = domains.owner_id AND owners.plan = 'paid'
  JOIN projects ON projects.slug = domains.project AND projects.current IS NOT NULL`;
export const findRoute = `SELECT domains.project, projects.current, project_routing.routing
  FROM domains ${served}
  LEFT JOIN project_routing ON project_routing.project = domains.project
  WHERE domains.host = ? AND domains.ownership = 'held' AND domains.served = 1`;
export const findServedCertificate = `SELECT certificates.id, certificates.chain_pem,
    certificates.sealed_key
  FROM domains ${served}
  JOIN certificates ON certificates.id = domains.certificate_id
  WHERE domains.host = ? AND domains.ownership = 'held' AND domains.served = 1`;
export const findChallenge = `SELECT key_authorization FROM challenges
  WHERE host = ? AND token = ? AND expires_at_ms > ?`;
export const listEdges = `SELECT id, address, http_port, revision, seen_at_ms FROM edges
  WHERE seen_at_ms >= ? ORDER BY id`;
