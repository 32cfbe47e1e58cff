import { type Clock, systemClock } from "../../src/core/clock.ts";
import { MetricsRegistry, metricsText } from "../../src/core/metrics.ts";
import { Vault } from "../../src/core/vault.ts";
import { type EdgeLimits, startEdge } from "../../src/hosting/edge/edge.ts";
import type { OwnName, ServeSite } from "../../src/hosting/edge/requestHandler.ts";
import type { Traffic } from "../../src/wire/connections.ts";
import { createAuthority } from "./certificates.ts";
import { FakeView } from "./fakeView.ts";

export interface LoggedEvent {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface TestEdge {
  readonly view: FakeView;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly logged: LoggedEvent[];
  readonly traffic: Traffic;
  /** What it exposes at /metrics. */
  readonly metrics: () => string;
  /** What the clients of a test trust. */
  readonly ca: string;
  /** Gives the service's own name its certificate. */
  certifyOwn(): void;
  /** Attaches a host that shows a deployment, with a certificate of its own. */
  attach(host: string, primary?: string): void;
  redirect(host: string, to: string, status: 301 | 302 | 307 | 308): void;
  /** Another certificate for a host that is attached. */
  renew(host: string): void;
  stop(graceMs?: number, idleMs?: number): Promise<void>;
}

const authority = createAuthority();

/** Says which deployment answered, and what it was asked. */
export const echo: ServeSite = (request, deployment) => ({
  status: 200,
  headers: { "content-type": "text/plain", "x-agent": request.header("user-agent") ?? "" },
  body: new TextEncoder().encode(`${deployment} ${request.method} ${request.path}${request.query}`),
});

export async function startTestEdge({
  clock = systemClock,
  limits = {},
  serveSite = echo,
  publicHttpsPort = 443,
  proxyProtocol = false,
  own,
}: {
  clock?: Clock;
  limits?: Partial<EdgeLimits>;
  serveSite?: ServeSite;
  publicHttpsPort?: number;
  proxyProtocol?: boolean;
  own?: OwnName;
} = {}): Promise<TestEdge> {
  const view = new FakeView();
  const vault = new Vault("what only this test knows", systemClock);
  const logged: LoggedEvent[] = [];
  const registry = new MetricsRegistry();
  const note = (event: string, fields: LoggedEvent["fields"] = {}) =>
    void logged.push({ event, fields });
  const edge = await startEdge({
    view,
    vault,
    clock,
    log: { info: note, warn: note, error: note, writes: () => true, flush: () => {} },
    serveSite,
    own,
    id: "edge-1",
    host: "127.0.0.1",
    httpPort: 0,
    httpsPort: 0,
    publicHttpsPort,
    reachableAt: "127.0.0.1",
    limits,
    proxyProtocol,
    metrics: registry,
  });
  let issued = 0;
  const certify = (host: string) => {
    issued += 1;
    return authority.issue(host, `crt_${issued}`, vault);
  };
  return {
    view,
    httpPort: edge.httpPort,
    httpsPort: edge.httpsPort,
    logged,
    get traffic() {
      return edge.traffic;
    },
    metrics: () => metricsText(registry.families()),
    ca: authority.certificatePem,
    certifyOwn() {
      if (own !== undefined) view.certificates.set(own.host, certify(own.host));
    },
    attach(host, primary) {
      const route = { kind: "site", project: "p", deployment: `dep_${host}`, primary } as const;
      view.attach(host, route, certify(host));
    },
    redirect(host, to, status) {
      view.attach(host, { kind: "redirect", to, status }, certify(host));
    },
    renew(host) {
      const route = view.routes.get(host);
      if (route === undefined) throw new Error(`${host} is not attached.`);
      view.attach(host, route, certify(host));
    },
    stop: (graceMs = 1_000, idleMs = 0) => edge.stop(graceMs, idleMs),
  };
}
