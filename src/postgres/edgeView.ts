import type { Edge, EdgeView, Route, ServedCertificate } from "../domains/edgeView.ts";
import { noRouting, type Routing } from "../domains/routing.ts";
import type { Database } from "./database.ts";
import { failing } from "./failures.ts";
import { GatheredLookUps } from "./gatheredLookUps.ts";
import { byText, hasNul } from "./texts.ts";

type RouteRow = [host: string, project: string, deployment: string, routing: string | null];
type CertificateRow = [host: string, id: string, chainPem: string, sealedKey: string];
type EdgeRow = [id: string, address: string, httpPort: bigint, revision: bigint, seenAtMs: bigint];

/**
 * Remembers nothing: each look-up is answered by a statement that was sent after it was asked for,
 * so that a removal holds everywhere as soon as it is committed. What makes it fast is that
 * look-ups of one moment share a statement.
 */
export class PostgresEdgeView implements EdgeView {
  readonly #database: Database;
  readonly #routes: GatheredLookUps<Route>;
  readonly #certificates: GatheredLookUps<ServedCertificate>;

  constructor(database: Database) {
    this.#database = database;
    this.#routes = new GatheredLookUps(async (hosts) => {
      const rows = await this.#read<RouteRow>(findRoutes, [hosts]);
      return new Map(rows.map((row) => [row[0], routeFrom(row)]));
    });
    this.#certificates = new GatheredLookUps(async (hosts) => {
      const rows = await this.#read<CertificateRow>(findServedCertificates, [hosts]);
      return new Map(
        rows.map(([host, id, chainPem, sealedKey]) => [host, { id, chainPem, sealedKey }]),
      );
    });
  }

  route(host: string): Promise<Route | undefined> {
    return this.#routes.get(host);
  }

  certificate(host: string): Promise<ServedCertificate | undefined> {
    return this.#certificates.get(host);
  }

  async challenge(host: string, token: string, nowMs: number): Promise<string | undefined> {
    if (hasNul(host) || hasNul(token)) return undefined;
    const rows = await this.#read<[keyAuthorization: string]>(findChallenge, [host, token, nowMs]);
    return rows[0]?.[0];
  }

  async revision(): Promise<number> {
    const [row] = await this.#read<[revision: bigint]>(readEdgeRevision);
    return Number(row?.[0]);
  }

  async reportEdge({ id, address, httpPort, revision, seenAtMs }: Edge): Promise<void> {
    await failing(this.#database.write(report, [id, address, httpPort, revision, seenAtMs]));
  }

  async edges(sinceMs: number): Promise<readonly Edge[]> {
    const rows = await this.#read<EdgeRow>(listEdges, [sinceMs]);
    return rows.map(edgeFrom).sort(byText(({ id }) => id));
  }

  async forgetEdge(id: string): Promise<void> {
    await failing(this.#database.write("DELETE FROM edges WHERE id = $1", [id]));
  }

  #read<Row extends unknown[]>(query: string, values: readonly unknown[] = []): Promise<Row[]> {
    return failing(this.#database.read<Row>(query, values));
  }
}

function routeFrom([host, project, deployment, text]: RouteRow): Route {
  const { primary, redirects }: Routing = text === null ? noRouting : JSON.parse(text);
  const redirect = redirects.find(({ from }) => from === host);
  return redirect === undefined
    ? { kind: "site", project, deployment, primary }
    : { kind: "redirect", to: redirect.to, status: redirect.status };
}

function edgeFrom([id, address, httpPort, revision, seenAtMs]: EdgeRow): Edge {
  return {
    id,
    address,
    httpPort: Number(httpPort),
    revision: Number(revision),
    seenAtMs: Number(seenAtMs),
  };
}

const served = `JOIN owners ON owners.id = domains.owner_id AND owners.plan = 'paid'
  JOIN projects ON projects.slug = domains.project AND projects.current IS NOT NULL`;
const whereHeld = `WHERE domains.host = ANY($1::text[]) AND domains.ownership = 'held'
  AND domains.served`;
export const findRoutes = `SELECT domains.host, domains.project, projects.current,
    project_routing.routing
  FROM domains ${served}
  LEFT JOIN project_routing ON project_routing.project = domains.project ${whereHeld}`;
export const findServedCertificates = `SELECT domains.host, certificates.id,
    certificates.chain_pem, certificates.sealed_key
  FROM domains ${served}
  JOIN certificates ON certificates.id = domains.certificate_id ${whereHeld}`;
export const findChallenge = `SELECT key_authorization FROM challenges
  WHERE host = $1 AND token = $2 AND expires_at_ms > $3`;
export const listEdges = `SELECT id, address, http_port, revision, seen_at_ms FROM edges
  WHERE seen_at_ms >= $1`;
// Plans and deployments move the other one. Both only grow, so their sum does with each of them.
export const readEdgeRevision = `SELECT sum(value)::int8 FROM counters
  WHERE name IN ('edge_revision', 'site_revision')`;

const report = `INSERT INTO edges (id, address, http_port, revision, seen_at_ms)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET address = excluded.address, http_port = excluded.http_port,
    revision = excluded.revision, seen_at_ms = excluded.seen_at_ms`;
