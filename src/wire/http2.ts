/** HTTP/2 on encrypted connections. The protocol itself is left to `node:http2`. */
import {
  constants,
  createServer,
  type Http2Session,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Connections, ManagedConnection } from "./connections.ts";
import { Http2Stream } from "./http2Stream.ts";
import type { WireLimits } from "./limits.ts";
import type { HttpHandler } from "./message.ts";
import { peerAt } from "./sockets.ts";

const connectionOf = Symbol("connection");
/** A session shows its socket only through a proxy, so what belongs to it is on the socket. */
type Tagged = { [connectionOf]?: Http2Connection };

export class Http2Connection implements ManagedConnection {
  readonly #socket: TLSSocket;
  readonly connections: Connections;
  readonly handler: HttpHandler;
  readonly #streams = new Set<Http2Stream>();
  session: ServerHttp2Session | undefined;
  sinceMs: number;
  served = false;
  #finishing = false;

  constructor(socket: TLSSocket, connections: Connections, handler: HttpHandler) {
    this.#socket = socket;
    this.connections = connections;
    this.handler = handler;
    this.sinceMs = connections.elapsedMs;
    (socket as Tagged)[connectionOf] = this;
    socket.once("end", () => this.#inputEnded());
    socket.once("close", () => this.#closed());
  }

  get waiting(): boolean {
    return this.#streams.size === 0;
  }

  get peer(): string | undefined {
    return peerAt(this.#socket);
  }

  begin(stream: Http2Stream): void {
    this.#streams.add(stream);
  }

  end(stream: Http2Stream): void {
    stream.end();
    if (!this.#streams.delete(stream) || this.#streams.size > 0) return;
    this.served = true;
    this.sinceMs = this.connections.elapsedMs;
    if (this.connections.closing) this.finish();
  }

  /** The highest id: requests already sent still get a response (RFC 9113, section 6.8). */
  announceEnd(): void {
    // A session that is already destroyed throws; its socket is about to close.
    if (this.session?.destroyed !== false) return;
    this.session.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
  }

  /** Announces that no further stream is accepted; closes after those in progress. */
  finish(): void {
    this.#finishing = true;
    if (this.session === undefined) this.destroy();
    else this.session.close();
  }

  destroy(): void {
    this.#socket.destroy();
    this.#closed();
  }

  checkDeadlines(): void {
    const { limits, elapsedMs } = this.connections;
    for (const stream of [...this.#streams]) stream.checkDeadlines();
    if (this.#streams.size > 0) return;
    const grantedMs = this.served ? limits.idleMsMax : limits.headMsMax;
    if (elapsedMs - this.sinceMs < grantedMs) return;
    if (this.served && !this.#finishing) this.finish();
    else this.destroy();
  }

  /** The peer sends nothing more, but may still read responses. */
  #inputEnded(): void {
    for (const stream of this.#streams) stream.inputEnded();
    this.finish();
  }

  #closed(): void {
    this.connections.delete(this);
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }
}

export interface Http2Limits extends WireLimits {
  /** Concurrent requests on one connection. */
  readonly streamsMax: number;
}

export function createHttp2Server(limits: Http2Limits, failed: (cause: unknown) => void) {
  // Floods of pings, settings, resets and empty frames are stopped by `node:http2` itself.
  const server = createServer({
    settings: {
      maxConcurrentStreams: limits.streamsMax,
      maxHeaderListSize: limits.headBytesMax,
      enablePush: false,
    },
    maxSessionInvalidFrames: 10,
    maxSettings: 16,
    maxHeaderListPairs: limits.headersMax,
  });
  const behind = ({ socket }: Http2Session) => (socket as Tagged)[connectionOf];

  server.on("session", (session: ServerHttp2Session) => {
    const connection = behind(session);
    if (connection === undefined) return session.destroy();
    session.on("error", () => connection.destroy());
    connection.session = session;
    // Its handshake was in progress when the edge began to stop.
    if (connection.connections.stopping) connection.announceEnd();
  });
  server.on("sessionError", (_cause, session) => session.destroy());
  server.on("stream", (accepted, headers, flags) => {
    const raw = accepted as ServerHttp2Stream;
    const connection = raw.session && behind(raw.session);
    if (connection === undefined) return void raw.destroy();
    const hasBody = (flags & constants.NGHTTP2_FLAG_END_STREAM) === 0;
    const stream = new Http2Stream(connection, raw, headers, hasBody);
    connection.begin(stream);
    raw.on("error", () => {});
    raw.once("close", () => connection.end(stream));
    const broken = (cause: unknown) => {
      failed(cause);
      // On Bun, `close` with a code would end the stream as if it were complete.
      raw.destroy(new Error("The response broke off.", { cause }));
    };
    const responded = (close: boolean) => {
      if (close || connection.connections.closing) raw.session?.close();
    };
    try {
      const closing = stream.respond();
      if (closing instanceof Promise) closing.then(responded, broken);
      else responded(closing);
    } catch (cause) {
      broken(cause);
    }
  });

  return {
    /** Takes over an encrypted socket that has its `Http2Connection`. */
    accept(socket: TLSSocket): void {
      server.emit("connection", socket);
    },
  };
}
