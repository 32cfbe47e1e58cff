/** Clients that say exactly what they are told to, and hide nothing of what comes back. */
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect as connectPlain, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import type { TestEdge } from "./testEdge.ts";

export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection with everything it received, and when it was closed. */
export class Line {
  readonly socket: Socket;
  received = "";
  failure: Error | undefined;
  readonly closed: Promise<void>;
  #heard = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.received += chunk.toString("latin1");
      this.#heard();
    });
    socket.on("error", (cause) => {
      this.failure = cause;
    });
    this.closed = new Promise((resolve) => {
      socket.on("close", () => {
        resolve();
        this.#heard();
      });
    });
  }

  send(text: string): void {
    this.socket.write(Buffer.from(text, "latin1"));
  }

  /** Asks, and takes the next whole answer from what is received. */
  async ask(text: string): Promise<Seen> {
    this.send(text);
    return this.answer();
  }

  /** A header and its content by length; rejects when the connection ends before. */
  async answer({ bodyless = false } = {}): Promise<Seen> {
    for (;;) {
      const found = takeAnswer(this.received, bodyless);
      if (found !== undefined) {
        this.received = this.received.slice(found.length);
        return found.seen;
      }
      if (this.socket.destroyed) throw new Error(`Closed after: ${JSON.stringify(this.received)}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }
}

function takeAnswer(text: string, bodyless: boolean): { seen: Seen; length: number } | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bytes = bodyless ? 0 : Number(headers["content-length"] ?? 0);
  const length = end + 4 + bytes;
  if (text.length < length) return undefined;
  const status = Number(first.split(" ")[1]);
  return { seen: { status, headers, body: text.slice(end + 4, length) }, length };
}

export function plainLine({ httpPort }: TestEdge): Promise<Line> {
  return opened(httpPort);
}

/** A bare connection to the TLS listener, without a handshake. */
export function bareLine({ httpsPort }: TestEdge): Promise<Line> {
  return opened(httpsPort);
}

function opened(port: number): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain(port, "127.0.0.1", () => resolve(new Line(socket)));
    socket.once("error", reject);
  });
}

/** A handshake for a host; rejects when it is refused. The certificate is always checked. */
export function shakeHands(
  { httpsPort, ca }: TestEdge,
  servername: string,
  options: ConnectionOptions = {},
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      {
        host: "127.0.0.1",
        port: httpsPort,
        servername,
        ca,
        ALPNProtocols: ["http/1.1"],
        ...options,
      },
      () => resolve(socket),
    );
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("Closed during the handshake.")));
  });
}

export async function securedLine(
  edge: TestEdge,
  servername: string,
  options?: ConnectionOptions,
): Promise<Line> {
  return new Line(await shakeHands(edge, servername, options));
}

/** One request of its own connection, on HTTPS. */
export async function getSecured(
  edge: TestEdge,
  host: string,
  path = "/",
  { method = "GET", serverName = host, extra = "" } = {},
): Promise<Seen> {
  const line = await securedLine(edge, serverName);
  line.send(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${extra}\r\n`);
  const seen = await line.answer({ bodyless: method === "HEAD" });
  line.socket.destroy();
  return seen;
}

export async function getPlain(
  edge: TestEdge,
  host: string,
  path = "/",
  { method = "GET", extra = "" } = {},
): Promise<Seen> {
  const line = await plainLine(edge);
  line.send(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${extra}\r\n`);
  const seen = await line.answer({ bodyless: method === "HEAD" });
  line.socket.destroy();
  return seen;
}

/** An HTTP/2 session, and whether it has ended. */
export async function openHttp2(edge: TestEdge, host: string): Promise<ClientHttp2Session> {
  const socket = await shakeHands(edge, host, { ALPNProtocols: ["h2"] });
  const session = connectHttp2(`https://${host}`, { createConnection: () => socket });
  session.on("error", () => {});
  return session;
}

export function requestHttp2(
  session: ClientHttp2Session,
  headers: Record<string, string>,
): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let seen: { status: number; headers: Record<string, string> } | undefined;
    let body = "";
    stream.on("response", ({ ":status": status, ...others }) => {
      seen = { status: Number(status), headers: others as Record<string, string> };
    });
    stream.on("data", (chunk: Buffer) => {
      body += chunk.toString("latin1");
    });
    stream.on("error", reject);
    stream.on("close", () => {
      if (seen === undefined) reject(new Error("The stream was closed without an answer."));
      else resolve({ ...seen, body });
    });
    stream.end();
  });
}
