/** Listens for connections of HTTP/1.1 without encryption. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Clock } from "../clock.ts";
import { Connections } from "./connections.ts";
import { Http1Connection } from "./http1.ts";
import { type WireLimits, wireLimits } from "./limits.ts";
import type { HttpHandler } from "./message.ts";
import { ProxyHeaderReader, type ProxyProtocol } from "./proxyProtocol.ts";
import { attach, BunTransport, nodeTransport, setPeer } from "./sockets.ts";
import type { TrustedProxies } from "./trustedProxies.ts";

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits?: Partial<WireLimits> | undefined;
  /** Those on this machine unless said. */
  readonly proxies?: TrustedProxies | undefined;
  /** Where every connection begins with a header of the PROXY protocol. */
  readonly proxyProtocol?: ProxyProtocol | undefined;
}

export interface Listener {
  readonly port: number;
  /**
   * Accepts no new connection, lets responses under way finish within the time, and closes. Resolves
   * with the number of those that had to be broken off.
   */
  stop(graceMs: number): Promise<number>;
}

export interface Listening {
  readonly port: number;
  /** Accepts no new connection. */
  close(): void;
}

export async function listen(
  { host, port, limits, proxies, proxyProtocol }: ListenOptions,
  handler: HttpHandler,
  clock: Clock,
): Promise<Listener> {
  const connections = new Connections(clock, { ...wireLimits, ...limits }, proxies);
  const listening = await acceptHttp1(host, port, connections, handler, proxyProtocol);
  return {
    port: listening.port,
    stop(graceMs) {
      listening.close();
      return connections.drain(graceMs);
    },
  };
}

const acceptDirect = typeof Bun === "undefined" ? acceptOnNode : acceptOnBun;

/** Accepts connections for as long as the returned listener is not closed. */
export function acceptHttp1(
  host: string,
  port: number,
  connections: Connections,
  handler: HttpHandler,
  proxyProtocol?: ProxyProtocol | undefined,
): Promise<Listening> {
  if (proxyProtocol === undefined) return acceptDirect(host, port, connections, handler);
  return acceptProxied(host, port, connections, proxyProtocol, (socket) =>
    serve(socket, connections, handler),
  );
}

/** Accepts connections that begin with a header of the PROXY protocol, and takes it off them. */
export function acceptProxied(
  host: string,
  port: number,
  connections: Connections,
  protocol: ProxyProtocol,
  accept: (socket: Socket) => void,
): Promise<Listening> {
  return listenOnNode(host, port, (socket) => {
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
  host: string,
  port: number,
  connections: Connections,
  handler: HttpHandler,
): Promise<Listening> {
  const listener = Bun.listen<BunConnection | undefined>({
    hostname: host,
    port,
    // A second service must not share the port of the first in silence.
    exclusive: true,
    allowHalfOpen: true,
    socket: {
      open(socket) {
        const transport = new BunTransport(socket);
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
  return { port: listener.port, close: () => listener.stop() };
}

function acceptOnNode(
  host: string,
  port: number,
  connections: Connections,
  handler: HttpHandler,
): Promise<Listening> {
  return listenOnNode(host, port, (socket) => serve(socket, connections, handler));
}

function serve(socket: Socket, connections: Connections, handler: HttpHandler): void {
  const connection = new Http1Connection(nodeTransport(socket, "http"), connections, handler);
  if (!connections.add(connection)) return void socket.destroy();
  attach(socket, connection);
}

function listenOnNode(
  host: string,
  port: number,
  accept: (socket: Socket) => void,
): Promise<Listening> {
  const server: Server = createServer({ noDelay: true, allowHalfOpen: true }, accept);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", reject);
      // Such as too many open files: the connections that are open go on.
      server.on("error", () => {});
      resolve({ port: (server.address() as AddressInfo).port, close: () => void server.close() });
    });
  });
}
