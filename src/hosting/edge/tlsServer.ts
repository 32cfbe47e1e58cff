/** The TLS listener: a certificate for each handshake, and none for strangers. */

import { constants } from "node:crypto";
import type { Socket } from "node:net";
import {
  createSecureContext,
  createServer,
  type SecureContext,
  type Server,
  type TLSSocket,
} from "node:tls";
import { RecentMap } from "../../core/recentMap.ts";
import type { Vault } from "../../core/vault.ts";
import type { Connections, ManagedConnection } from "../../wire/connections.ts";
import { Http1Connection } from "../../wire/http1.ts";
import { createHttp2Server, Http2Connection } from "../../wire/http2.ts";
import type { HttpHandler } from "../../wire/message.ts";
import { hostOf } from "../../wire/requestHead.ts";
import { type Acknowledge, attach, nodeTransport, peerAt } from "../../wire/sockets.ts";
import { certificateSeal } from "../domains/domains.ts";
import type { EdgeView, ServedCertificate } from "../domains/edgeView.ts";
import type { HostConnections } from "./changeWatcher.ts";
import type { EdgeLimits, ThrottledLog } from "./edge.ts";
import { type EdgeMetrics, handshakeFailureOf, type Protocol } from "./edgeMetrics.ts";
import type { FileCertificate } from "./fileCertificate.ts";

export function createTlsServer({
  contexts,
  connections,
  hostConnections,
  limits,
  log,
  metrics,
  acknowledge,
  handlerFor,
}: {
  readonly contexts: CertificateContexts;
  readonly connections: Connections;
  readonly hostConnections: HostConnections;
  readonly limits: EdgeLimits;
  readonly log: ThrottledLog;
  readonly metrics: EdgeMetrics;
  readonly acknowledge: Acknowledge;
  /** What answers on a connection that was encrypted for a host, and among which it is counted. */
  readonly handlerFor: (
    host: string,
    client: string | undefined,
    protocol: Protocol,
  ) => { readonly handler: HttpHandler; readonly among: Connections };
}): Server {
  const http2 = createHttp2Server(limits, (cause) => log.error("edge.response_failed", { cause }));
  const server = createServer({
    ...tlsSettings,
    noDelay: true,
    allowHalfOpen: true,
    ALPNProtocols: ["h2", "http/1.1"],
    // The server has no certificate of its own: without a context there is nothing to shake hands
    // with, and the client gets an alert. (An error instead would cut it off without a word. The
    // runtime cannot send unrecognized_name: see decision 55.)
    SNICallback(serverName, done) {
      const host = hostOf(serverName);
      const context = host === undefined ? Promise.resolve(undefined) : contexts.of(host);
      context.then(
        (found) => done(null, found),
        (cause) => {
          log.error("edge.certificate_failed", { host, cause });
          done(null, undefined);
        },
      );
    },
  });

  server.on("connection", (socket: Socket) => {
    // Clients that go away are not a fault of the service.
    socket.on("error", () => socket.destroy());
    const timedOut = () => metrics.handshakeFailed("timeout");
    const handshake = new Handshake(socket, connections, limits.handshakeMsMax, timedOut);
    if (!connections.add(handshake)) {
      metrics.handshakeFailed("overloaded");
      return void socket.destroy();
    }
    (socket as Tagged)[handshakeOf] = handshake;
    socket.once("close", () => connections.delete(handshake));
  });
  server.on("tlsClientError", (cause: NodeJS.ErrnoException, socket) => {
    socket.destroy();
    metrics.handshakeFailed(handshakeFailureOf(cause.code));
    // It went away, as the health check of a load balancer does.
    if (cause.code === "ECONNRESET") return;
    log.info("edge.handshake_refused", {
      serverName: named(socket),
      reason: cause.code ?? cause.message,
    });
  });
  server.on("secureConnection", (socket) => void welcome(socket));

  async function welcome(socket: TLSSocket): Promise<void> {
    const handshake = handshakeBehind(socket);
    if (handshake !== undefined) connections.delete(handshake);
    const host = named(socket);
    if (host === undefined) return void socket.destroy();
    metrics.handshakes.value++;
    const protocol = socket.alpnProtocol === "h2" ? "h2" : "http/1.1";
    const { handler, among } = handlerFor(host, peerAt(socket), protocol);
    const connection = accept(socket, handler, among);
    if (!among.add(connection)) return connection.destroy();
    hostConnections.add(host, connection);
    socket.once("close", () => hostConnections.delete(host, connection));
    // It may have been removed during the handshake, before this connection was known to belong to
    // it. From here on the watch sees it.
    try {
      if ((await contexts.of(host)) === undefined) connection.destroy();
    } catch {
      // The store failed: each request handles that.
    }
  }

  function accept(socket: TLSSocket, handler: HttpHandler, among: Connections): ManagedConnection {
    if (socket.alpnProtocol === "h2") {
      const connection = new Http2Connection(socket, among, handler);
      http2.accept(socket);
      return connection;
    }
    // Over HTTP/2 our settings follow the handshake at once, and acknowledge it.
    acknowledge(socket);
    const transport = nodeTransport(socket, "https", among);
    const connection = new Http1Connection(transport, among, handler);
    attach(socket, connection);
    return connection;
  }

  return server;
}

/** A connection that is not encrypted yet. */
class Handshake implements ManagedConnection {
  readonly waiting = true;
  readonly #socket: Socket;
  readonly #connections: Connections;
  readonly #msMax: number;
  readonly #timedOut: () => void;
  readonly sinceMs: number;
  readonly served = false;

  constructor(socket: Socket, connections: Connections, msMax: number, timedOut: () => void) {
    this.#socket = socket;
    this.#connections = connections;
    this.#msMax = msMax;
    this.#timedOut = timedOut;
    this.sinceMs = connections.elapsedMs;
  }

  finish(): void {
    this.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
    this.#connections.delete(this);
  }

  checkDeadlines(): void {
    if (this.#connections.elapsedMs - this.sinceMs < this.#msMax) return;
    this.#timedOut();
    this.destroy();
  }
}

const handshakeOf = Symbol("handshake");
type Tagged = Socket & { [handshakeOf]?: Handshake; readonly _parent?: Tagged | null };

/** On Bun the encrypted socket is the one that was accepted; on Node that one is its parent. */
function handshakeBehind(socket: TLSSocket): Handshake | undefined {
  const { [handshakeOf]: own, _parent: parent } = socket as Tagged;
  return own ?? parent?.[handshakeOf];
}

/** The host that the client asked for; undefined when it asked for none. */
function named({ servername }: TLSSocket): string | undefined {
  // Node says false where the types say string.
  return typeof servername === "string" ? hostOf(servername) : undefined;
}

/**
 * Mozilla's intermediate profile, and the key exchange that a quantum computer cannot break later.
 * The certificates of the service are for ECDSA; an operator's own may be for RSA.
 */
export const tlsSettings = {
  minVersion: "TLSv1.2",
  ciphers: [
    ...["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"],
    ...["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
    ...["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
    ...["ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
  ].join(":"),
  ecdhCurve: "X25519MLKEM768:X25519:P-256:P-384",
  // Bun asks for the certificate when a session is resumed, too, so none outlives the removal of its
  // host (decision 55). Node.js does not ask: there, no tickets are given out.
  secureOptions: process.versions["bun"] === undefined ? constants.SSL_OP_NO_TICKET : 0,
} as const;

/** A wildcard covers the names one label below it (RFC 9525, section 6.3). */
export function covers(certified: string, host: string): boolean {
  return certified === host || certified === `*${host.slice(host.indexOf("."))}`;
}

/** The certificate for each handshake, as it is now. */
export class CertificateContexts {
  readonly #view: EdgeView;
  readonly #vault: Vault;
  /** By the name that is certified: of a host that renews, only the last one is needed. */
  readonly #made: RecentMap<{ readonly id: string; readonly context: SecureContext }>;

  readonly #file: FileCertificate | undefined;

  constructor(view: EdgeView, vault: Vault, max: number, file?: FileCertificate) {
    this.#file = file;
    this.#view = view;
    this.#vault = vault;
    this.#made = new RecentMap({ entries: max, weight: Number.POSITIVE_INFINITY });
  }

  /** Undefined where the host has none. Which certificate it is, is asked every time. */
  async of(host: string): Promise<SecureContext | undefined> {
    const certificate = await this.#view.certificate(host);
    if (certificate === undefined) return this.#file?.for(host);
    if (!covers(certificate.host, host)) throw new Error("The certificate is for another host.");
    const { id, host: certified } = certificate;
    const known = this.#made.get(certified);
    if (known?.id === id) return known.context;
    const context = this.#make(certificate);
    this.#made.delete(certified);
    this.#made.set(certified, { id, context }, 1);
    return context;
  }

  #make({ id, host, chainPem, sealedKey }: ServedCertificate): SecureContext {
    const key = this.#vault.open(sealedKey, certificateSeal(host, id));
    return createSecureContext({ cert: chainPem, key, ...tlsSettings });
  }
}
