/** HTTP/1.1 on connections that were let in already. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Answer, headersOf } from "./answer.ts";
import {
  type Connection,
  type Connections,
  connectionBehind,
  type Exchange,
} from "./connections.ts";
import type { EdgeLimits } from "./limits.ts";
import type { QuietLog } from "./quietLog.ts";
import type { SentRequest } from "./request.ts";
import { sendBody } from "./sending.ts";

/** Answers a request, whatever it is; never rejects. */
export type Answerer = (
  sent: SentRequest,
  connection: Connection,
  exchange: Exchange,
) => Promise<Answer>;

export interface ProtocolParts {
  readonly limits: EdgeLimits;
  readonly log: QuietLog;
  readonly answer: Answerer;
}

const refusal =
  "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\ncache-control: no-store\r\n\r\n";

export function createHttp1(connections: Connections, { limits, log, answer }: ProtocolParts) {
  const server = createServer({ maxHeaderSize: limits.headerBytesMax });
  // Bun enforces no time-out on connections that are handed over; the sweep does. It is told to
  // the client all the same.
  server.keepAliveTimeout = limits.keepAliveMsMax;

  const responder =
    (readsBody: boolean) => (request: IncomingMessage, response: ServerResponse) => {
      respond(request, response, readsBody).catch((cause) => {
        log.warn("edge.answerFailed", { cause });
        request.socket.destroy();
      });
    };
  server.on("request", responder(true));
  // Whoever asks before sending a body is answered at once: there is no body that we want.
  server.on("checkContinue", responder(false));
  server.on("checkExpectation", responder(false));
  server.on("connect", (_request, socket) => socket.destroy());
  server.on("clientError", (_cause, socket) => {
    if (socket.writable) socket.end(refusal, () => socket.destroy());
    else socket.destroy();
  });

  async function respond(request: IncomingMessage, response: ServerResponse, readsBody: boolean) {
    const connection = connectionBehind(request.socket);
    if (connection === undefined || connection.underWay.size >= limits.pipelinedMax) {
      return void request.socket.destroy();
    }
    const exchange = connections.begin(connection, () => request.socket.destroy());
    response.on("error", () => request.socket.destroy());
    response.once("close", () => exchange.end());
    const bodyIsRead = !hasBody(request) || (readsBody && (await discard(request, limits)));
    const given = await answer(sentOver1(request), connection, exchange);
    if (response.destroyed) return;
    const last = given.last || !bodyIsRead || connections.stopping;
    response.writeHead(given.status, {
      ...headersOf(given),
      ...(last && { connection: "close" }),
    });
    sendBody(response, request.method === "HEAD" ? undefined : given.body, exchange);
  }

  return {
    take(connection: Connection): void {
      const { socket } = connection;
      connection.finish = () => {
        if (connection.underWay.size === 0) socket.end(() => socket.destroy());
      };
      server.emit("connection", socket);
    },
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** True when the whole body was read and thrown away; false when it is too long to be read. */
function discard(request: IncomingMessage, { bodyBytesMax }: EdgeLimits): Promise<boolean> {
  return new Promise((resolve) => {
    let bytes = 0;
    request.on("data", (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      if (bytes <= bodyBytesMax) return;
      request.pause();
      resolve(false);
    });
    request.once("end", () => resolve(true));
    request.once("close", () => resolve(false));
  });
}

function sentOver1(request: IncomingMessage): SentRequest {
  const hosts: string[] = [];
  // The headers by name hold only the first Host of several.
  request.rawHeaders.forEach((name, at) => {
    if (at % 2 === 0 && name.toLowerCase() === "host") hosts.push(request.rawHeaders[at + 1] ?? "");
  });
  return {
    method: request.method ?? "",
    target: request.url ?? "",
    // Two of one name are as wrong as two names (RFC 9112, section 3.2).
    hosts: hosts.length === 1 ? hosts : [],
    header: (name) => headerText(request.headers[name]),
  };
}

export function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}
