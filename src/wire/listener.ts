/** Listens for connections of HTTP/1.1 without encryption. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Clock } from "../core/clock.ts";
import { Connections, type Traffic } from "./connections.ts";
import { Http1Connection } from "./http1.ts";
import { type WireLimits, wireLimits } from "./limits.ts";
import type { HttpHandler } from "./message.ts";
import { ProxyHeaderReader, type ProxyProtocol } from "./proxyProtocol.ts";
import { attach, BunTransport, nodeTransport, setPeer } from "./sockets.ts";
import type { TrustedProxies } from "./trustedProxies.ts";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** A port, and the descriptors of the sockets that listen on it. */
export interface OpenListener {
  readonly port: number;
  readonly sockets: readonly number[];
}

/** Where to listen: on a socket to be opened, or on some that another process has opened. */
export interface ListenTarget extends ListenAddress {
  readonly sockets?: readonly number[] | undefined;
}

export interface ListenOptions extends ListenTarget {
  readonly limits?: Partial<WireLimits> | undefined;
  /** Those on this machine unless given. */
  readonly proxies?: TrustedProxies | undefined;
  /** Where every connection begins with a header of the PROXY protocol. */
  readonly proxyProtocol?: ProxyProtocol | undefined;
}

export interface Listener extends OpenListener {
  readonly traffic: Traffic;
  /** Accepts on one more listening socket of the same address. */
  accept(socket: number): Promise<void>;
  /**
   * Accepts no new connection, lets responses in progress finish within the time, and closes. Idle
   * connections are left open for `idleMs`. Resolves with the number of responses that were aborted.
   */
  stop(graceMs: number, idleMs?: number): Promise<number>;
}

export interface Listening {
  readonly port: number;
  readonly socket: number;
  /** Accepts no new connection. Those in the queue stay with other processes of the socket. */
  close(): void;
}

export async function listen(
  { limits, proxies, proxyProtocol, ...place }: ListenOptions,
  handler: HttpHandler,
  clock: Clock,
): Promise<Listener> {
  const connections = new Connections(clock, { ...wireLimits, ...limits }, proxies);
  const all = await listenOnEach(place, (at) =>
    acceptHttp1(at, connections, handler, proxyProtocol),
  );
  return {
    port: all.port,
    sockets: all.sockets,
    traffic: connections,
    accept: (socket) => all.accept(socket),
    stop(graceMs, idleMs) {
      all.close();
      return connections.drain(graceMs, idleMs);
    },
  };
}

/** A socket to open, or one that is open. */
export interface ListenOn extends ListenAddress {
  readonly socket?: number | undefined;
}

/** Listens on the sockets that are given, or on one that is opened. */
export async function listenOnEach(
  { host, port, sockets }: ListenTarget,
  accept: (at: ListenOn) => Promise<Listening>,
) {
  const all: Listening[] = [];
  const close = () => {
    for (const each of all) each.close();
  };
  try {
    for (const socket of sockets ?? [undefined]) all.push(await accept({ host, port, socket }));
  } catch (cause) {
    close();
    throw cause;
  }
  return {
    port: all[0]?.port ?? port,
    sockets: all.map(({ socket }) => socket),
    async accept(socket: number): Promise<void> {
      all.push(await accept({ host, port, socket }));
    },
    close,
  };
}

const acceptDirect = typeof Bun === "undefined" ? acceptOnNode : acceptOnBun;

/** Accepts connections until the returned listener is closed. */
export function acceptHttp1(
  at: ListenOn,
  connections: Connections,
  handler: HttpHandler,
  proxyProtocol?: ProxyProtocol | undefined,
): Promise<Listening> {
  if (proxyProtocol === undefined) return acceptDirect(at, connections, handler);
  return acceptProxied(at, connections, proxyProtocol, (socket) =>
    serve(socket, connections, handler),
  );
}

/** Accepts connections that begin with a header of the PROXY protocol, and removes it. */
export function acceptProxied(
  at: ListenOn,
  connections: Connections,
  protocol: ProxyProtocol,
  accept: (socket: Socket) => void,
): Promise<Listening> {
  return listenOnNode(at, (socket) => {
    const reader = new ProxyHeaderReader(socket, connections, protocol, (peer) => {
      setPeer(socket, peer);
      accept(socket);
    });
    if (!connections.add(reader)) reader.destroy();
  });
}

interface BunConnection {
  readonly transport: BunTransport;
  readonly connection: Http1Connection;
}

async function acceptOnBun(
  { host, port, socket: inherited }: ListenOn,
  connections: Connections,
  handler: HttpHandler,
): Promise<Listening> {
  // A second service must not silently share the port of the first.
  const fresh = { hostname: host, port, exclusive: true };
  const listener = Bun.listen<BunConnection | undefined>({
    // Bun accepts an open socket, although its types do not say so.
    ...(inherited === undefined ? fresh : ({ fd: inherited } as unknown as typeof fresh)),
    allowHalfOpen: true,
    socket: {
      open(socket) {
        const transport = new BunTransport(socket, connections);
        const connection = new Http1Connection(transport, connections, handler);
        if (!connections.add(connection)) return void socket.terminate();
        socket.data = { transport, connection };
      },
      data: ({ data }, chunk) => data?.connection.receive(chunk),
      drain({ data }) {
        if (data?.transport.flush()) data.connection.drained();
      },
      end: ({ data }) => data?.connection.ended(),
      close: ({ data }) => data?.connection.closed(),
      error: ({ data }) => data?.connection.destroy(),
    },
  });
  const { fd } = listener as unknown as { fd: number };
  // Bun does not know the port of a socket that was passed to it.
  return { port: listener.port ?? port, socket: fd, close: () => listener.stop() };
}

function acceptOnNode(
  at: ListenOn,
  connections: Connections,
  handler: HttpHandler,
): Promise<Listening> {
  return listenOnNode(at, (socket) => serve(socket, connections, handler));
}

function serve(socket: Socket, connections: Connections, handler: HttpHandler): void {
  const connection = new Http1Connection(
    nodeTransport(socket, "http", connections),
    connections,
    handler,
  );
  if (!connections.add(connection)) return void socket.destroy();
  attach(socket, connection);
}

function listenOnNode(at: ListenOn, accept: (socket: Socket) => void): Promise<Listening> {
  return listenOn(createServer({ noDelay: true, allowHalfOpen: true }, accept), at);
}

/** Resolves once a server of `node:net` or `node:tls` accepts. */
export function listenOn(
  server: Server,
  { host, port, socket }: ListenOn,
  failed: (cause: unknown) => void = () => {},
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket === undefined ? { host, port, exclusive: true } : { fd: socket }, () => {
      server.off("error", reject);
      // Such as too many open files: open connections are not affected.
      server.on("error", failed);
      const { _handle: handle } = server as { _handle?: { readonly fd?: number } | null };
      resolve({
        port: (server.address() as AddressInfo).port,
        socket: handle?.fd ?? -1,
        close: () => void server.close(),
      });
    });
  });
}
