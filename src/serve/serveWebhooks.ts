/** Delivers webhooks beside the API. */
import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { MetricsRegistry } from "../core/metrics.ts";
import type { Tracer } from "../core/tracing.ts";
import { Vault } from "../core/vault.ts";
import type { WebhookSender } from "../outbound/webhookSender.ts";
import type { AllowedNetworks } from "../petstore/webhooks/address.ts";
import { WebhookMetrics } from "../petstore/webhooks/webhookMetrics.ts";
import type { WebhookTools } from "../petstore/webhooks/webhookService.ts";
import type { SignedMessage } from "../petstore/webhooks/webhooks.ts";
import { WebhookWorker } from "../petstore/webhooks/worker.ts";
import type { Stores } from "../storage/stores.ts";
import { TrustedProxies } from "../wire/trustedProxies.ts";
import { tracedSend } from "./serveTraces.ts";

interface WebhookParts {
  readonly config: Config;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly stores: Stores;
  readonly registry: MetricsRegistry;
  readonly tracer?: Tracer | undefined;
}

/** Undefined where the settings allow no network. */
function allowedNetworks({ webhookNetworks }: Config): AllowedNetworks | undefined {
  if (webhookNetworks.length === 0) return undefined;
  const networks = new TrustedProxies(webhookNetworks);
  return (address) => networks.trusts(address);
}

/** Loaded when the first message is sent: TLS would make every start slower. */
function lazySender(config: Config, clock: Clock) {
  const isAllowed = allowedNetworks(config) ?? (() => false);
  let made: Promise<WebhookSender> | undefined;
  return {
    async send(message: SignedMessage) {
      made ??= import("../outbound/webhookSender.ts").then(
        ({ WebhookSender }) => new WebhookSender({ clock, isAllowed }),
      );
      return (await made).send(message);
    },
    async close() {
      (await made)?.close();
    },
  };
}

/** Every process of a service does this: leases share the endpoints out. */
export function startWebhooks(parts: WebhookParts) {
  const { config, secret, clock, log, stores, registry, tracer } = parts;
  const { close, ...tools } = webhookTools(config, secret, clock);
  const { webhooks: store, events } = stores;
  let [requests, requestMs] = [0, 0];
  const load = () => {
    const { user, system } = process.cpuUsage();
    return { requests, requestMs, cpuMs: (user + system) / 1_000 };
  };
  const metrics = new WebhookMetrics(registry);
  const send = tracer === undefined ? tools.send : tracedSend(tools.send, tracer);
  const worker = new WebhookWorker({ ...tools, send, store, events, clock, log, load, metrics });
  worker.start();
  return {
    tools,
    /** To be called for every request: deliveries are slow beside many of them. */
    requestAnswered(seconds: number): void {
      requests++;
      requestMs += seconds * 1_000;
    },
    async stop(graceMs: number): Promise<void> {
      await worker.stop(graceMs);
      await close();
    },
  };
}

/** To be closed after use. `secret` is that of the service. */
export function webhookTools(
  config: Config,
  secret: string,
  clock: Clock,
): WebhookTools & { close(): Promise<void> } {
  const vault = new Vault(secret, clock);
  return { ...lazySender(config, clock), vault, isAllowed: allowedNetworks(config) };
}
