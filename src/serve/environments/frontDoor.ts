/**
 * One pair of ports for several environments: passes each connection on to the environment that its
 * host name belongs to. It reads no more than that name, and holds no certificate.
 */
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { connectionsPossible } from "../../wire/limits.ts";
import { proxyHeaderFor } from "../../wire/proxyProtocol.ts";
import { type HostReading, hostInHttp, hostInTls } from "./namedHost.ts";

/** Where an environment answers for its names. */
export interface Backend {
  readonly httpPort: number;
  readonly httpsPort: number;
}

export interface FrontDoorOptions {
  readonly host: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Where connections for a host go; undefined while its environment does not run. */
  readonly backendFor: (host: string | undefined) => Backend | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: Partial<typeof doorLimits>;
}

export interface FrontDoor {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Takes no new connections. Those that are open are their environments' to end. */
  stop(): void;
}

/** The longest start that is looked through for a name. */
const startBytesMax = 16 * 1024 + 5;
const doorLimits = {
  startMsMax: 10_000,
  /** Each takes two descriptors. */
  connectionsMax: Math.min(20_000, Math.floor(connectionsPossible() / 2)),
  /** How long a client may read nothing, and leave its side open, after the end of a connection. */
  endMsMax: 60_000,
};
/** So much of all connections may be those of one environment: an overload of one leaves room for others. */
const environmentShare = 0.75;
const unavailable = Buffer.from(
  "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
);

export async function openFrontDoor(options: FrontDoorOptions): Promise<FrontDoor> {
  const { host, backendFor, clock, log } = options;
  const { startMsMax, connectionsMax, endMsMax } = { ...doorLimits, ...options.limits };
  let open = 0;
  const openTo = new WeakMap<Backend, number>();
  /** Those that did not take the last connection. Each is logged once: anybody can ask again. */
  const lost = new WeakSet<Backend>();

  const welcome = (socket: Socket, secured: boolean) => {
    // Clients that go away are not a fault of the service.
    socket.on("error", () => socket.destroy());
    if (open >= connectionsMax) return void socket.destroy();
    open += 1;
    const cancel = clock.after(startMsMax, () => socket.destroy());
    socket.once("close", () => {
      open -= 1;
      cancel();
    });
    const leave = () => void socket.end();
    socket.once("end", leave);
    let start: Buffer = Buffer.alloc(0);
    const receive = (chunk: Buffer) => {
      start = Buffer.concat([start, chunk]);
      const reading = (secured ? hostInTls : hostInHttp)(start);
      if (reading.kind === "incomplete" && start.byteLength < startBytesMax) return;
      socket.off("data", receive);
      // From here on, a client that has sent everything may still wait for its response.
      socket.off("end", leave);
      socket.pause();
      cancel();
      passOn(socket, start, secured, reading);
    };
    socket.on("data", receive);
  };

  /** Closes a connection whose last bytes are written, also where its client does not do the same. */
  const end = (socket: Socket) => {
    const unsent = socket.writableLength;
    const cancel = clock.after(endMsMax, () => {
      const progresses = socket.writableLength > 0 && socket.writableLength < unsent;
      if (progresses) end(socket);
      else socket.destroy();
    });
    socket.once("close", cancel);
  };

  const passOn = (socket: Socket, start: Buffer, secured: boolean, reading: HostReading) => {
    const backend = backendFor(reading.kind === "named" ? reading.host : undefined);
    if (backend === undefined) return refuse(socket, secured);
    const before = openTo.get(backend) ?? 0;
    if (before >= environmentShare * connectionsMax) return void socket.destroy();
    openTo.set(backend, before + 1);
    socket.once("close", () => openTo.set(backend, (openTo.get(backend) ?? 1) - 1));
    const port = secured ? backend.httpsPort : backend.httpPort;
    const onward = connect({ host: "127.0.0.1", port, allowHalfOpen: true, noDelay: true });
    const unreachable = (cause: Error) => {
      if (!lost.has(backend)) log.warn("environment.lost", { port, cause });
      lost.add(backend);
      refuse(socket, secured);
    };
    onward.once("error", unreachable);
    onward.once("connect", () => {
      lost.delete(backend);
      onward.off("error", unreachable);
      // `close` follows. Either side may reset a connection, which says nothing of the environment.
      onward.on("error", () => {});
      onward.once("end", () => end(socket));
      onward.once("close", () => {
        if (!onward.readableEnded) socket.destroy();
      });
      onward.write(Buffer.concat([proxyHeaderFor(socket), start]));
      socket.pipe(onward);
      onward.pipe(socket);
    });
    socket.once("close", () => onward.destroy());
  };

  const refuse = (socket: Socket, secured: boolean) => {
    socket.resume();
    if (!secured) socket.write(unavailable);
    socket.end();
    end(socket);
  };

  const listen = async (port: number, secured: boolean): Promise<Server> => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      welcome(socket, secured),
    );
    const setting = secured ? "PETSTORE_EDGE_HTTPS_PORT" : "PETSTORE_EDGE_HTTP_PORT";
    await new Promise<void>((resolve, reject) => {
      server.once("error", (cause) => reject(Object.assign(cause, { port, setting })));
      server.listen({ host, port }, resolve);
    });
    server.on("error", (cause) => log.error("edge.accept_failed", { cause }));
    return server;
  };
  const plain = await listen(options.httpPort, false);
  const secured = await listen(options.httpsPort, true).catch((cause: unknown) => {
    plain.close();
    throw cause;
  });
  return {
    httpPort: portOf(plain),
    httpsPort: portOf(secured),
    stop() {
      plain.close();
      secured.close();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
