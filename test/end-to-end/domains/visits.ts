/** Visits to the edge as clients make them, with the authority's root as the only trusted one. */
import { request as requestPlain } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { type ConnectionOptions, connect, type PeerCertificate, type TLSSocket } from "node:tls";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Target {
  readonly port: number;
  /** The host that the client says it wants, in the handshake. */
  readonly host: string;
  readonly ca: string;
}

/** Resolves once the handshake is done and the chain was found valid. */
export function handshake(
  { port, host, ca }: Target,
  options: ConnectionOptions = {},
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, servername: host, ca, ...options });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("The connection was closed.")));
    socket.once("secureConnect", () => {
      if (socket.authorized) resolve(socket);
      else reject(socket.authorizationError);
    });
  });
}

/** Why a handshake fails; undefined when it does not. */
export async function handshakeFailure(target: Target, options?: ConnectionOptions) {
  try {
    (await handshake(target, options)).destroy();
    return undefined;
  } catch (cause) {
    return cause as Error;
  }
}

export async function certificateAt(target: Target): Promise<PeerCertificate> {
  const socket = await handshake(target);
  const certificate = socket.getPeerCertificate();
  socket.destroy();
  return certificate;
}

/** Sends one request on an open connection by HTTP/1.1, and reads one answer with a known length. */
export function ask(socket: TLSSocket, host: string, path = "/"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let text = "";
    const settle = (end: () => void) => {
      socket.off("data", onData);
      socket.off("close", onClose);
      end();
    };
    const onClose = () => settle(() => reject(new Error("The connection was closed.")));
    const onData = (chunk: Buffer) => {
      text += chunk.toString("latin1");
      const answer = readAnswer(text);
      if (answer !== undefined) settle(() => resolve(answer));
    };
    socket.on("data", onData);
    socket.once("close", onClose);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  });
}

function readAnswer(text: string): Answer | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = text.slice(end + 4);
  if (body.length < Number(headers["content-length"] ?? 0)) return undefined;
  return { status: Number(first.split(" ")[1]), headers, body };
}

/** One request by HTTPS and HTTP/1.1, on a connection of its own. */
export async function visit(target: Target, path = "/", host = target.host): Promise<Answer> {
  const socket = await handshake(target, { ALPNProtocols: ["http/1.1"] });
  try {
    return await ask(socket, host, path);
  } finally {
    socket.destroy();
  }
}

export async function openHttp2({ port, host, ca }: Target): Promise<ClientHttp2Session> {
  const session = connectHttp2(`https://${host}:${port}`, {
    createConnection: () =>
      connect({ host: "127.0.0.1", port, servername: host, ca, ALPNProtocols: ["h2"] }),
  });
  await new Promise((resolve, reject) => {
    session.once("connect", resolve);
    session.once("error", reject);
  });
  return session;
}

export function askHttp2(
  session: ClientHttp2Session,
  authority: string,
  path = "/",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":authority": authority, ":path": path });
    let answer: Answer = { status: 0, headers: {}, body: "" };
    stream.on("response", (headers) => {
      answer = { status: Number(headers[":status"]), headers, body: "" };
    });
    stream.on("data", (chunk: Buffer) => {
      answer = { ...answer, body: answer.body + chunk.toString() };
    });
    stream.once("end", () => resolve(answer));
    stream.once("error", reject);
    stream.end();
  });
}

/** One request without encryption. */
export function visitPlain(port: number, host: string, path = "/"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = requestPlain(
      { host: "127.0.0.1", port, path, headers: { host }, agent: false },
      (answer) => {
        let body = "";
        answer.on("data", (chunk) => {
          body += chunk;
        });
        answer.on("end", () => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body });
        });
      },
    );
    asking.on("error", reject);
    asking.end();
  });
}
