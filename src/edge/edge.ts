/** The HTTP and HTTPS listeners that answer for attached domains. */
import { type AddressInfo, createServer, type Server } from "node:net";
import type { Clock } from "../clock.ts";
import type { EdgeView } from "../domains/edgeView.ts";
import type { Vault } from "../domains/vault.ts";
import type { Log } from "../log.ts";
import { type Answer, bodyBytesOf, say } from "./answer.ts";
import { type Answering, type AnswerSite, busy, createAnswering } from "./answering.ts";
import { type Connection, Connections } from "./connections.ts";
import { Contexts } from "./contexts.ts";
import { type Answerer, createHttp1 } from "./http1.ts";
import { createHttp2 } from "./http2.ts";
import { type EdgeLimits, edgeLimits } from "./limits.ts";
import { QuietLog } from "./quietLog.ts";
import { type ReadRequest, readRequest } from "./request.ts";
import { createSecuredServer } from "./secured.ts";
import { Watch } from "./watch.ts";

export interface EdgeParts {
  readonly view: EdgeView;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly log: Log;
  readonly answerSite: AnswerSite;
  /** Tells this edge from the others. */
  readonly id: string;
  readonly host: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Where browsers reach the HTTPS listener; redirects lead there. */
  readonly publicHttpsPort: number;
  /** The address at which other processes dial the HTTP listener. */
  readonly reachableAt: string;
  readonly limits?: Partial<EdgeLimits>;
}

export interface RunningEdge {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Takes no new connection, lets answers under way finish within the time, then ends them. */
  stop(graceMs: number): Promise<void>;
}

export async function startEdge(parts: EdgeParts): Promise<RunningEdge> {
  const { view, clock, id } = parts;
  const limits = { ...edgeLimits, ...parts.limits };
  const log = new QuietLog(parts.log, clock, limits.quietMs);
  const connections = new Connections(clock, limits);
  const answering = createAnswering({ ...parts, log });
  const answer = createAnswerer(answering, parts);
  const http1 = createHttp1(connections, { limits, log, answer });
  const http2 = createHttp2(connections, { limits, log, answer });
  const contexts = new Contexts(view, parts.vault, limits.contextsMax);
  const secured = createSecuredServer({ view, contexts, connections, log, http1, http2 });
  const plain = createServer({ noDelay: true }, (socket) => {
    const connection = connections.admit(socket, "first_request");
    if (connection !== undefined) http1.take(connection);
  });

  const httpPort = await listen(plain, parts.httpPort, parts.host);
  const httpsPort = await listen(secured, parts.httpsPort, parts.host).catch((cause) => {
    plain.close();
    throw cause;
  });
  for (const server of [plain, secured]) {
    // Such as too many open files: it goes on with those that it has.
    server.on("error", (cause) => log.warn("edge.acceptFailed", { cause }));
  }
  const endSweeps = clock.every(limits.sweepEveryMs, () => connections.sweep());
  const self = { id, address: parts.reachableAt, httpPort };
  const watch = new Watch(view, self, connections, { clock, log, limits });
  await watch.poll();
  parts.log.info("edge.started", { id, host: parts.host, httpPort, httpsPort });

  return {
    httpPort,
    httpsPort,
    async stop(graceMs) {
      plain.close();
      secured.close();
      await connections.drain(graceMs);
      endSweeps();
      await watch.stop();
      parts.log.info("edge.stopped", { id });
    },
  };
}

/** Reads, decides and logs; what an answer holds in memory is counted here. */
function createAnswerer(answering: Answering, { clock, log }: EdgeParts): Answerer {
  return async (sent, connection, exchange) => {
    const startedMs = clock.elapsed();
    const read = readRequest(sent);
    const given = await decide(answering, read, connection);
    const answer = exchange.hold(bodyBytesOf(given)) ? given : busy();
    log.info("edge.request", {
      secured: connection.serverName !== undefined,
      method: sent.method,
      ...(read.kind === "request" && { host: read.request.host, path: read.request.path }),
      status: answer.status,
      durationMs: Math.round((clock.elapsed() - startedMs) * 1000) / 1000,
    });
    return answer;
  };
}

async function decide(
  answering: Answering,
  read: ReadRequest,
  { serverName }: Connection,
): Promise<Answer> {
  if (read.kind === "unreadable") {
    return say(400, `This request cannot be understood. ${read.why}`, { last: true });
  }
  return serverName === undefined
    ? answering.plain(read.request)
    : answering.secured(read.request, serverName);
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
