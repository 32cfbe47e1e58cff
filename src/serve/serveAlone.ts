/** Serves in this process, until a reload puts others in its place; from then on it supervises them. */
import type { PassingLog } from "../core/log.ts";
import { type FirstSecrets, type Service, type ServiceParts, startService } from "./serve.ts";
import type { SupervisedService } from "./serveTogether.ts";
import type { ReloadReply, ReloadRequest } from "./supervisor/control.ts";
import { mapSockets } from "./supervisor/serviceSockets.ts";

/** A service that accepts connections, in whichever processes. */
export interface RunningService extends FirstSecrets, Pick<Service, "port" | "adminPort" | "edge"> {
  reload(request: ReloadRequest): Promise<ReloadReply>;
  stop(): Promise<void>;
  /** Ends at once whatever it has started. */
  kill(): void;
}

export interface RunParts extends Omit<ServiceParts, "member" | "families"> {
  readonly log: PassingLog;
}

export async function serveAlone(parts: RunParts): Promise<RunningService> {
  let supervised: Promise<SupervisedService> | undefined;
  const service = await startService({
    ...parts,
    families: async (own) =>
      supervised === undefined ? own() : (await supervised).supervisor.families(),
  });
  return {
    ...service,
    async reload(request) {
      supervised ??= supervise(service, parts).catch((cause) => {
        supervised = undefined;
        throw cause;
      });
      return (await supervised).reload(request);
    },
    async stop() {
      if (supervised === undefined) return service.stop();
      await (await supervised).stop();
      await service.stopMetrics();
      parts.log.flush();
    },
    kill: () => void supervised?.then(({ supervisor }) => supervisor.kill()),
  };
}

/** Loaded when it is needed: a service that is never reloaded starts faster. */
async function supervise(service: Service, parts: RunParts): Promise<SupervisedService> {
  const [{ SupervisedService }, { duplicate }] = await Promise.all([
    import("./serveTogether.ts"),
    import("../wire/listeningSockets.ts"),
  ]);
  const { counts, recent } = service;
  // Its own are closed when it stops.
  const sockets = mapSockets(service.sockets, duplicate);
  const supervised = new SupervisedService({ ...parts, counts, recent, sockets });
  await supervised.adopt(service);
  return supervised;
}
