/** HTTP/2 on encrypted connections. The protocol itself is left to `node:http2`. */
import {
  constants,
  createServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Writable } from "node:stream";
import type { TLSSocket } from "node:tls";
import { type MaybePromise, then } from "../../core/maybePromise.ts";
import type { Connections, ManagedConnection } from "../../wire/connections.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "../../wire/message.ts";
import { hostOf, targetOf } from "../../wire/requestHead.ts";
import { peerAt } from "../../wire/sockets.ts";
import { requestOrigin } from "../../wire/trustedProxies.ts";
import type { EdgeLimits } from "./edge.ts";

const connectionOf = Symbol("connection");
/** A session shows its socket only through a proxy, so what belongs to it is on the socket. */
type Tagged = { [connectionOf]?: Http2Connection };

export class Http2Connection implements ManagedConnection {
  readonly #socket: TLSSocket;
  readonly connections: Connections;
  readonly handler: HttpHandler;
  /** The streams under way, with when something of each was last sent. */
  readonly #streams = new Map<ServerHttp2Stream, number>();
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
    socket.once("close", () => this.#closed());
  }

  get waiting(): boolean {
    return this.#streams.size === 0;
  }

  get peer(): string | undefined {
    return peerAt(this.#socket);
  }

  begin(stream: ServerHttp2Stream): void {
    this.#streams.set(stream, this.connections.elapsedMs);
  }

  /** Something of its response was sent. */
  progress(stream: ServerHttp2Stream): void {
    if (this.#streams.has(stream)) this.#streams.set(stream, this.connections.elapsedMs);
  }

  end(stream: ServerHttp2Stream): void {
    if (!this.#streams.delete(stream) || this.#streams.size > 0) return;
    this.served = true;
    this.sinceMs = this.connections.elapsedMs;
    if (this.connections.closing) this.finish();
  }

  /** Counts what a response holds in memory until `release`. False when it is too much. */
  hold(bytes: number): boolean {
    const { heldResponseBytes, limits } = this.connections;
    if (heldResponseBytes + bytes > limits.heldResponseBytesMax) return false;
    this.connections.heldResponseBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.connections.heldResponseBytes -= bytes;
  }

  /** The highest id there is: whatever is on its way is still answered (RFC 9113, section 6.8). */
  announceEnd(): void {
    // A session that is gone already throws, and its socket closes in a moment.
    if (this.session?.destroyed !== false) return;
    this.session.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
  }

  /** Announces that no further stream is accepted; closes after those under way. */
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
    for (const [stream, progressAtMs] of this.#streams) {
      if (elapsedMs - progressAtMs < limits.stallMsMax) continue;
      // Its reader neither takes nor resets it.
      stream.close(constants.NGHTTP2_CANCEL);
      this.end(stream);
    }
    if (this.#streams.size > 0) return;
    const grantedMs = this.served ? limits.idleMsMax : limits.headMsMax;
    if (elapsedMs - this.sinceMs < grantedMs) return;
    if (this.served && !this.#finishing) this.finish();
    else this.destroy();
  }

  #closed(): void {
    this.connections.delete(this);
    this.#streams.clear();
  }
}

export function createHttp2Server(limits: EdgeLimits, failed: (cause: unknown) => void) {
  // Floods of pings, settings, resets and empty frames are ended by the protocol's own engine.
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
  server.on("stream", (stream, headers) => {
    const broken = (cause: unknown) => {
      failed(cause);
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    };
    try {
      const responding = respond(stream as ServerHttp2Stream, headers);
      if (responding instanceof Promise) responding.catch(broken);
    } catch (cause) {
      broken(cause);
    }
  });

  function respond(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): MaybePromise<void> {
    const { session } = stream;
    const connection = session && behind(session);
    if (session === undefined || connection === undefined) return void stream.destroy();
    let heldBytes = 0;
    connection.begin(stream);
    stream.on("error", () => {});
    stream.once("close", () => {
      connection.end(stream);
      connection.release(heldBytes);
    });
    return then(answer(connection, headers), (given) => {
      if (stream.destroyed || stream.closed) return connection.end(stream);
      const { byteLength } = bytesOf(given);
      const fits = connection.hold(byteLength);
      if (fits) heldBytes = byteLength;
      const response = fits ? given : connection.handler.refuse("overloaded", connection.peer);
      send(stream, response, headers[":method"] === "HEAD", () => connection.progress(stream));
      if (response.close === true || connection.connections.closing) session.close();
    });
  }

  return {
    /** Takes over an encrypted socket that has its `Http2Connection`. */
    accept(socket: TLSSocket): void {
      server.emit("connection", socket);
    },
  };
}

function answer(connection: Http2Connection, headers: IncomingHttpHeaders) {
  const request = requestOf(connection, headers);
  return request === undefined
    ? connection.handler.refuse("host_invalid", connection.peer)
    : connection.handler.handle(request);
}

/** Undefined where it names no host, or several. */
function requestOf(
  { peer, connections }: Http2Connection,
  headers: IncomingHttpHeaders,
): HttpRequest | undefined {
  const text = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  const authority = text(":authority");
  const [first, ...others] = [authority, text("host")].filter((host) => host !== undefined);
  if (first === undefined || others.some((host) => hostOf(host) !== hostOf(first)))
    return undefined;
  const target = targetOf(text(":path") ?? "", [first], 11);
  if (typeof target === "string") return undefined;
  const { authority: sent, path, query } = target;
  return {
    method: text(":method") ?? "",
    ...requestOrigin({ client: peer, scheme: "https", authority: sent }, text, connections.proxies),
    host: hostOf(sent),
    path,
    query,
    header: text,
    // A site takes no bodies. Once the response is complete, the engine resets what still comes.
    body: () => new Uint8Array(),
    text: undefined,
    // Made only for those who ask for it: nobody here does.
    get signal() {
      return new AbortController().signal;
    },
  };
}

function bytesOf({ body }: HttpResponse): Uint8Array {
  if (typeof body === "string") return Buffer.from(body);
  if (body === undefined || body instanceof Uint8Array) return body ?? new Uint8Array();
  throw new Error("A site has no endless responses.");
}

// Over HTTP/2, Bun sends a value that ends its own line.
const unsafe = /[^\t\x20-\x7e]/;

function send(
  stream: ServerHttp2Stream,
  response: HttpResponse,
  bare: boolean,
  progress: () => void,
): void {
  let fields = knownFields.get(response);
  if (fields === undefined) {
    fields = fieldsOf(response);
    knownFields.set(response, fields);
  }
  const endStream = bare || response.body === undefined;
  stream.respond(fields, { endStream });
  if (!endStream) sendBody(stream, bytesOf(response), progress);
}

type Fields = NonNullable<Parameters<ServerHttp2Stream["respond"]>[0]>;
/** Of responses that are sent again and again. */
const knownFields = new WeakMap<HttpResponse, Fields>();

function fieldsOf(response: HttpResponse): Fields {
  const { status, headers, body } = response;
  for (const [name, value] of Object.entries(headers)) {
    if (unsafe.test(String(value))) throw new Error(`The header ${name} is not printable ASCII.`);
  }
  const length = body === undefined ? {} : { "content-length": bytesOf(response).byteLength };
  // Frozen: the engine adds a date to a copy of its own.
  return Object.freeze({ ":status": status, ...headers, ...length } as Fields);
}

const pieceBytes = 64 * 1024;

/** Sends a body no faster than it is taken, and notes each piece that was. */
function sendBody(to: Writable, bytes: Uint8Array, progress: () => void): void {
  let at = 0;
  const go = () => {
    // On a stream that was destroyed, Bun takes everything and says nothing.
    while (!to.destroyed) {
      progress();
      const piece = bytes.subarray(at, at + pieceBytes);
      at += piece.byteLength;
      if (at >= bytes.byteLength) return void to.end(piece);
      if (!to.write(piece)) return void to.once("drain", go);
    }
  };
  go();
}
