/** Plans and sends the deliveries of one endpoint, for as long as a worker holds its lease. */
import { type Clock, pause } from "../../core/clock.ts";
import { traceHeaders } from "../../core/tracing.ts";
import type { Vault } from "../../core/vault.ts";
import { type EventStore, type EventType, eventText, matchingTypes } from "../events/events.ts";
import type { Pace, ProcessLoad } from "./pace.ts";
import { type AttemptResult, afterAttempt } from "./schedule.ts";
import { signedHeaders } from "./signature.ts";
import type { WebhookMetrics } from "./webhookMetrics.ts";
import {
  type Delivery,
  type Endpoint,
  messageId,
  openSecrets,
  resourceOf,
  type SignedMessage,
  type WebhookStore,
} from "./webhooks.ts";

export interface WorkerParts {
  readonly store: WebhookStore;
  readonly events: Pick<EventStore, "list" | "lastId">;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly load: () => ProcessLoad;
  /** Never rejects. */
  send(message: SignedMessage): Promise<AttemptResult>;
  readonly metrics?: WebhookMetrics;
  readonly log: {
    warn(event: string, fields: Readonly<Record<string, unknown>>): void;
    error(event: string, fields: Readonly<Record<string, unknown>>): void;
  };
}

/** Attempts under way for one endpoint: a slow one keeps only these busy. */
export const inFlightMax = 16;
/** Deliveries that are planned or read at once. */
const batchMax = 250;
/** With fewer than this ready, more are planned, so that sending does not wait for the disk. */
const readyMin = batchMax / 2;
/** What waits for a retry. Beyond it, further events wait in their own table. */
const pendingMax = 10_000;
/** Events that nobody wanted, before the place after them is stored. */
const passedOverMax = 1_000;
const dueEveryMs = 1_000;
const storeRetryMs = 1_000;

type Decision = ReturnType<typeof afterAttempt>;

/** What has happened since the last look: every type that is among the events of a range. */
export interface News {
  /** The range is after this event, */
  readonly after: number;
  /** up to this one. */
  readonly upTo: number;
  readonly types: ReadonlySet<EventType>;
}

export class EndpointQueue {
  readonly #parts: WorkerParts;
  readonly #pace: Pace;
  readonly #pumpAgain = () => this.#pump();
  readonly #lease: { readonly holder: string; readonly endpointId: string };
  #endpoint: Endpoint;
  #secrets: readonly string[];
  /** By the monotonic clock: another worker may have the endpoint from then on. */
  #leaseEndsMs: number;
  #place: number;
  #storedPlace: number;
  #failingSinceMs: number | undefined;
  #pending: number;
  readonly #ready: Delivery[] = [];
  /** Deliveries that are ready, under way, or have ended without being stored yet. */
  readonly #busy = new Set<number>();
  #inFlight = 0;
  #decided: Decision[] = [];
  #settling: Promise<void> | undefined;
  #filling = false;
  #dueReadMs = Number.NEGATIVE_INFINITY;
  #hasEvents = false;
  /** Starts nothing more, and stores what is under way. */
  #stopping = false;
  /** Starts and stores nothing more: another worker may have the endpoint. */
  #ended = false;
  #drained: (() => void) | undefined;

  constructor(parts: WorkerParts, pace: Pace, endpoint: Endpoint, held: Held) {
    this.#parts = parts;
    this.#pace = pace;
    this.#lease = { holder: held.holder, endpointId: endpoint.id };
    this.#endpoint = endpoint;
    this.#secrets = held.secrets;
    this.#leaseEndsMs = held.leaseEndsMs;
    this.#pending = held.pending;
    this.#place = this.#storedPlace = endpoint.place;
    this.#failingSinceMs = endpoint.failingSinceMs;
  }

  /** Whether the lease was lost, or the endpoint was disabled. */
  get isEnded(): boolean {
    return this.#ended;
  }

  /** Whether attempts are under way, even after its end. */
  get isSending(): boolean {
    return this.#inFlight > 0;
  }

  renew(endpoint: Endpoint, { secrets, leaseEndsMs, pending }: Held): void {
    this.#endpoint = endpoint;
    this.#secrets = secrets;
    this.#leaseEndsMs = leaseEndsMs;
    this.#pending = pending;
  }

  /** Continues with what is due and with the events up to this one. */
  wake(lastEventId: number, news?: News): void {
    if (news !== undefined && this.#canPassOver(news)) this.#place = news.upTo;
    this.#hasEvents = lastEventId > this.#place;
    if (this.#hasEvents || this.#ready.length > 0 || this.#pending > this.#busy.size) {
      void this.#fill();
    }
  }

  /** Whether it has all events before these, and wants none of these. */
  #canPassOver({ after, upTo, types }: News): boolean {
    const wanted = this.#endpoint.types;
    return (
      wanted !== undefined &&
      !this.#filling &&
      this.#place >= after &&
      this.#place < upTo &&
      upTo - this.#storedPlace <= passedOverMax &&
      !matchingTypes(wanted).some((type) => types.has(type))
    );
  }

  /** Starts nothing more. Resolves when what is under way is stored, or with the signal. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#stopping = true;
    this.#ready.length = 0;
    const drained = new Promise<void>((resolve) => {
      this.#drained = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    if (this.#inFlight > 0 && !signal.aborted) await drained;
    // What is still under way is sent again by whoever holds the endpoint next.
    if (signal.aborted) this.end();
    await this.#settling;
    this.end();
  }

  end(): void {
    this.#ended = true;
    this.#ready.length = 0;
    this.#decided = [];
  }

  get #isStarting(): boolean {
    return !this.#ended && !this.#stopping;
  }

  async #fill(): Promise<void> {
    if (this.#filling || !this.#isStarting || this.#ready.length >= readyMin) return;
    this.#filling = true;
    try {
      await this.#readDue();
      while (this.#hasEvents && this.#isStarting && this.#ready.length < readyMin) {
        if (this.#pending >= pendingMax) break;
        await this.#plan();
      }
      this.#pump();
    } catch (cause) {
      this.#parts.log.error("webhooks.read_failed", { endpoint: this.#endpoint.id, cause });
    } finally {
      this.#filling = false;
    }
  }

  /** Not at every wake: most of what waits is due in minutes or hours. */
  async #readDue(): Promise<void> {
    const { clock, store } = this.#parts;
    const nowMs = clock.elapsed();
    if (this.#pending <= this.#busy.size || nowMs - this.#dueReadMs < dueEveryMs) return;
    const limit = batchMax + this.#busy.size;
    const query = { endpointId: this.#endpoint.id, nowMs: clock.now(), limit };
    const due = await store.due(query);
    // Where there may be more, the next wake reads on.
    if (due.length < limit) this.#dueReadMs = nowMs;
    this.#enqueue(due);
  }

  async #plan(): Promise<void> {
    const { clock, events, store } = this.#parts;
    const { id, types } = this.#endpoint;
    const query = { types: types && matchingTypes(types), limit: batchMax };
    let page = await events.list({ ...query, after: this.#place });
    if (page === undefined) {
      this.#parts.log.warn("webhook.events_missed", { endpoint: id, after: this.#place });
      page = await events.list({ ...query, after: 0 });
    }
    if (page === undefined || !this.#isStarting) return;
    const nowMs = clock.now();
    const wanted = page.events.filter(({ resource }) => resource !== resourceOf(id));
    const deliveries = wanted.map((event): Delivery => {
      const begun = { state: "pending", tries: 0, attempts: [], createdAtMs: nowMs } as const;
      const { id: eventId, type, trace } = event;
      const what = { endpointId: id, eventId, type, body: eventText(event), trace };
      return { ...what, ...begun, dueAtMs: nowMs };
    });
    const to = page.readUpTo;
    if (deliveries.length > 0 || to - this.#storedPlace > passedOverMax) {
      const plan = { lease: this.#lease, from: this.#storedPlace, to, deliveries };
      if (!(await store.plan(plan))) return this.end();
      this.#storedPlace = to;
    }
    this.#place = to;
    this.#hasEvents = !page.isLast;
    this.#pending += deliveries.length;
    this.#enqueue(deliveries);
  }

  #enqueue(deliveries: readonly Delivery[]): void {
    if (!this.#isStarting) return;
    for (const delivery of deliveries) {
      if (this.#busy.has(delivery.eventId)) continue;
      this.#busy.add(delivery.eventId);
      this.#ready.push(delivery);
    }
  }

  #pump(): void {
    while (this.#inFlight < inFlightMax && this.#isStarting) {
      // Whoever has the endpoint by now sends what is left.
      if (this.#parts.clock.elapsed() >= this.#leaseEndsMs) this.end();
      if (this.#ready.length === 0) break;
      if (!this.#pace.take()) {
        this.#pace.later(this.#pumpAgain);
        break;
      }
      const delivery = this.#ready.shift();
      if (delivery === undefined) break;
      this.#inFlight++;
      void this.#deliver(delivery);
    }
    if (this.#inFlight === 0) this.#drained?.();
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { clock, send } = this.#parts;
    const message = { id: messageId(delivery), body: delivery.body };
    const signed = signedHeaders(message, this.#secrets, clock.now());
    const headers = { ...signed, ...traceHeaders(delivery.trace) };
    const result = await send({ url: this.#endpoint.url, headers, body: delivery.body });
    this.#inFlight--;
    if (!this.#ended) this.#decide(delivery, result);
    this.#pump();
    if (this.#ready.length < readyMin) void this.#fill();
  }

  #decide(delivery: Delivery, result: AttemptResult): void {
    const { clock } = this.#parts;
    const random = (clock.random(1)[0] ?? 0) / 256;
    const endpoint = { failingSinceMs: this.#failingSinceMs };
    const decision = afterAttempt(delivery, endpoint, result, clock.now(), random);
    this.#parts.metrics?.attempted(delivery, decision.settled.state, clock.now());
    this.#failingSinceMs = decision.failingSinceMs;
    this.#decided.push(decision);
    this.#settling ??= this.#settle();
  }

  /** Stores what was decided, together with what is decided while the store is busy. */
  async #settle(): Promise<void> {
    await Promise.resolve();
    try {
      while (this.#decided.length > 0) await this.#settleBatch([...this.#decided]);
    } finally {
      // At once: what is decided from now on is for the next.
      this.#settling = undefined;
    }
  }

  async #settleBatch(batch: readonly Decision[]): Promise<void> {
    const { clock, store, log } = this.#parts;
    const disabled = batch.find((each) => each.disabled !== undefined)?.disabled;
    const settled = batch.map((each) => each.settled);
    const failingSinceMs = batch.at(-1)?.failingSinceMs;
    try {
      const outcome = { lease: this.#lease, settled, failingSinceMs, disabled };
      if (!(await store.settle(outcome))) return this.end();
    } catch (cause) {
      log.error("webhooks.write_failed", { endpoint: this.#endpoint.id, cause });
      await pause(clock, storeRetryMs);
      // Whoever has the endpoint by now sends these again.
      if (clock.elapsed() >= this.#leaseEndsMs) this.end();
      return;
    }
    this.#decided.splice(0, batch.length);
    this.#forget(batch);
    if (disabled === undefined) return;
    log.warn("webhook.disabled", { endpoint: this.#endpoint.id, reason: disabled.reason });
    this.end();
  }

  #forget(batch: readonly Decision[]): void {
    for (const { settled } of batch) {
      this.#busy.delete(settled.eventId);
      if (settled.state !== "pending") this.#pending--;
      if (settled.state === "failed") {
        const { eventId } = settled;
        this.#parts.log.warn("webhook.failed", { endpoint: this.#endpoint.id, eventId });
      }
    }
  }
}

/** What the worker knows of an endpoint that it holds. */
export interface Held {
  readonly holder: string;
  readonly leaseEndsMs: number;
  readonly secrets: readonly string[];
  readonly pending: number;
}

/** Undefined, and logged, if they cannot be opened: the secret of the service is another. */
export function secretsOf(
  endpoint: Endpoint,
  { vault, clock, log }: WorkerParts,
): readonly string[] | undefined {
  try {
    return openSecrets(endpoint, vault, clock.now());
  } catch (cause) {
    log.error("webhook.unsealing_failed", { endpoint: endpoint.id, cause });
    return undefined;
  }
}
