/** What the metrics show beside requests and commits: the process, the store and what is in it. */
import { statfsSync } from "node:fs";
import { type Clock, inTime } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import {
  type Family,
  gauge,
  Histogram,
  type MetricsRegistry,
  processFamilies,
} from "../core/metrics.ts";
import type { Stores } from "../storage/stores.ts";
import type { Traffic } from "../wire/connections.ts";

interface MetricsParts {
  readonly registry: MetricsRegistry;
  readonly clock: Clock;
  readonly log: Log;
  readonly stores: Stores;
  /** Rejects where the store does not read and write. */
  readonly ready: () => Promise<void>;
  readonly dataFolder: string;
}

/** Read from the store at most this often, whoever asks. */
const storeEveryMs = 10_000;
/** Whoever asks waits no longer: a supervisor for 2 seconds in all, Prometheus for 10. */
const readyMsMax = 1_000;
const storeMsMax = 500;

export function serviceMetrics(parts: MetricsParts) {
  const { registry, clock, log } = parts;
  queueMetrics(parts);
  const stopWatching = watchEventLoop(registry, clock);
  let readMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<readonly Family[]> = Promise.resolve([]);
  let last: readonly Family[] = [];
  const late = () => new Error("The store takes too long to answer.");

  const read = async (): Promise<readonly Family[]> => {
    try {
      last = await readStore(parts);
    } catch (cause) {
      readMs = Number.NEGATIVE_INFINITY;
      log.error("metrics.failed", { cause });
    }
    return last;
  };

  const stored = async (): Promise<readonly Family[]> => {
    const isUp = await inTime(clock, readyMsMax, parts.ready(), late).then(
      () => true,
      () => false,
    );
    const help = "Whether the store reads and writes.";
    const up = gauge("petstore_store_up", help, isUp ? 1 : 0, "min");
    if (!isUp) return [up];
    if (clock.elapsed() - readMs >= storeEveryMs) {
      readMs = clock.elapsed();
      reading = read();
    }
    return [up, ...(await inTime(clock, storeMsMax, reading, late).catch(() => last))];
  };

  /** All but what the store has to be asked for. */
  const counted = (): Family[] => [...processFamilies(), ...registry.families()];
  return {
    counted,
    families: async (): Promise<readonly Family[]> => [...counted(), ...(await stored())],
    stop: stopWatching,
  };
}

function queueMetrics({ registry, stores, dataFolder }: MetricsParts): void {
  const queues = () => stores.queues();
  registry.gauge("petstore_write_queue_length", "Writes that are not on disk yet.", () => {
    return queues().writes.waiting;
  });
  registry.gauge("petstore_write_queue_limit", "Beyond so many, writes are refused.", () => {
    return queues().writes.max;
  });
  if (queues().connections !== undefined) {
    registry.gauge("petstore_postgres_connections", "Connections of the pools, by state.", () => {
      const { open = 0, idle = 0 } = queues().connections ?? {};
      return [
        { labels: { state: "busy" }, value: open - idle },
        { labels: { state: "idle" }, value: idle },
      ];
    });
    registry.gauge("petstore_postgres_connections_limit", "The size of the pools.", () => {
      return queues().connections?.max ?? 0;
    });
    registry.gauge("petstore_postgres_waiting", "Queries that wait for a connection.", () => {
      return queues().connections?.waiting ?? 0;
    });
  }
  const disk = (name: string, help: string, of: "bavail" | "blocks") =>
    registry.gauge(name, help, () => diskBytes(dataFolder, of), "max");
  disk("petstore_disk_free_bytes", "Free on the disk of the data folder.", "bavail");
  disk("petstore_disk_size_bytes", "The size of the disk of the data folder.", "blocks");
}

/** By listener. One may begin to listen later. */
export function trafficMetrics(
  registry: MetricsRegistry,
  listeners: () => Readonly<Record<string, Traffic | undefined>>,
): void {
  const each = (of: keyof Traffic) => () =>
    Object.entries(listeners()).flatMap(([listener, traffic]) =>
      traffic === undefined ? [] : [{ labels: { listener }, value: traffic[of] }],
    );
  const bytes = "without TLS; of HTTP/2, bodies only.";
  registry.gauge("petstore_connections", "Connections of clients that are open.", each("open"));
  registry.counted(
    "petstore_connections_refused_total",
    "Connections of clients that there was no room for.",
    each("refused"),
  );
  registry.counted(
    "petstore_received_bytes_total",
    `Bytes from clients, ${bytes}`,
    each("receivedBytes"),
  );
  registry.counted("petstore_sent_bytes_total", `Bytes to clients, ${bytes}`, each("sentBytes"));
}

function diskBytes(folder: string, of: "bavail" | "blocks") {
  try {
    const disk = statfsSync(folder);
    return disk[of] * disk.bsize;
  } catch {
    // With PostgreSQL there may be no such folder.
    return [];
  }
}

const loopEveryMs = 100;
/** In seconds. */
const loopBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Whatever blocks the loop makes a timer late, and every request that arrives meanwhile. */
function watchEventLoop(registry: MetricsRegistry, clock: Clock): () => void {
  const delays = registry.histogram(
    "petstore_event_loop_delay_seconds",
    "How late a timer was that runs ten times a second.",
    new Histogram(loopBounds),
  );
  let dueMs = clock.elapsed() + loopEveryMs;
  return clock.every(loopEveryMs, () => {
    const nowMs = clock.elapsed();
    delays.observe(Math.max(0, nowMs - dueMs) / 1000);
    dueMs = nowMs + loopEveryMs;
  });
}

async function readStore({ stores, clock }: MetricsParts): Promise<readonly Family[]> {
  const sizes = Object.entries(await stores.size());
  const bytes = sizes.map(([part, value]) => ({ labels: { part }, value }));
  return [
    gauge("petstore_store_bytes", `Bytes that the store takes, by part.${shared}`, bytes, "max"),
    ...(await domainFamilies(stores, clock)),
    ...(await webhookFamilies(stores, clock)),
    await mailFamily(stores),
  ];
}

const shared = " Of the store: the same on every machine that uses it.";
const dayMs = 24 * 3_600_000;
/** 0 for those that have ended. */
const expiryDays = [0, 7, 14, 30];

async function domainFamilies(stores: Stores, clock: Clock): Promise<Family[]> {
  // When it is first needed: it would make the start slower.
  const { domainFigures } = await import("../hosting/domains/domainList.ts");
  const { byStatus, expiriesMs } = await domainFigures({ domains: stores.domains, clock });
  const nowMs = clock.now();
  const statuses = [...byStatus].map(([status, value]) => ({ labels: { status }, value }));
  const expiring = expiryDays.map((days) => ({
    labels: { within_days: days },
    value: expiriesMs.filter((expiryMs) => expiryMs <= nowMs + days * dayMs).length,
  }));
  const first = expiriesMs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return [
    gauge("petstore_domains", `Custom domains, by status.${shared}`, statuses, "max"),
    gauge("petstore_certificates", `Certificates in use.${shared}`, expiriesMs.length, "max"),
    gauge(
      "petstore_certificates_expiring",
      `Certificates in use that end within so many days, or have ended.${shared}`,
      expiring,
      "max",
    ),
    gauge(
      "petstore_certificate_first_expiry_timestamp_seconds",
      `When the first of the certificates in use ends. None if there are none.${shared}`,
      expiriesMs.length === 0 ? [] : first / 1000,
      "min",
    ),
  ];
}

const endpointStates = ["enabled", "operator", "gone", "failing"] as const;

async function webhookFamilies({ webhooks }: Stores, clock: Clock): Promise<Family[]> {
  const endpoints = await webhooks.list();
  let pending = 0;
  let oldestMs = clock.now();
  for (const { id, disabled } of endpoints) {
    if (disabled !== undefined) continue;
    const backlog = await webhooks.backlog(id);
    pending += backlog.pending;
    oldestMs = Math.min(oldestMs, backlog.oldestAtMs ?? oldestMs);
    // Each may have thousands: requests get their turn.
    await new Promise<void>((resolve) => clock.next(resolve));
  }
  const states = endpointStates.map((state) => ({
    labels: { state },
    value: endpoints.filter(({ disabled }) => (disabled?.reason ?? "enabled") === state).length,
  }));
  return [
    gauge(
      "petstore_webhook_endpoints",
      `Webhook endpoints: enabled, or why they are disabled.${shared}`,
      states,
      "max",
    ),
    gauge(
      "petstore_webhook_deliveries_pending",
      `Deliveries to enabled endpoints that wait for an attempt.${shared}`,
      pending,
      "max",
    ),
    gauge(
      "petstore_webhook_oldest_pending_age_seconds",
      `The age of the oldest of them, 0 if there is none.${shared}`,
      (clock.now() - oldestMs) / 1000,
      "max",
    ),
  ];
}

async function mailFamily({ mails }: Stores): Promise<Family> {
  const { pending, failed } = await mails.count();
  return gauge(
    "petstore_mails",
    `Mails that are pending, or could not be sent.${shared}`,
    Object.entries({ pending, failed }).map(([state, value]) => ({ labels: { state }, value })),
    "max",
  );
}
