/** The TLS listener: a certificate for each handshake, and none for strangers. */
import { createServer, type Server, type TLSSocket } from "node:tls";
import type { EdgeView } from "../domains/edgeView.ts";
import { type Connection, type Connections, connectionBehind } from "./connections.ts";
import { type Contexts, tlsSettings } from "./contexts.ts";
import type { QuietLog } from "./quietLog.ts";
import { hostOf } from "./request.ts";

interface Protocol {
  take(connection: Connection): void;
}

export function createSecuredServer({
  view,
  contexts,
  connections,
  log,
  http1,
  http2,
}: {
  readonly view: EdgeView;
  readonly contexts: Contexts;
  readonly connections: Connections;
  readonly log: QuietLog;
  readonly http1: Protocol;
  readonly http2: Protocol;
}): Server {
  const server = createServer({
    ...tlsSettings,
    noDelay: true,
    ALPNProtocols: ["h2", "http/1.1"],
    // The server has no certificate of its own: without a context there is nothing to shake hands
    // with, and the client gets an alert. (An error instead would cut it off without a word.)
    SNICallback(serverName, done) {
      const host = hostOf(serverName);
      const context = host === undefined ? Promise.resolve(undefined) : contexts.of(host);
      context.then(
        (found) => done(null, found),
        (cause) => {
          log.warn("edge.certificateFailed", { host, cause });
          done(null, undefined);
        },
      );
    },
  });

  server.on("connection", (socket) => void connections.admit(socket, "handshake"));
  server.on("tlsClientError", (cause: NodeJS.ErrnoException, socket) => {
    log.warn("edge.handshakeRefused", {
      serverName: named(socket),
      reason: cause.code ?? cause.message,
    });
    socket.destroy();
  });
  server.on("secureConnection", (socket) => void welcome(socket));

  async function welcome(socket: TLSSocket): Promise<void> {
    const connection = connectionBehind(socket);
    const host = named(socket);
    if (connection === undefined || host === undefined) return void socket.destroy();
    connections.secured(connection, host, socket);
    (socket.alpnProtocol === "h2" ? http2 : http1).take(connection);
    // It may have been removed during the handshake, before this connection was known to belong to
    // it. From here on the watch sees it.
    try {
      if ((await view.route(host)) === undefined) socket.destroy();
    } catch {
      // The store failed: each request finds that out for itself.
    }
  }

  return server;
}

/** The host that the client asked for; undefined when it asked for none. */
function named({ servername }: TLSSocket): string | undefined {
  // Node says false where the types say string.
  return typeof servername === "string" ? hostOf(servername) : undefined;
}
