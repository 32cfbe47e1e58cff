/** Serves as one of several processes, on listening sockets that another one has opened. */
import type { StoreVersion } from "../storage/stores.ts";
import { type Membership, type ServiceParts, startService } from "./serve.ts";
import { Channel } from "./supervisor/channel.ts";
import { remoteCounts } from "./supervisor/remoteCounts.ts";
import { pickSockets } from "./supervisor/serviceSockets.ts";
import { protocol, type WorkerOrder } from "./supervisor/worker.ts";

interface WorkerParts extends Omit<ServiceParts, "member" | "families" | "leads"> {
  readonly storeVersion: () => Promise<StoreVersion>;
}

/** Resolves with the exit code after a graceful stop. `explain` is for people. */
export async function serveAsWorker(
  order: WorkerOrder,
  makeParts: () => WorkerParts,
  explain: (cause: unknown) => string,
): Promise<number> {
  const stopRequest = Promise.withResolvers<{ readonly replaced: boolean }>();
  const channel: Channel = new Channel((message) => void process.send?.(message), {
    // A supervisor of an older release does not say what it wants.
    families: async (stored = true) =>
      stored ? (await service).families() : (await service).counted(),
    recent: async () => (await service).recent.steps(),
    accept: async (indexes: readonly number[]) => {
      const wanted = indexes.filter((index) => !accepted.has(index));
      for (const index of wanted) accepted.add(index);
      await (await service).accept(pickSockets(order.sockets, wanted));
    },
    stop: stopRequest.resolve,
  });
  const accepted = new Set(order.accepts);
  process.on("message", (message) => void channel.receive(message));
  process.on("SIGTERM", () => stopRequest.resolve({ replaced: false }));
  // A terminal sends these to all processes; the one that supervises decides what they mean.
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  process.on("disconnect", () => {
    channel.close();
    stopRequest.resolve({ replaced: false });
  });

  const service = start(order, makeParts, channel);
  const stopping = service.then(async (running) => {
    await channel.ask("started");
    const how = await stopRequest.promise;
    await running.stop(how);
    await channel.ask("ending", { families: running.counted(), recent: running.recent.steps() });
    return 0;
  });
  const code = await stopping.catch(async (cause) => {
    await channel.ask("failed", explain(cause)).catch(() => {});
    return 1;
  });
  if (process.connected) process.disconnect?.();
  return code;
}

async function start(order: WorkerOrder, makeParts: () => WorkerParts, channel: Channel) {
  if (order.protocol !== protocol) {
    throw new Error("This release cannot work with the one that is running: restart the service.");
  }
  const parts = makeParts();
  if (!order.migrates) {
    const { version, latest } = await parts.storeVersion();
    if (version !== latest) {
      throw new Error(
        "This release has to migrate the database, which processes of the release before use: run petstore migrate, or restart the service.",
      );
    }
  }
  return startService({
    ...parts,
    leads: order.slot === 0,
    member: {
      sockets: pickSockets(order.sockets, order.accepts),
      counts: remoteCounts(channel, order.salt, parts.clock),
      recentOfOthers: () =>
        channel.ask("recentOfOthers") as ReturnType<Membership["recentOfOthers"]>,
    },
  });
}
