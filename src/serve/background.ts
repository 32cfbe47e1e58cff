/** What every process does beside answering requests. */
import type { Config } from "../config/config.ts";
import { allOperations } from "../contract/operations.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { MetricsRegistry } from "../core/metrics.ts";
import type { Tracer } from "../core/tracing.ts";
import { keepEventsFor, repeatEvery } from "../petstore/events/retention.ts";
import { sunsetsOf } from "../petstore/keys/sunsets.ts";
import { UseRecorder } from "../petstore/keys/useRecorder.ts";
import type { Stores } from "../storage/stores.ts";
import { startMails } from "./serveMails.ts";
import { startWebhooks } from "./serveWebhooks.ts";

export interface BackgroundParts {
  readonly config: Config;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly stores: Stores;
  readonly registry: MetricsRegistry;
  readonly tracer?: Tracer | undefined;
}

/** How often to look for what becomes true by time alone. */
const scanEveryMs = 60_000;

export function startBackground(parts: BackgroundParts) {
  const { config, clock, log, stores } = parts;
  const uses = new UseRecorder(stores.keys, clock, (event, cause) => log.error(event, { cause }));
  const eventRetention = keepEventsFor(config.eventsDays, stores.events, clock, (cause) =>
    log.error("events.prune_failed", { cause }),
  );
  // Every process looks; the store records each of them once.
  const scans = [
    () => stores.keys.recordExpiry(clock.now()),
    () => stores.domains.recordExpiry(clock.now()),
    () => stores.keys.recordSunsets(sunsetsOf(allOperations, clock.now())),
  ].map((scan) =>
    repeatEvery(scanEveryMs, scan, clock, (cause) => log.error("events.scan_failed", { cause })),
  );
  const webhooks = startWebhooks(parts);
  const mails = startMails(parts);
  return {
    uses,
    webhookTools: webhooks.tools,
    /** To be called for every request: what runs beside them gives way. */
    requestAnswered: webhooks.requestAnswered,
    /** Begins nothing new, and finishes what is under way, while requests are still answered. */
    async finish(graceMs: number): Promise<void> {
      await Promise.all([webhooks.stop(graceMs), mails.stop(graceMs)]);
    },
    /** To be called then, after the last request. */
    async stop(): Promise<void> {
      await Promise.all([uses.close(), ...[...scans, eventRetention].map((each) => each.stop())]);
    },
  };
}
