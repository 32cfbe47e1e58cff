/** The HTTP and HTTPS listeners that answer for attached domains. */
import type { Clock } from "../../core/clock.ts";
import type { Log, LogLevel } from "../../core/log.ts";
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import { MetricsRegistry } from "../../core/metrics.ts";
import { parseTraceparent } from "../../core/tracing.ts";
import type { Vault } from "../../core/vault.ts";
import { Connections, type Traffic } from "../../wire/connections.ts";
import type { Http2Limits } from "../../wire/http2.ts";
import { wireLimits } from "../../wire/limits.ts";
import {
  acceptHttp1,
  acceptProxied,
  listenOn,
  listenOnEach,
  type OpenListener,
} from "../../wire/listener.ts";
import type {
  HttpHandler,
  HttpRequest,
  HttpResponse,
  RequestHeaders,
  WireError,
} from "../../wire/message.ts";
import type { ProxyProtocol } from "../../wire/proxyProtocol.ts";
import { openAcknowledge } from "../../wire/sockets.ts";
import type { TrustedProxies } from "../../wire/trustedProxies.ts";
import type { EdgeView } from "../domains/edgeView.ts";
import { ChangeWatcher, HostConnections } from "./changeWatcher.ts";
import { EdgeMetrics, type Protocol } from "./edgeMetrics.ts";
import { type CertificateFiles, FileCertificate } from "./fileCertificate.ts";
import {
  createEdgeHandler,
  type OwnName,
  plainResponse,
  type ServeSite,
  securedOwn,
  unavailable,
} from "./requestHandler.ts";
import { CertificateContexts, createTlsServer } from "./tlsServer.ts";

interface EdgeOptions {
  readonly view: EdgeView;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Log;
  readonly serveSite: ServeSite;
  /** A certificate that the operator sees to, for names that have none in the store. */
  readonly certificateFile?: CertificateFiles | undefined;
  /** The service itself, under its own name. */
  readonly own?: OwnName | undefined;
  /** Tells this edge from the others. */
  readonly id: string;
  readonly host: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** What listens on the two ports already, opened by another process. */
  readonly http?: OpenListener | undefined;
  readonly https?: OpenListener | undefined;
  /** Where browsers reach the HTTPS listener; redirects lead there. */
  readonly publicHttpsPort: number;
  /** The address at which other processes dial the HTTP listener. */
  readonly reachableAt: string;
  readonly limits?: Partial<EdgeLimits>;
  readonly metrics?: MetricsRegistry | undefined;
  /** Those on this machine unless said. */
  readonly proxies?: TrustedProxies | undefined;
  /** Whether every connection begins with a header of the PROXY protocol, before TLS too. */
  readonly proxyProtocol?: boolean | undefined;
}

export interface RunningEdge {
  readonly traffic: Traffic;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly http: OpenListener;
  readonly https: OpenListener;
  /** Accepts on one more listening socket of each port. */
  accept(http: number, https: number): Promise<void>;
  /**
   * Takes no new connection, lets answers under way finish within the time, then ends them. Idle
   * connections are left open for `idleMs`.
   */
  stop(graceMs: number, idleMs?: number): Promise<void>;
}

export async function startEdge(parts: EdgeOptions): Promise<RunningEdge> {
  const { view, clock, id } = parts;
  const limits = { ...edgeLimits, ...parts.limits };
  const log = new ThrottledLog(parts.log, clock, limits.quietMs);
  const connections = new Connections(clock, limits, parts.proxies);
  const ownConnections = new Connections(clock, { ...limits, ...ownLimits }, parts.proxies);
  const hostConnections = new HostConnections();
  const contexts = new CertificateContexts(
    view,
    parts.vault,
    limits.contextsMax,
    parts.certificateFile && new FileCertificate(parts.certificateFile, clock, log),
  );
  const answering = createEdgeHandler({ ...parts, contexts, log });
  const metrics = new EdgeMetrics(parts.metrics ?? new MetricsRegistry());
  const countPlain = metrics.requestsOver("http", "http/1.1");
  const countSecured = {
    "http/1.1": metrics.requestsOver("https", "http/1.1"),
    h2: metrics.requestsOver("https", "h2"),
  };
  const plainHandler = createHandler(parts, log, false, countPlain, (request) =>
    answering.plain(request),
  );
  const ownHandler = parts.own && securedOwn(parts.own);
  const acknowledge = await openAcknowledge();
  const siteHandler = (
    host: string,
    client: string | undefined,
    protocol: Protocol,
  ): HttpHandler => ({
    ...createHandler(parts, log, true, countSecured[protocol], (request) =>
      answering.secured(request, host),
    ),
    cached(text) {
      const startedMs = clock.elapsed();
      const page = answering.cached(text, host);
      if (page === undefined) return undefined;
      const { path, response, prepared } = page;
      const request = { method: "GET", client, host, path };
      countSecured[protocol](response.status);
      logRequest(parts, true, request, response.status, startedMs);
      return prepared;
    },
  });
  // One for each socket: a server of node:tls has but one.
  const newSecured = () =>
    createTlsServer({
      contexts,
      connections,
      hostConnections,
      limits,
      log,
      metrics,
      acknowledge,
      handlerFor: (host, client, protocol) =>
        ownHandler !== undefined && host === parts.own?.host
          ? { handler: ownHandler, among: ownConnections }
          : { handler: siteHandler(host, client, protocol), among: connections },
    });
  // Such as too many open files: it goes on with those that it has.
  const acceptFailed = (cause: unknown) => log.error("edge.accept_failed", { cause });

  const { host } = parts;
  const httpAt = { host, port: parts.httpPort, ...parts.http };
  const httpsAt = { host, port: parts.httpsPort, ...parts.https };
  const refused: ProxyProtocol["refused"] = (reason, peer) =>
    log.warn("edge.connection_refused", { reason, peer });
  const proxyProtocol = parts.proxyProtocol ? { refused } : undefined;
  const plain = await listenOnEach(httpAt, (at) =>
    acceptHttp1(at, connections, plainHandler, proxyProtocol),
  ).catch(naming(parts.httpPort));
  const secured = await listenOnEach(httpsAt, (at) => {
    const server = newSecured();
    return proxyProtocol === undefined
      ? listenOn(server, at, acceptFailed)
      : acceptProxied(at, connections, proxyProtocol, (socket) =>
          server.emit("connection", socket),
        );
  }).catch((cause) => {
    plain.close();
    return naming(parts.httpsPort)(cause);
  });
  const httpsPort = secured.port;
  const self = { id, address: parts.reachableAt, httpPort: plain.port };
  const watch = new ChangeWatcher({ view, contexts, self, hostConnections, clock, log, limits });
  await watch.poll();
  parts.log.info("edge.started", { id, host: parts.host, httpPort: plain.port, httpsPort });

  return {
    httpPort: plain.port,
    httpsPort,
    http: { port: plain.port, sockets: plain.sockets },
    https: { port: httpsPort, sockets: secured.sockets },
    get traffic() {
      return sumTraffic(connections, ownConnections);
    },
    async accept(http, https) {
      await plain.accept(http);
      await secured.accept(https);
    },
    async stop(graceMs, idleMs) {
      plain.close();
      secured.close();
      const both = [connections, ownConnections];
      await Promise.all(both.map((each) => each.drain(graceMs, idleMs)));
      await watch.stop();
      parts.log.info("edge.stopped", { id });
    },
  };
}

function sumTraffic(one: Traffic, other: Traffic): Traffic {
  return {
    open: one.open + other.open,
    refused: one.refused + other.refused,
    receivedBytes: one.receivedBytes + other.receivedBytes,
    sentBytes: one.sentBytes + other.sentBytes,
  };
}

/** What is said to a message that is not a request. */
const refusals: Record<WireError, readonly [status: number, words: string]> = {
  malformed: [400, "This request cannot be understood."],
  host_invalid: [400, "This request needs one Host header with a host name."],
  timeout: [408, "This request did not arrive in time."],
  target_too_long: [414, "This address is too long."],
  headers_too_large: [431, "This request has too many headers, or too long ones."],
  coding_unsupported: [501, "This transfer coding is not implemented."],
  version_unsupported: [505, "This version of HTTP is not supported."],
  overloaded: [503, ""],
};

/** Answers and logs. */
function createHandler(
  parts: EdgeOptions,
  quietLog: ThrottledLog,
  secured: boolean,
  count: (status: number) => void,
  answer: (request: HttpRequest) => MaybePromise<HttpResponse>,
): HttpHandler {
  return {
    handle(request) {
      const startedMs = parts.clock.elapsed();
      return then(answer(request), (given) => {
        count(given.status);
        logRequest(parts, secured, request, given.status, startedMs);
        return given;
      });
    },
    failed(cause) {
      quietLog.error("edge.response_failed", { cause });
      count(503);
      return unavailable();
    },
    refuse(error, client) {
      const [status, words] = refusals[error];
      count(status);
      quietLog.info("edge.request_refused", { secured, status, reason: error, client });
      return error === "overloaded" ? unavailable() : plainResponse(status, words, { close: true });
    },
  };
}

function logRequest(
  { clock, log }: EdgeOptions,
  secured: boolean,
  request: Pick<HttpRequest, "method" | "client" | "host" | "path"> & Partial<RequestHeaders>,
  status: number,
  startedMs: number,
): void {
  if (!log.writes("info")) return;
  const { method, client, host, path } = request;
  const durationMs = Math.round((clock.elapsed() - startedMs) * 1000) / 1000;
  const traceId = parseTraceparent(request.header?.("traceparent"))?.traceId;
  log.info("edge.request_served", {
    secured,
    method,
    client,
    host,
    path,
    status,
    durationMs,
    traceId,
  });
}

/** The system does not say on Bun which port it refused. */
function naming(port: number) {
  return (cause: unknown): never => {
    throw Object.assign(cause as Error, { port });
  };
}

export interface EdgeLimits extends Http2Limits {
  readonly handshakeMsMax: number;
  /** Certificates that are kept ready to shake hands with. */
  readonly contextsMax: number;
  readonly pollEveryMs: number;
  readonly reportEveryMs: number;
  /** An event that anybody can cause from outside is logged once in this time, with a count. */
  readonly quietMs: number;
}

/** For clients that nobody has authenticated. */
export const edgeLimits: EdgeLimits = {
  ...wireLimits,
  handshakeMsMax: 10_000,
  // A store that is stuck must not hold connections for ever.
  handlerMsMax: 30_000,
  discardedBytesMax: 64 * 1024,
  // RFC 9113, section 6.5.2, advises against fewer.
  streamsMax: 100,
  contextsMax: 1_000,
  // What was removed must be gone within two seconds.
  pollEveryMs: 500,
  reportEveryMs: 5_000,
  quietMs: 10_000,
};

/** For clients of the service, as on its own port. */
const { handlerMsMax, discardedBytesMax } = wireLimits;
const ownLimits = { handlerMsMax, discardedBytesMax };

/**
 * A log for events that strangers cause: each is written once in a while, with how often it
 * happened since, so that nobody can fill a disk from outside.
 */
export class ThrottledLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #quietMs: number;
  readonly #heard = new Map<string, { atMs: number; suppressed: number }>();

  constructor(log: Log, clock: Clock, quietMs: number) {
    this.#log = log;
    this.#clock = clock;
    this.#quietMs = quietMs;
  }

  /** Events are few and named in the code; what differs goes into the fields. */
  readonly info = this.#at("info");
  readonly warn = this.#at("warn");
  readonly error = this.#at("error");

  #at(level: LogLevel) {
    return (event: string, fields: Readonly<Record<string, unknown>>) =>
      this.#write(level, event, fields);
  }

  #write(level: LogLevel, event: string, fields: Readonly<Record<string, unknown>>): void {
    const nowMs = this.#clock.elapsed();
    const heard = this.#heard.get(event);
    if (heard !== undefined && nowMs - heard.atMs < this.#quietMs) {
      heard.suppressed += 1;
      return;
    }
    this.#log[level](event, { ...fields, suppressed: heard?.suppressed ?? 0 });
    this.#heard.set(event, { atMs: nowMs, suppressed: 0 });
  }
}
