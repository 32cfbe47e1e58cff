/** What stands between the command line and the service: a line that breaks, and several processes. */
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";

const originOf = (server: { address(): unknown }) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

export interface Line extends AsyncDisposable {
  readonly origin: string;
  /** Lets connections through again. */
  repair(): void;
}

/** Forwards connections until so many bytes were sent, then cuts all of them, and new ones at once. */
export async function breakingLine(to: string, bytesMax: number): Promise<Line> {
  const { port, hostname } = new URL(to);
  const open = new Set<Socket>();
  let left = bytesMax;
  let cutting = false;
  const cut = () => {
    cutting = true;
    for (const socket of open) socket.destroy();
  };
  const server = createTcpServer((client) => {
    if (cutting) {
      client.destroy();
      return;
    }
    const onward = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      open.add(one);
      one.on("error", () => {}).on("close", () => other.destroy());
    }
    client.on("data", (chunk) => {
      left -= chunk.length;
      if (left < 0 && !cutting) cut();
      else onward.write(chunk);
    });
    onward.pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: originOf(server),
    repair() {
      cutting = false;
      left = Number.POSITIVE_INFINITY;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

export interface Balancer extends AsyncDisposable {
  readonly origin: string;
  /** How many requests each of the services got. */
  readonly counts: number[];
}

/** Sends each request to the next of several services, whoever got those before it. */
export async function balancer(origins: readonly string[]): Promise<Balancer> {
  const counts = origins.map(() => 0);
  let next = 0;
  const server = createServer((incoming, outgoing) => {
    const index = next++ % origins.length;
    counts[index] = (counts[index] ?? 0) + 1;
    forward(incoming, outgoing, origins[index] ?? "");
  });
  return { ...(await listening(server)), counts };
}

/** Sends a request on. What `lose` is true for gets no response. */
export function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  to: string,
  lose: () => boolean = () => false,
): void {
  const { method, url, headers } = incoming;
  const forwarded = request(`${to}${url}`, { method, headers }, (response) => {
    if (lose()) return void outgoing.socket?.destroy();
    outgoing.writeHead(response.statusCode ?? 500, response.headers);
    response.pipe(outgoing);
  });
  incoming.pipe(forwarded);
}

export interface Tunnel extends Stub {
  /** What it was asked for. */
  readonly targets: string[];
}

/** A proxy by CONNECT that leads to a port of this machine, whatever it is asked for. */
export async function tunnelTo(port: number): Promise<Tunnel> {
  const targets: string[] = [];
  const server = createServer().on("connect", ({ url = "" }, client) => {
    targets.push(url);
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    const onward = connect(port, "127.0.0.1").on("error", () => {});
    client
      .on("error", () => {})
      .pipe(onward)
      .pipe(client);
  });
  return { ...(await listening(server)), targets };
}

export interface Stub extends AsyncDisposable {
  readonly origin: string;
}

export async function listening(server: Server): Promise<Stub> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: originOf(server),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
