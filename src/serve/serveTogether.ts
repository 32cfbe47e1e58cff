/** Serves in several processes, which this one supervises and replaces when it is reloaded. */
import { resolve } from "node:path";
import { type Config, readConfig } from "../config/config.ts";
import type { Variables } from "../config/settings.ts";
import type { Log } from "../core/log.ts";
import { ownCommand } from "../core/runtimeFiles.ts";
import { listenForMetrics } from "../http/listeners.ts";
import { Recent } from "../http/recentRequests.ts";
import { OwnCounts } from "../petstore/keys/rateLimiter.ts";
import type { ListenAddress, OpenListener } from "../wire/listener.ts";
import { closeSocket, openListeningSockets } from "../wire/listeningSockets.ts";
import { createFirstSecrets, type FirstSecrets, type Service } from "./serve.ts";
import { type RunningService, type RunParts, serveAlone } from "./serveAlone.ts";
import { listenPersistently } from "./startFailure.ts";
import { type ReloadReply, type ReloadRequest, withSettings } from "./supervisor/control.ts";
import type { ServiceSockets } from "./supervisor/serviceSockets.ts";
import { type Plan, processorsAvailable, Supervisor } from "./supervisor/supervisor.ts";
import { type Ending, startWorker, type Worker } from "./supervisor/worker.ts";

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
      edge: service.edge,
      reload: (request) => service.reload(request),
      async stop() {
        await service.stop();
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
    // Without the system's code, which would be taken for that of a listener.
    await service.start().catch((cause) => {
      throw new Error((cause as Error).message, { cause });
    });
    // Last of all: a key that is stored must be shown, and nothing may fail in between.
    return await createFirstSecrets(stores, config, clock);
  } finally {
    await stores.close();
  }
}

/** All of them or none. What is refused says which listener it is about. */
function openEach<Name extends keyof ServiceSockets>(
  listeners: Record<Name, (ListenAddress & { readonly about?: object }) | undefined>,
  count: number,
): Record<Name, OpenListener | undefined> {
  const opened: [string, OpenListener][] = [];
  for (const [name, at] of Object.entries<(typeof listeners)[Name]>(listeners)) {
    try {
      if (at !== undefined) opened.push([name, openListeningSockets(at, count)]);
    } catch (cause) {
      for (const [, listener] of opened) closeEach(listener);
      throw Object.assign(cause as Error, at?.about);
    }
  }
  return Object.fromEntries(opened) as Record<Name, OpenListener | undefined>;
}

function closeEach(listener: OpenListener | undefined): void {
  for (const socket of listener?.sockets ?? []) closeSocket(socket);
}

function openSockets({ host, port, admin }: Config, count: number): ServiceSockets {
  const at = { admin: admin && { ...admin, about: { admin: true } }, api: { host, port } };
  return openEach(at, count) as ServiceSockets;
}

/** What the edge is to listen on; undefined where this service has none. */
function edgeOf({ domains, roles }: Config) {
  return roles.includes("edge") ? domains?.edge : undefined;
}

type SupervisedParts = Pick<RunParts, "config" | "clock" | "log"> &
  Pick<Service, "sockets" | "counts" | "recent">;

function processesOf({ processes }: Config): number {
  return processes === "auto" ? processorsAvailable() : processes;
}

export class SupervisedService {
  readonly supervisor: Supervisor;
  readonly #parts: SupervisedParts;
  #variables: Variables = process.env;
  #sockets: ServiceSockets;
  #openingEdge: ReturnType<typeof listenPersistently> | undefined;
  #reloads: Promise<unknown> = Promise.resolve();

  constructor(parts: SupervisedParts) {
    this.#parts = parts;
    this.#sockets = parts.sockets;
    this.supervisor = new Supervisor(parts);
  }

  /** Where attached names are answered for; undefined where they are not. */
  get edge(): Service["edge"] {
    const { edgeHttp, edgeHttps } = this.#sockets;
    return edgeHttp && edgeHttps && { httpPort: edgeHttp.port, httpsPort: edgeHttps.port };
  }

  async start(): Promise<void> {
    await this.#openEdge();
    await this.supervisor.start(this.#plan(this.#parts.config, this.#variables, true));
  }

  /** Supervises a service of this process, which serves until it is replaced. */
  adopt(service: Service): Promise<void> {
    const plan = { ...this.#plan(this.#parts.config, this.#variables, true), processes: 1 };
    return this.supervisor.start({ ...plan, start: () => inThisProcess(service, this.#parts.log) });
  }

  async stop(): Promise<void> {
    await (await this.#openingEdge)?.stop(0);
    await this.supervisor.stop();
  }

  /** Throws what is wrong with the settings, or why the new processes did not start. */
  reload(request: ReloadRequest): Promise<ReloadReply> {
    // One after the other: each begins with the settings that the one before has left.
    const reload = this.#reloads.then(() => this.#reload(request));
    this.#reloads = reload.catch((cause) => this.#parts.log.error("reload.failed", { cause }));
    return reload;
  }

  /** Tries again until the ports are free. Processes have them from the next reload. */
  async #openEdge(): Promise<void> {
    const edge = edgeOf(this.#parts.config);
    if (edge === undefined || this.#sockets.edgeHttp || this.#openingEdge) return;
    const { host, httpPort, httpsPort } = edge;
    const listener = (port: number, setting: string) => ({ host, port, about: { setting, port } });
    let handOver: () => Promise<unknown> = async () => {};
    this.#openingEdge = listenPersistently(async () => {
      const opened = openEach(
        {
          edgeHttp: listener(httpPort, "PETSTORE_EDGE_HTTP_PORT"),
          edgeHttps: listener(httpsPort, "PETSTORE_EDGE_HTTPS_PORT"),
        },
        this.#sockets.api.sockets.length,
      );
      const before = this.#sockets;
      this.#sockets = { ...before, ...opened };
      try {
        await handOver();
      } catch (cause) {
        this.#sockets = before;
        for (const each of Object.values(opened)) closeEach(each);
        throw cause;
      }
      return { stop() {} };
    }, this.#parts);
    await this.#openingEdge;
    handOver = () => this.reload({});
  }

  async #reload({ settings }: ReloadRequest): Promise<ReloadReply> {
    const variables =
      settings === undefined ? this.#variables : withSettings(process.env, settings);
    const config = readConfig(variables);
    const fixed = fixedSettings.filter(
      ({ of }) => JSON.stringify(of(config)) !== JSON.stringify(of(this.#parts.config)),
    );
    if (fixed.length > 0) {
      const names = fixed.map(({ names }) => names).join(", ");
      throw new Error(`These settings can only be changed by a restart: ${names}.`);
    }
    await this.#openEdge();
    const plan = this.#plan(config, variables, false);
    await this.supervisor.reload(plan);
    this.#variables = variables;
    return { reloaded: true, processes: plan.processes };
  }

  #plan(config: Config, variables: Variables, migrates: boolean): Plan {
    const { counts, log } = this.#parts;
    const sockets = this.#sockets;
    const processes = processesOf(config);
    return {
      processes,
      sockets: sockets.api.sockets.length,
      stopMsMax: config.shutdownSecondsMax * 1000,
      start: (slot) =>
        startWorker({
          command: ownCommand,
          variables,
          slot,
          processes,
          sockets,
          migrates,
          counts,
          recentOfOthers: (asking) => this.supervisor.recentOfOthers(asking),
          logged: (lines) => log.passOn(lines),
        }),
    };
  }
}

/** What listens and what is stored belongs to the service as a whole, not to its processes. */
const fixedSettings: readonly { names: string; of: (config: Config) => unknown }[] = [
  { names: "HOST", of: ({ host }) => host },
  { names: "PORT", of: ({ port }) => port },
  { names: "PETSTORE_ENV", of: ({ environment }) => environment },
  { names: "PETSTORE_DATA", of: ({ dataFolder }) => resolve(dataFolder) },
  {
    names: "DATABASE_URL",
    // User and password may change.
    of: ({ database }) => database?.address.replace(/^(\w+:\/\/)[^/?]*@/, "$1"),
  },
  { names: "PETSTORE_METRICS_HOST or PETSTORE_METRICS_PORT", of: ({ metrics }) => metrics },
  {
    names: "PETSTORE_ADMIN_HOST or PETSTORE_ADMIN_PORT",
    of: ({ admin }) => admin && [admin.host, admin.port],
  },
  {
    names: "PETSTORE_DOMAIN, PETSTORE_SITES_HOST, PETSTORE_ROLES or PETSTORE_EDGE_*",
    of(config) {
      const edge = edgeOf(config);
      return edge && [edge.host, edge.httpPort, edge.httpsPort];
    },
  },
];

/** Its figures of the last hour are the supervisor's own, so they are not counted twice. */
function inThisProcess(service: Service, log: Log): Worker {
  const { promise: ended, resolve: end } = Promise.withResolvers<Ending>();
  const counted = () => service.counted().filter(({ name }) => !name.startsWith("process_"));
  return {
    pid: process.pid,
    started: Promise.resolve(),
    ended,
    families: async (stored) =>
      stored
        ? (await service.families()).filter(({ name }) => !name.startsWith("process_"))
        : counted(),
    recent: async () => [],
    accept: async () => {},
    stop({ replaced }) {
      const stopped = service.stop({ replaced, keepMetrics: true });
      const finish = (code: number) => end({ code, signal: null, families: counted() });
      stopped.then(
        () => finish(0),
        (cause) => {
          log.error("service.stop_failed", { cause });
          finish(1);
        },
      );
    },
    kill: () => end({ code: null, signal: null, families: counted() }),
  };
}
