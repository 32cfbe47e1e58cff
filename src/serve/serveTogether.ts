/** Serves in several processes, which this one only supervises. */
import { type Config, StartError } from "../config/config.ts";
import { listenForMetrics } from "../http/listeners.ts";
import { Recent } from "../http/recent.ts";
import { OwnCounts } from "../petstore/keys/rateLimiter.ts";
import type { ListenAddress, OpenListener } from "../wire/listener.ts";
import { closeSocket, openListeningSockets } from "../wire/listeningSockets.ts";
import { processesOf, SupervisedService } from "./reloads.ts";
import { createFirstSecrets, type FirstSecrets } from "./serve.ts";
import { type RunningService, type RunParts, serveAlone } from "./serveAlone.ts";
import type { ServiceSockets } from "./supervisor/serviceSockets.ts";

export async function serveTogether(parts: RunParts): Promise<RunningService> {
  const { config, clock, log } = parts;
  const processes = processesOf(config);
  if (processes === 1) return serveAlone(parts);
  const sockets = openSockets(config, processes);
  const recent = new Recent(clock);
  const service = new SupervisedService({
    ...parts,
    counts: new OwnCounts(clock),
    recent,
    sockets,
  });
  const { supervisor } = service;
  const { metrics: at } = config;
  const metricsListener =
    at && (await listenForMetrics(at, () => supervisor.families(), clock, log));
  try {
    const first = await startFirst(service, parts);
    const metricsPort = metricsListener?.port;
    log.info("service.supervised", { processes, port: sockets.api.port, metricsPort });
    return {
      ...first,
      port: sockets.api.port,
      adminPort: sockets.admin?.port,
      reload: (request) => service.reload(request),
      async stop() {
        await supervisor.stop();
        await metricsListener?.stop(0);
        log.info("service.stopped", { processes });
        log.flush();
      },
      kill: () => supervisor.kill(),
    };
  } catch (cause) {
    await metricsListener?.stop(0);
    log.flush();
    throw cause;
  }
}

/** Makes the store or brings it up to date once, before several processes open it. */
async function startFirst(service: SupervisedService, parts: RunParts): Promise<FirstSecrets> {
  const { config, clock } = parts;
  const stores = await parts.openStores({ environment: config.environment, clock });
  try {
    await service.start().catch((cause) => {
      throw new StartError((cause as Error).message, { cause });
    });
    // Last of all: a key that is stored must be shown, and nothing may fail in between.
    return await createFirstSecrets(stores, config, clock);
  } finally {
    await stores.close();
  }
}

/** All of them or none. What is refused says which listener it is about. */
function openSockets({ host, port, admin, domains, roles }: Config, count: number): ServiceSockets {
  const opened: OpenListener[] = [];
  const open = (at: ListenAddress, about: object) => {
    try {
      opened.push(openListeningSockets(at, count));
      return opened.at(-1) as OpenListener;
    } catch (cause) {
      for (const socket of opened.flatMap(({ sockets }) => sockets)) closeSocket(socket);
      throw Object.assign(cause as Error, about);
    }
  };
  const edge = roles.includes("edge") ? domains?.edge : undefined;
  const openEdge = (port: number, setting: string) =>
    edge && open({ host: edge.host, port }, { setting, port });
  return {
    admin: admin && open(admin, { admin: true }),
    api: open({ host, port }, {}),
    edgeHttp: edge && openEdge(edge.httpPort, "PETSTORE_EDGE_HTTP_PORT"),
    edgeHttps: edge && openEdge(edge.httpsPort, "PETSTORE_EDGE_HTTPS_PORT"),
  };
}
