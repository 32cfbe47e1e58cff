/** What the operator does with webhooks, by the API and by commands. Results are as the API shows them. */
import type * as shown from "../../contract/generated/platform.ts";
import { toJson } from "../../contract/json.ts";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";
import type { Vault } from "../../core/vault.ts";
import {
  type EventPattern,
  type EventStore,
  type EventType,
  eventPatterns,
  matchingTypes,
  shopPatterns,
} from "../events/events.ts";
import { type AllowedNetworks, urlError } from "./address.ts";
import { type AttemptResult, isSuccess } from "./schedule.ts";
import { signedHeaders } from "./signature.ts";
import {
  type Attempt,
  createEndpoint,
  type Delivery,
  type DeliveryState,
  type Endpoint,
  type Header,
  messageId,
  type NewEndpoint,
  openSecrets,
  resourceOf,
  rotateSecret,
  type SignedMessage,
  type WebhookStore,
} from "./webhooks.ts";

export interface WebhookTools {
  /** Seals the secrets. */
  readonly vault: Vault;
  /** Undefined where the settings allow no network. */
  readonly isAllowed: AllowedNetworks | undefined;
  /** Never rejects. */
  send(message: SignedMessage): Promise<AttemptResult>;
}

export interface WebhookServiceParts extends WebhookTools {
  readonly store: WebhookStore;
  readonly events: Pick<EventStore, "lastId" | "list">;
  readonly clock: Clock;
}

export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly type?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

export class WebhookService {
  readonly #parts: WebhookServiceParts;

  constructor(parts: WebhookServiceParts) {
    this.#parts = parts;
  }

  async list(): Promise<readonly shown.Webhook[]> {
    return (await this.#parts.store.list()).map((endpoint) => this.#shown(endpoint));
  }

  /** The secret is known now and never again. */
  async create(wanted: shown.NewWebhook): Promise<shown.MintedWebhook> {
    const { store, vault, clock } = this.#parts;
    const { endpoint, secret } = createEndpoint(this.#read(wanted), vault, clock);
    if (!(await store.add(endpoint))) throw new Problem("too_many_webhooks");
    return { webhook: this.#shown(endpoint), secret };
  }

  async show(id: string): Promise<shown.WebhookDetails> {
    const { store, events } = this.#parts;
    const endpoint = await this.#find(id);
    const behind = Math.max(0, (await events.lastId()) - (await this.#readUpTo(endpoint)));
    return { ...this.#shown(endpoint), pending: await store.countPending(id), behind };
  }

  /** Its place is stored only now and then while it gets nothing. */
  async #readUpTo({ id, types, place }: Endpoint): Promise<number> {
    const query = { types: types && matchingTypes(types), after: place, limit: 10 };
    const page = await this.#parts.events.list(query);
    const next = page?.events.find(({ resource }) => resource !== resourceOf(id));
    return next === undefined ? (page?.readUpTo ?? place) : next.id - 1;
  }

  async update(id: string, wanted: shown.NewWebhook): Promise<shown.Webhook> {
    await this.#find(id);
    requireDone(await this.#parts.store.update(id, this.#read(wanted)));
    return this.#shown(await this.#find(id));
  }

  enable(id: string): Promise<shown.Webhook> {
    return this.#setDisabled(id, undefined);
  }

  disable(id: string): Promise<shown.Webhook> {
    return this.#setDisabled(id, "operator");
  }

  async remove(id: string): Promise<void> {
    requireDone(await this.#parts.store.remove(id));
  }

  /** The old secret signs for the overlap, too. */
  async rotate(id: string, overlapSeconds: number): Promise<shown.MintedWebhook> {
    const { store, vault, clock } = this.#parts;
    const endpoint = await this.#find(id);
    const { secrets, secret } = rotateSecret(endpoint, overlapSeconds * 1_000, vault, clock);
    if (!(await store.replaceSecrets(endpoint, secrets))) throw new Problem("changed_meanwhile");
    return { webhook: this.#shown({ ...endpoint, secrets }), secret };
  }

  /** Sends a message once, which is listed nowhere. */
  async test(id: string): Promise<shown.WebhookTest> {
    const { clock, send } = this.#parts;
    const endpoint = await this.#find(id);
    const nowMs = clock.now();
    const timestamp = new Date(nowMs).toISOString();
    const body = JSON.stringify({ type: "webhook.test", timestamp, data: {} });
    const message = `test_${Buffer.from(clock.random(9)).toString("base64url")}`;
    const headers = signedHeaders({ id: message, body }, this.#secretsOf(endpoint), nowMs);
    const attempt = await send({ url: endpoint.url, headers, body });
    const delivered = isSuccess(attempt);
    return { id: message, delivered, body, attempt: attemptShown(attempt) };
  }

  /** The newest first. */
  async deliveries(id: string, filter: DeliveryFilter): Promise<shown.DeliveryPage> {
    await this.#find(id);
    const { limit } = filter;
    // A type that there is not is one that no delivery has.
    const type = filter.type as EventType | undefined;
    const query = { ...filter, type, endpointId: id, limit: limit + 1 };
    const found = await this.#parts.store.listDeliveries(query);
    const items = found.slice(0, limit).map(deliveryShown);
    return { items, next: found.length > limit ? (items.at(-1)?.eventId ?? null) : null };
  }

  async delivery(id: string, eventId: number): Promise<shown.DeliveryDetails> {
    await this.#find(id);
    const found = await this.#parts.store.getDelivery(id, eventId);
    if (found === undefined) throw new Problem("delivery_not_found");
    const { endpointId: _, tries: __, trace: ___, attempts, ...delivery } = found;
    return {
      ...toJson(delivery),
      messageId: messageId(found),
      attempts: attempts.map(attemptShown),
    };
  }

  /** One delivery, or all that failed. */
  async replay(id: string, eventId: number | undefined): Promise<shown.Replayed> {
    const { store, clock } = this.#parts;
    await this.#find(id);
    const which = { endpointId: id, eventId, nowMs: clock.now() };
    let replayed = 0;
    for (;;) {
      const count = await store.replay(which);
      replayed += count;
      if (eventId !== undefined && count === 0) throw new Problem("delivery_not_found");
      if (eventId !== undefined || count === 0) return { replayed };
    }
  }

  async #find(id: string): Promise<Endpoint> {
    const found = (await this.#parts.store.list()).find((endpoint) => endpoint.id === id);
    if (found === undefined) throw new Problem("webhook_not_found");
    return found;
  }

  async #setDisabled(id: string, reason: "operator" | undefined): Promise<shown.Webhook> {
    const { store, clock } = this.#parts;
    requireDone(await store.setDisabled(id, reason && { atMs: clock.now(), reason }));
    return this.#shown(await this.#find(id));
  }

  #secretsOf(endpoint: Endpoint): readonly string[] {
    const { vault, clock } = this.#parts;
    try {
      return openSecrets(endpoint, vault, clock.now());
    } catch (cause) {
      throw new Problem("webhook_secret_unreadable", { cause });
    }
  }

  #read({ url, types = shopPatterns, description = "" }: shown.NewWebhook): NewEndpoint {
    const error = urlError(url, this.#parts.isAllowed);
    if (error !== undefined) {
      throw new Problem("webhook_url_invalid", { detail: `The URL ${error}.` });
    }
    return { url: new URL(url).href, types: readTypes(types), description };
  }

  #shown({ secrets, place: _, types, ...endpoint }: Endpoint): shown.Webhook {
    const { disabled, failingSinceMs } = endpoint;
    const nowMs = this.#parts.clock.now();
    const old = secrets.find(({ expiresAtMs = 0 }) => expiresAtMs > nowMs);
    const isFailing = failingSinceMs !== undefined;
    return {
      ...toJson({ ...endpoint, disabled, oldSecretExpiresAtMs: old?.expiresAtMs }),
      types: types === undefined ? "all" : [...types],
      state: disabled !== undefined ? "disabled" : isFailing ? "failing" : "delivering",
    };
  }
}

function requireDone(isDone: boolean): void {
  if (!isDone) throw new Problem("webhook_not_found");
}

/** Undefined for all. */
function readTypes(given: shown.EventTypes): readonly EventPattern[] | undefined {
  if (given === "all") return undefined;
  const known: readonly string[] = eventPatterns;
  if (given.length === 0 || given.some((type) => !known.includes(type))) {
    const detail = `Choose at least one type, of ${eventPatterns.join(", ")}; or all of them.`;
    throw new Problem("body_invalid", { detail });
  }
  return [...new Set(given as EventPattern[])];
}

function deliveryShown(delivery: Delivery): shown.Delivery {
  const { eventId, type, state, createdAtMs, dueAtMs, attempts } = delivery;
  const { atMs: lastAtMs, status: lastStatus, error: lastError } = attempts.at(-1) ?? {};
  const last = { lastAtMs, lastStatus, lastError };
  return toJson({ eventId, type, state, createdAtMs, dueAtMs, attempts: attempts.length, ...last });
}

function attemptShown(attempt: Attempt): shown.Attempt {
  const { atMs, durationMs, request, status, headers = [], body, error } = attempt;
  return {
    ...toJson({ atMs, durationSeconds: durationMs / 1_000, status, body, error }),
    url: request?.url ?? "",
    requestHeaders: (request?.headers ?? []).map(headerShown),
    headers: headers.map(headerShown),
  };
}

const headerShown = ([name, value]: Header) => ({ name, value });
