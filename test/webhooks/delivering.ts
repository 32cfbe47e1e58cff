/** A worker with real stores, a real sender, and a clock that the test moves. */
import { systemClock } from "../../src/core/clock.ts";
import { MetricsRegistry } from "../../src/core/metrics.ts";
import { Vault } from "../../src/core/vault.ts";
import { type SenderOptions, WebhookSender } from "../../src/outbound/webhookSender.ts";
import { WebhookMetrics } from "../../src/petstore/webhooks/webhookMetrics.ts";
import {
  createEndpoint,
  type Endpoint,
  type NewEndpoint,
} from "../../src/petstore/webhooks/webhooks.ts";
import { WebhookWorker } from "../../src/petstore/webhooks/worker.ts";
import type { Stores } from "../../src/storage/stores.ts";
import { eventually } from "../../testkit/eventually.ts";
import type { FakeClock } from "../../testkit/fakeClock.ts";
import type { Receiver } from "../outbound/receiver.ts";

const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

interface Logged {
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export class Delivering implements AsyncDisposable {
  readonly stores: Stores;
  readonly clock: FakeClock;
  readonly logged: Logged[] = [];
  readonly registry = new MetricsRegistry();
  readonly vault: Vault;
  readonly #sender: WebhookSender;
  readonly worker: WebhookWorker;

  constructor(
    stores: Stores,
    clock: FakeClock,
    {
      secret = "the secret of this service",
      sender = {},
    }: { readonly secret?: string; readonly sender?: Partial<SenderOptions> } = {},
  ) {
    this.stores = stores;
    this.clock = clock;
    this.vault = new Vault(secret, systemClock);
    const isAllowed = (address: string) => address === "127.0.0.1";
    this.#sender = new WebhookSender({ clock: systemClock, isAllowed, ...sender });
    this.worker = new WebhookWorker({
      metrics: new WebhookMetrics(this.registry),
      ...{ store: stores.webhooks, events: stores.events, vault: this.vault, clock },
      load: () => ({ requests: 0, requestMs: 0, cpuMs: 0 }),
      send: (message) => this.#sender.send(message),
      log: {
        warn: (event, fields) => void this.logged.push({ level: "warn", event, fields }),
        error: (event, fields) => void this.logged.push({ level: "error", event, fields }),
      },
    });
  }

  async endpoint({ port }: Receiver, parts: Partial<NewEndpoint> = {}) {
    const url = `http://127.0.0.1:${port}/hooks`;
    const wanted = { url, types: undefined, description: "", ...parts };
    const made = createEndpoint(wanted, this.vault, this.clock);
    await this.stores.webhooks.add(made.endpoint);
    return made;
  }

  /** Lets time pass, by a little unless said, until the answer is yes. */
  until(ask: () => unknown | Promise<unknown>, stepMs = 300): Promise<unknown> {
    return eventually(
      async () => {
        this.clock.advance(stepMs);
        await this.worker.tick();
        return Boolean(await ask());
      },
      () => JSON.stringify(this.logged),
    );
  }

  async deliveries({ id }: Endpoint) {
    const found = await this.stores.webhooks.listDeliveries({ endpointId: id, limit: 10_000 });
    return found.toReversed();
  }

  async states(endpoint: Endpoint): Promise<string[]> {
    return (await this.deliveries(endpoint)).map(({ state }) => state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = this.worker.stop(60_000);
    this.#sender.close();
    await stopped;
  }
}

export const add = async ({ catalogue }: Stores, count: number) => {
  for (let left = count; left > 0; left--) await catalogue.add(bella);
};
