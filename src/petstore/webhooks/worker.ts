/** Leases endpoints, and delivers events to them. */
import { EndpointQueue, type News, secretsOf, type WorkerParts } from "./endpointQueue.ts";
import { Pace } from "./pace.ts";

const pollMs = 250;
const renewEveryMs = 3_000;
const leaseMs = 15_000;
const pruneEveryMs = 60_000;
/** Of more events at once, every endpoint reads those that it wants. */
const newsMax = 1_000;

/** Several workers on one database share the endpoints, each with one of them at a time. */
export class WebhookWorker {
  readonly #parts: WorkerParts;
  readonly #pace: Pace;
  readonly #holder: string;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #stops: (() => void)[] = [];
  #renewedMs = Number.NEGATIVE_INFINITY;
  /** The last event that the queues were told of. */
  #seen = 0;
  #ticking: Promise<void> | undefined;
  #pruning: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#pace = new Pace(parts.clock, parts.load);
    this.#holder = Buffer.from(parts.clock.random(8)).toString("hex");
  }

  start(): void {
    const { clock } = this.#parts;
    this.#stops.push(
      clock.every(pollMs, () => void this.tick()),
      clock.every(pruneEveryMs, () => {
        this.#pruning ??= this.#prune().finally(() => {
          this.#pruning = undefined;
        });
      }),
    );
  }

  /** Starts nothing more, waits for what is under way, and leaves the endpoints to others. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#stops.splice(0)) stop();
    const late = new AbortController();
    const cancel = this.#parts.clock.after(graceMs, () => late.abort());
    const queues = [...this.#queues.values()].map((queue) => queue.stop(late.signal));
    await Promise.all([...queues, this.#ticking, this.#pruning]);
    cancel();
    if (this.#queues.size === 0) return;
    await this.#parts.store
      .release(this.#holder)
      // They end by themselves.
      .catch((cause) => this.#parts.log.error("webhooks.write_failed", { cause }));
  }

  tick(): Promise<void> {
    this.#ticking ??= this.#poll()
      .catch((cause) => this.#parts.log.error("webhooks.read_failed", { cause }))
      .finally(() => {
        this.#ticking = undefined;
      });
    return this.#ticking;
  }

  async #poll(): Promise<void> {
    if (this.#stopped) return;
    const nowMs = this.#parts.clock.elapsed();
    if (nowMs - this.#renewedMs >= renewEveryMs) {
      await this.#renew();
      this.#renewedMs = nowMs;
    }
    if (this.#queues.size === 0 || this.#stopped) return;
    const last = await this.#parts.events.lastId();
    // At first, each endpoint reads for itself, and notices if events were removed before it had them.
    const news = this.#seen > 0 && last > this.#seen ? await this.#readNews() : undefined;
    for (const queue of this.#queues.values()) queue.wake(last, news);
    this.#seen = last;
  }

  /** Read once, so that not every endpoint looks for what only a few of them want. */
  async #readNews(): Promise<News | undefined> {
    const after = this.#seen;
    const page = await this.#parts.events.list({ types: undefined, after, limit: newsMax });
    if (page?.isLast !== true) return undefined;
    return { after, upTo: page.readUpTo, types: new Set(page.events.map(({ type }) => type)) };
  }

  async #renew(): Promise<void> {
    const { clock, store } = this.#parts;
    const known = await store.list();
    const isIdle = known.every(({ disabled }) => disabled !== undefined);
    const leaseEndsMs = clock.elapsed() + leaseMs;
    const nowMs = clock.now();
    const request = { holder: this.#holder, nowMs, untilMs: nowMs + leaseMs };
    const held = isIdle ? [] : await store.lease(request);
    const heldIds = new Set(held.map(({ id }) => id));
    for (const [id, queue] of this.#queues) {
      if (!queue.isEnded && heldIds.has(id)) continue;
      queue.end();
      // Until then nobody begins anew, which would send the same once more.
      if (!queue.isSending) this.#queues.delete(id);
    }
    for (const endpoint of held) {
      const secrets = secretsOf(endpoint, this.#parts);
      if (secrets === undefined) continue;
      const pending = await store.countPending(endpoint.id);
      const what = { holder: this.#holder, leaseEndsMs, secrets, pending };
      const queue = this.#queues.get(endpoint.id);
      if (queue === undefined) {
        this.#queues.set(endpoint.id, new EndpointQueue(this.#parts, this.#pace, endpoint, what));
      } else if (!queue.isEnded) queue.renew(endpoint, what);
    }
  }

  async #prune(): Promise<void> {
    try {
      while (!this.#stopped && (await this.#parts.store.prune(this.#parts.clock.now()))) {
        // Each call removes a few, so that other writes do not wait.
      }
    } catch (cause) {
      this.#parts.log.error("webhooks.prune_failed", { cause });
    }
  }
}
