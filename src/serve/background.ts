/** What every process does beside answering requests. */
import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { keepEventsFor } from "../petstore/events/retention.ts";
import { UseRecorder } from "../petstore/keys/useRecorder.ts";
import type { Stores } from "../storage/stores.ts";
import { startWebhooks } from "./serveWebhooks.ts";

export interface BackgroundParts {
  readonly config: Config;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly stores: Stores;
}

export function startBackground(parts: BackgroundParts) {
  const { config, clock, log, stores } = parts;
  const uses = new UseRecorder(stores.keys, clock, (event, cause) => log.error(event, { cause }));
  const eventRetention = keepEventsFor(config.eventsDays, stores.events, clock, (cause) =>
    log.error("events.prune_failed", { cause }),
  );
  const webhooks = startWebhooks(parts);
  return {
    uses,
    webhookTools: webhooks.tools,
    /** Begins nothing new, and finishes what is under way, while requests are still answered. */
    finish: (graceMs: number) => webhooks.stop(graceMs),
    /** To be called then, after the last request. */
    async stop(): Promise<void> {
      await Promise.all([uses.close(), eventRetention.stop()]);
    },
  };
}
