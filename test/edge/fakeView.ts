import type {
  Edge,
  EdgeView,
  Route,
  ServedCertificate,
} from "../../src/hosting/domains/edgeView.ts";

/** What is served, in memory, to be changed at will. */
export class FakeView implements EdgeView {
  readonly routes = new Map<string, Route>();
  readonly certificates = new Map<string, ServedCertificate>();
  readonly challenges = new Map<string, { keyAuthorization: string; expiresAtMs: number }>();
  readonly reported = new Map<string, Edge>();
  reports = 0;
  /** When set, everything that is asked fails with it, as a database does that is away. */
  failure: Error | undefined;
  /** Every look-up that was made, for hosts that must not have been looked up. */
  readonly asked: string[] = [];
  /** Set where a test wants a store that knows its revision at once. */
  revisionNow?: () => number;
  #revision = 1;

  attach(host: string, route: Route, certificate: ServedCertificate): void {
    this.routes.set(host, route);
    this.certificates.set(host, certificate);
    this.#revision += 1;
  }

  remove(host: string): void {
    this.routes.delete(host);
    this.certificates.delete(host);
    this.#revision += 1;
  }

  publish(host: string, token: string, keyAuthorization: string, expiresAtMs = Infinity): void {
    this.challenges.set(`${host} ${token}`, { keyAuthorization, expiresAtMs });
  }

  // Some answer at once and some later, as stores do.
  route(host: string): Route | undefined {
    this.#ask(host);
    return this.routes.get(host);
  }

  async certificate(host: string): Promise<ServedCertificate | undefined> {
    this.#ask(host);
    return this.certificates.get(host);
  }

  async challenge(host: string, token: string, nowMs: number): Promise<string | undefined> {
    this.#ask(host);
    const found = this.challenges.get(`${host} ${token}`);
    return found !== undefined && found.expiresAtMs > nowMs ? found.keyAuthorization : undefined;
  }

  revision(): number {
    this.#ask("");
    return this.#revision;
  }

  async reportEdge(edge: Edge): Promise<void> {
    this.#ask("");
    this.reports += 1;
    this.reported.set(edge.id, edge);
  }

  edges(sinceMs: number): readonly Edge[] {
    return [...this.reported.values()].filter(({ seenAtMs }) => seenAtMs >= sinceMs);
  }

  async forgetEdge(id: string): Promise<void> {
    this.#ask("");
    this.reported.delete(id);
  }

  #ask(host: string): void {
    if (host !== "") this.asked.push(host);
    if (this.failure !== undefined) throw this.failure;
  }
}
