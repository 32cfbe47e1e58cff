/** HTTP/2 on connections that were let in already. */
import {
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { headersOf } from "./answer.ts";
import { type Connection, type Connections, connectionBehind } from "./connections.ts";
import { headerText, type ProtocolParts } from "./http1.ts";
import type { SentRequest } from "./request.ts";
import { sendBody } from "./sending.ts";

export function createHttp2(connections: Connections, { limits, log, answer }: ProtocolParts) {
  // Floods of pings, settings, resets and empty frames are ended by the protocol's own engine.
  const server = createServer({
    settings: {
      maxConcurrentStreams: limits.streamsMax,
      maxHeaderListSize: limits.headerBytesMax,
      enablePush: false,
    },
    maxSessionInvalidFrames: 10,
    maxSettings: 16,
    maxHeaderListPairs: 100,
  });

  server.on("session", (session: ServerHttp2Session) => {
    const connection = connectionBehind(session.socket as Socket);
    if (connection === undefined) return session.destroy();
    session.on("error", () => connection.socket.destroy());
    connection.finish = () => session.close();
  });
  server.on("sessionError", (_cause, session) => session.destroy());
  server.on("stream", (stream, headers) => {
    respond(stream as ServerHttp2Stream, headers).catch((cause) => {
      log.warn("edge.answerFailed", { cause });
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
  });

  async function respond(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    const { session } = stream;
    const connection = session && connectionBehind(session.socket as Socket);
    if (session === undefined || connection === undefined) return stream.destroy();
    const exchange = connections.begin(connection, () => {
      // A stream that its reader neither takes nor lets go is held by nobody's good will.
      stream.close(constants.NGHTTP2_CANCEL);
      exchange.end();
    });
    stream.on("error", () => {});
    stream.once("close", () => exchange.end());
    const given = await answer(sentOver2(headers), connection, exchange);
    if (stream.destroyed || stream.closed) return exchange.end();
    const bare = headers[":method"] === "HEAD" || given.body === undefined;
    stream.respond({ ":status": given.status, ...headersOf(given) }, { endStream: bare });
    // Once it is complete, the engine resets what is still being sent of the request's body.
    if (!bare) sendBody(stream, given.body, exchange);
    if (given.last || connections.stopping) session.close();
  }

  return {
    take(connection: Connection): void {
      server.emit("connection", connection.socket);
    },
  };
}

function sentOver2(headers: IncomingHttpHeaders): SentRequest {
  const authority = headers[":authority"];
  const named = [authority, headers.host].filter((host) => host !== undefined);
  return {
    method: headerText(headers[":method"]) ?? "",
    target: headerText(headers[":path"]) ?? "",
    hosts: named.map((host) => headerText(host) ?? ""),
    header: (name) => headerText(headers[name]),
  };
}
