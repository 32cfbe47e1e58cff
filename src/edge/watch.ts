/** Follows what is served: closes what was removed, and tells the others that it did. */
import type { Clock } from "../clock.ts";
import type { Edge, EdgeView } from "../domains/edgeView.ts";
import type { HostConnections } from "./hostConnections.ts";
import type { EdgeLimits } from "./limits.ts";
import type { QuietLog } from "./quietLog.ts";

/** One after the other, thousands of hosts would take longer than a removal may. */
const lookUpsAtOnceMax = 64;

export class Watch {
  readonly #view: EdgeView;
  readonly #self: Pick<Edge, "id" | "address" | "httpPort">;
  readonly #connections: HostConnections;
  readonly #clock: Clock;
  readonly #log: QuietLog;
  readonly #reportEveryMs: number;
  readonly #endPolling: () => void;
  #polling: Promise<void> | undefined;
  #acted: number | undefined;
  #reported: { readonly revision: number; readonly seenAtMs: number } | undefined;

  constructor(
    view: EdgeView,
    self: Pick<Edge, "id" | "address" | "httpPort">,
    connections: HostConnections,
    { clock, log, limits }: { clock: Clock; log: QuietLog; limits: EdgeLimits },
  ) {
    this.#view = view;
    this.#self = self;
    this.#connections = connections;
    this.#clock = clock;
    this.#log = log;
    this.#reportEveryMs = limits.reportEveryMs;
    this.#endPolling = clock.every(limits.pollEveryMs, () => void this.poll());
  }

  /** One at a time: a store that is slow is not asked again before it answered. */
  poll(): Promise<void> {
    this.#polling ??= this.#follow()
      .catch((cause) => this.#log.warn("edge.pollFailed", { cause }))
      .finally(() => {
        this.#polling = undefined;
      });
    return this.#polling;
  }

  async stop(): Promise<void> {
    this.#endPolling();
    await this.#polling;
    try {
      await this.#view.forgetEdge(this.#self.id);
    } catch (cause) {
      this.#log.warn("edge.forgetFailed", { cause });
    }
  }

  /**
   * The revision is read before the routes are: a change that comes in between is acted on early
   * and reported late, never the other way round.
   */
  async #follow(): Promise<void> {
    const revision = await this.#view.revision();
    if (revision !== this.#acted) {
      const hosts = this.#connections.hosts();
      for (let at = 0; at < hosts.length; at += lookUpsAtOnceMax) {
        await Promise.all(hosts.slice(at, at + lookUpsAtOnceMax).map((host) => this.#look(host)));
      }
      this.#acted = revision;
    }
    await this.#report(revision);
  }

  async #look(host: string): Promise<void> {
    if ((await this.#view.route(host)) === undefined) this.#connections.closeHost(host);
  }

  /** By the calendar, as others judge it: a clock that jumps must not make this edge look gone. */
  async #report(revision: number): Promise<void> {
    const seenAtMs = this.#clock.now();
    const last = this.#reported;
    const ageMs = Math.abs(seenAtMs - (last?.seenAtMs ?? 0));
    if (last?.revision === revision && ageMs < this.#reportEveryMs) return;
    await this.#view.reportEdge({ ...this.#self, revision, seenAtMs });
    this.#reported = { revision, seenAtMs };
  }
}
