/** Watches for changes: closes connections of removed hosts, and reports the revision it acted on. */

import type { Clock } from "../../core/clock.ts";
import { getOrInsert } from "../../core/recentMap.ts";
import type { ManagedConnection } from "../../wire/connections.ts";
import type { Edge, EdgeView } from "../domains/edgeView.ts";
import type { EdgeLimits, ThrottledLog } from "./edge.ts";
import type { CertificateContexts } from "./tlsServer.ts";

/** One after the other, thousands of hosts would take longer than a removal may. */
const lookUpsAtOnceMax = 64;

interface ChangeWatcherParts {
  readonly view: EdgeView;
  readonly contexts: CertificateContexts;
  readonly self: Pick<Edge, "id" | "address" | "httpPort">;
  readonly hostConnections: HostConnections;
  readonly clock: Clock;
  readonly log: ThrottledLog;
  readonly limits: EdgeLimits;
}

export class ChangeWatcher {
  readonly #parts: ChangeWatcherParts;
  readonly #endPolling: () => void;
  #polling: Promise<void> | undefined;
  #acted: number | undefined;
  #reported: { readonly revision: number; readonly seenAtMs: number } | undefined;

  constructor(parts: ChangeWatcherParts) {
    this.#parts = parts;
    this.#endPolling = parts.clock.every(parts.limits.pollEveryMs, () => void this.poll());
  }

  /** One at a time: a store that is slow is not asked again before it answered. */
  poll(): Promise<void> {
    this.#polling ??= this.#follow()
      .catch((cause) => this.#parts.log.error("edge.poll_failed", { cause }))
      .finally(() => {
        this.#polling = undefined;
      });
    return this.#polling;
  }

  async stop(): Promise<void> {
    this.#endPolling();
    await this.#polling;
    try {
      await this.#parts.view.forgetEdge(this.#parts.self.id);
    } catch (cause) {
      this.#parts.log.warn("edge.deregister_failed", { cause });
    }
  }

  /**
   * The revision is read before the routes are: a change that comes in between is acted on early
   * and reported late, never the other way round.
   */
  async #follow(): Promise<void> {
    const revision = await this.#parts.view.revision();
    if (revision !== this.#acted) {
      const hosts = this.#parts.hostConnections.hosts();
      for (let at = 0; at < hosts.length; at += lookUpsAtOnceMax) {
        await Promise.all(hosts.slice(at, at + lookUpsAtOnceMax).map((host) => this.#look(host)));
      }
      this.#acted = revision;
    }
    await this.#report(revision);
  }

  async #look(host: string): Promise<void> {
    const { contexts, hostConnections } = this.#parts;
    if ((await contexts.of(host)) === undefined) hostConnections.closeHost(host);
  }

  /** By the calendar, as others judge it: a clock that jumps must not make this edge look gone. */
  async #report(revision: number): Promise<void> {
    const seenAtMs = this.#parts.clock.now();
    const last = this.#reported;
    const ageMs = Math.abs(seenAtMs - (last?.seenAtMs ?? 0));
    if (last?.revision === revision && ageMs < this.#parts.limits.reportEveryMs) return;
    await this.#parts.view.reportEdge({ ...this.#parts.self, revision, seenAtMs });
    this.#reported = { revision, seenAtMs };
  }
}

/** The open connections by the host that they were encrypted for. */
export class HostConnections {
  readonly #byHost = new Map<string, Set<ManagedConnection>>();

  add(host: string, connection: ManagedConnection): void {
    getOrInsert(this.#byHost, host, () => new Set()).add(connection);
  }

  delete(host: string, connection: ManagedConnection): void {
    const others = this.#byHost.get(host);
    others?.delete(connection);
    if (others?.size === 0) this.#byHost.delete(host);
  }

  hosts(): readonly string[] {
    return [...this.#byHost.keys()];
  }

  /** Ends every connection for a host at once, whatever it is at. */
  closeHost(host: string): void {
    for (const connection of [...(this.#byHost.get(host) ?? [])]) connection.destroy();
  }
}
