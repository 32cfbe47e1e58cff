import { then } from "../../core/maybePromise.ts";
import { retryMsMax } from "../../petstore/webhooks/schedule.ts";
import {
  type Delivery,
  type DeliveryState,
  type Disabled,
  type DisabledReason,
  disabledEvent,
  type Endpoint,
  endpointsMax,
  type Lease,
  type NewEndpoint,
  type SealedSecret,
  type WebhookStore,
} from "../../petstore/webhooks/webhooks.ts";
import { recordEvents } from "./events.ts";
import type { Storage, Transaction, Writes } from "./storage.ts";

type LeaseRequest = Parameters<WebhookStore["lease"]>[0];
type Plan = Parameters<WebhookStore["plan"]>[0];
type Outcome = Parameters<WebhookStore["settle"]>[0];
type Replay = Parameters<WebhookStore["replay"]>[0];

type EndpointRow = Omit<Endpoint, "types" | "secrets" | "disabled"> & {
  readonly disabled: DisabledReason | undefined;
  readonly disabledAtMs: number;
  readonly types: string | undefined;
  readonly secrets: string;
};
type DeliveryRow = Omit<Delivery, "attempts" | "dueAtMs"> & {
  readonly attempts: string;
  readonly dueAtMs: number;
};

export function webhookRepository(storage: Storage): WebhookStore {
  const deliveries = (text: string, values: readonly (string | number | undefined)[]) =>
    then(storage.all<DeliveryRow>(text, values), (rows) => rows.map(deliveryOf));
  return {
    add: (endpoint) => storage.write("addWebhook", endpoint),
    list: () => then(storage.all<EndpointRow>(listEndpoints), (rows) => rows.map(endpointOf)),
    replaceSecrets: (from, secrets) => storage.write("replaceWebhookSecrets", { from, secrets }),
    update: (id, changed) => storage.write("updateWebhook", { id, changed }),
    setDisabled: (id, disabled) => storage.write("disableWebhook", { id, disabled }),
    remove: (id) => storage.write("removeWebhook", id),
    listDeliveries: ({ endpointId, state, type, before = Number.MAX_SAFE_INTEGER, limit }) =>
      deliveries(listDeliveries(state), [endpointId, before, limit, type]),
    getDelivery: (endpointId, eventId) =>
      then(deliveries(findDelivery, [endpointId, eventId]), ([found]) => found),
    replay: (which) => storage.write("replayDeliveries", which),
    lease: (request) => storage.write("leaseWebhooks", request),
    release: (holder) => storage.write("releaseWebhooks", holder),
    plan: (plan) => storage.write("planDeliveries", plan, { canWaitMs: planWaitMs }),
    async due({ endpointId, nowMs, limit }) {
      const found = await deliveries(findDue, [endpointId, -1, nowMs, limit]);
      if (found.length >= limit) return found;
      // What is due later than any delay leads to was planned before the clock was set back.
      const future = [nowMs + retryMsMax, Number.MAX_SAFE_INTEGER];
      return [
        ...found,
        ...(await deliveries(findDue, [endpointId, ...future, limit - found.length])),
      ];
    },
    countPending: (endpointId) =>
      then(storage.get<{ count: number }>(countPending, [endpointId]), (row) => row?.count ?? 0),
    backlog: (endpointId) =>
      then(
        storage.get<{ pending: number; oldestAtMs?: number }>(findBacklog, [endpointId]),
        (row) => ({ pending: row?.pending ?? 0, oldestAtMs: row?.oldestAtMs ?? undefined }),
      ),
    settle: (outcome) => storage.write("settleDeliveries", outcome, { canWaitMs: settleWaitMs }),
    async prune(nowMs) {
      // One at a time, because other writes wait.
      for (const { id } of await storage.all<{ id: string }>(listAll)) {
        if (await storage.write("pruneWebhook", { id, nowMs })) return true;
      }
      return false;
    },
  };
}

const dayMs = 24 * 60 * 60_000;
/** How long deliveries that have ended can be seen and replayed. */
const endedKeptMs = 30 * dayMs;
/** For each endpoint: there are as many as there are events. */
const deliveredKeptMax = 10_000;
/** Few, because other writes wait. */
const atOnceMax = 1_000;
/** Deliveries wait for it. */
const planWaitMs = 10;
/** Nothing waits for it, and what it has not stored is sent again after a crash. */
const settleWaitMs = 50;

interface SecretChange {
  readonly from: Pick<Endpoint, "id" | "secrets">;
  readonly secrets: readonly SealedSecret[];
}

export const webhookWrites = {
  async addWebhook(tx, endpoint: Endpoint): Promise<boolean> {
    // First, since it makes others wait, so that no two become the last one.
    const ordinal = await tx.ordinal();
    const others = await tx.get<{ count: number }>(countEndpoints);
    if (Number(others?.count) >= endpointsMax) return false;
    const { id, url, types, description, createdAtMs, secrets } = endpoint;
    await tx.run(insertEndpoint, [
      ...[ordinal, id, url, types && JSON.stringify(types), description, createdAtMs],
      JSON.stringify(secrets),
    ]);
    return true;
  },

  async replaceWebhookSecrets(tx, { from, secrets }: SecretChange): Promise<boolean> {
    const texts = [JSON.stringify(from.secrets), JSON.stringify(secrets)];
    return (await tx.run(replaceSecrets, [from.id, ...texts])) > 0;
  },

  async updateWebhook(
    tx,
    { id, changed: { url, types, description } }: { id: string; changed: NewEndpoint },
  ): Promise<boolean> {
    return (await tx.run(update, [id, url, types && JSON.stringify(types), description])) > 0;
  },

  /** Ends the lease: whoever holds it must send nothing more. */
  async disableWebhook(
    tx,
    { id, disabled }: { id: string; disabled: Disabled | undefined },
  ): Promise<boolean> {
    return (await tx.run(disable, [id, disabled?.reason, disabled?.atMs])) > 0;
  },

  async removeWebhook(tx, id: string): Promise<boolean> {
    return (await tx.run(disable, [id, "removed", undefined])) > 0;
  },

  async replayDeliveries(tx, { endpointId, eventId, nowMs }: Replay): Promise<number> {
    if (eventId !== undefined) return tx.run(replay, [endpointId, nowMs, [eventId]]);
    const failed = await tx.all<{ id: number }>(findFailed, [endpointId, atOnceMax]);
    return tx.run(replay, [endpointId, nowMs, failed.map(({ id }) => id)]);
  },

  async leaseWebhooks(tx, { holder, nowMs, untilMs }: LeaseRequest): Promise<Endpoint[]> {
    // One from the future was taken before the clock was set back. So were the times of retries set,
    // which come as much earlier then.
    const latestMs = untilMs + (untilMs - nowMs);
    const free = await tx.all<{ id: string; leaseUntilMs?: number }>(findFree, [
      ...[nowMs, latestMs, holder],
    ]);
    if (free.length === 0) return [];
    for (const { id, leaseUntilMs = 0 } of free) {
      if (leaseUntilMs > latestMs) await tx.run(moveDue, [id, leaseUntilMs - untilMs]);
    }
    await tx.run(takeLease, [free.map(({ id }) => id), holder, untilMs]);
    return (await tx.all<EndpointRow>(listHeld, [holder])).map(endpointOf);
  },

  async releaseWebhooks(tx, holder: string): Promise<void> {
    await tx.run(releaseLeases, [holder]);
  },

  async planDeliveries(tx, { lease, from, to, deliveries }: Plan): Promise<boolean> {
    const held = await lockLease(tx, lease);
    if (held?.place !== from) return false;
    await tx.insertAll(insertDelivery, deliveries.map(rowOf));
    await tx.run("UPDATE webhook_endpoints SET place = ?2 WHERE id = ?1", [lease.endpointId, to]);
    return true;
  },

  async settleDeliveries(tx, outcome: Outcome): Promise<boolean> {
    const { lease, settled, failingSinceMs, disabled } = outcome;
    const held = await lockLease(tx, lease);
    if (held === undefined) return false;
    const { endpointId } = lease;
    // All exist, so that none of this is inserted: it is one statement for all of them.
    const unused = { type: "pet.created", body: "", createdAtMs: 0 } as const;
    const rows = settled.map((each) => rowOf({ ...each, ...unused, endpointId }));
    await tx.insertAll(settleDelivery, rows);
    if (failingSinceMs !== held.failingSinceMs) {
      await tx.run(setFailing, [endpointId, failingSinceMs]);
    }
    if (disabled !== undefined) {
      await tx.run(disable, [endpointId, disabled.reason, disabled.atMs]);
      await recordEvents(tx, [disabledEvent(held, disabled)]);
    }
    return true;
  },

  /** Removes some of its deliveries, or it itself when none is left and it is removed. */
  async pruneWebhook(tx, { id, nowMs }: { id: string; nowMs: number }): Promise<boolean> {
    const isRemoved = (await tx.get(findRemoved, [id])) !== undefined;
    const found = isRemoved
      ? await tx.all<{ id: number }>(listAny, [id, atOnceMax])
      : [
          ...(await tx.all<{ id: number }>(findOld, [id, nowMs - endedKeptMs, atOnceMax])),
          ...(await tx.all<{ id: number }>(findMany, [id, atOnceMax])),
        ];
    if (found.length > 0) await tx.run(removeDeliveries, [id, found.map((each) => each.id)]);
    else if (isRemoved) await tx.run("DELETE FROM webhook_endpoints WHERE id = ?1", [id]);
    return found.length > 0;
  },
} satisfies Writes;

/** Undefined if it has ended. No other transaction changes the endpoint before this one commits. */
function lockLease(
  tx: Transaction,
  { endpointId, holder }: Lease,
): ReturnType<typeof tx.get<Pick<Endpoint, "id" | "description" | "place" | "failingSinceMs">>> {
  return tx.get(findLease, [endpointId, holder]);
}

const rowOf = (delivery: Delivery) => [
  ...[delivery.endpointId, delivery.eventId, delivery.type, delivery.body, delivery.state],
  ...[delivery.tries, JSON.stringify(delivery.attempts), delivery.createdAtMs],
  ...[delivery.dueAtMs ?? 0, delivery.trace],
];

const deliveryOf = (row: DeliveryRow): Delivery => ({
  ...row,
  attempts: JSON.parse(row.attempts),
  dueAtMs: row.state === "pending" ? row.dueAtMs : undefined,
});

const endpointOf = ({ disabled, disabledAtMs, ...row }: EndpointRow): Endpoint => ({
  ...row,
  disabled: disabled && { atMs: disabledAtMs, reason: disabled },
  types: row.types === undefined ? undefined : JSON.parse(row.types),
  secrets: JSON.parse(row.secrets),
});

const exists = "(disabled IS NULL OR disabled <> 'removed')";
const columns = `id, url, types, description, created_at_ms AS "createdAtMs", secrets, disabled,
  disabled_at_ms AS "disabledAtMs", place, failing_since_ms AS "failingSinceMs"`;
const listEndpoints = `SELECT ${columns} FROM webhook_endpoints WHERE ${exists} ORDER BY ordinal`;
const countEndpoints = `SELECT count(*) AS count FROM webhook_endpoints WHERE ${exists}`;
const listAll = "SELECT id FROM webhook_endpoints ORDER BY ordinal";
const findRemoved = "SELECT id FROM webhook_endpoints WHERE id = ?1 AND disabled = 'removed'";
const listHeld = `SELECT ${columns} FROM webhook_endpoints
  WHERE lease_holder = ?1 AND disabled IS NULL ORDER BY ordinal`;
// Whatever happens from now on has a larger id than the last event that is visible.
const insertEndpoint = `INSERT INTO webhook_endpoints (ordinal, id, url, types, description,
    created_at_ms, secrets, place)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,
    (SELECT value FROM counters WHERE name = 'last_event_id'))`;
const replaceSecrets = `UPDATE webhook_endpoints SET secrets = ?3
  WHERE id = ?1 AND secrets = ?2 AND ${exists}`;
const update = `UPDATE webhook_endpoints SET url = ?2, types = ?3, description = ?4
  WHERE id = ?1 AND ${exists}`;
const disable = `UPDATE webhook_endpoints
  SET disabled = ?2, disabled_at_ms = ?3, failing_since_ms = NULL, lease_holder = NULL, lease_until_ms = NULL
  WHERE id = ?1 AND ${exists}`;
const setFailing = "UPDATE webhook_endpoints SET failing_since_ms = ?2 WHERE id = ?1";

const findFree = `SELECT id, lease_until_ms AS "leaseUntilMs" FROM webhook_endpoints
  WHERE disabled IS NULL AND (lease_holder IS NULL
    OR lease_holder = ?3 OR lease_until_ms <= ?1 OR lease_until_ms > ?2)
  ORDER BY ordinal FOR UPDATE`;
const takeLease = `UPDATE webhook_endpoints SET lease_holder = ?2, lease_until_ms = ?3
  WHERE id = ANY(?1)`;
export const moveDue = `UPDATE webhook_deliveries SET due_at_ms = due_at_ms - ?2
  WHERE endpoint_id = ?1 AND state = 'pending'`;
const releaseLeases = `UPDATE webhook_endpoints SET lease_holder = NULL, lease_until_ms = NULL
  WHERE lease_holder = ?1`;
const findLease = `SELECT id, description, place, failing_since_ms AS "failingSinceMs"
  FROM webhook_endpoints
  WHERE id = ?1 AND lease_holder = ?2 FOR UPDATE`;

const deliveryColumns = `endpoint_id AS "endpointId", event_id AS "eventId", type, body, state, tries,
  attempts, created_at_ms AS "createdAtMs", due_at_ms AS "dueAtMs", trace`;
const insertDelivery = `INSERT INTO webhook_deliveries (endpoint_id, event_id, type, body, state,
    tries, attempts, created_at_ms, due_at_ms, trace)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`;
export const settleDelivery = `${insertDelivery} ON CONFLICT (endpoint_id, event_id) DO UPDATE SET
    state = excluded.state, tries = excluded.tries, attempts = excluded.attempts,
    due_at_ms = excluded.due_at_ms`;
// With the state in the text: those that failed have an index.
export const listDeliveries = (
  state: DeliveryState | undefined,
) => `SELECT ${deliveryColumns} FROM webhook_deliveries
  WHERE endpoint_id = ?1 AND event_id < ?2 AND type = coalesce(?4, type)
    ${state === undefined ? "" : `AND state = '${state}'`}
  ORDER BY event_id DESC LIMIT ?3`;
export const findDelivery = `SELECT ${deliveryColumns} FROM webhook_deliveries
  WHERE endpoint_id = ?1 AND event_id = ?2`;
export const findDue = `SELECT ${deliveryColumns} FROM webhook_deliveries
  WHERE endpoint_id = ?1 AND state = 'pending' AND due_at_ms > ?2 AND due_at_ms <= ?3
  ORDER BY due_at_ms LIMIT ?4`;
const findBacklog = `SELECT count(*) AS pending, min(created_at_ms) AS "oldestAtMs"
  FROM webhook_deliveries WHERE endpoint_id = ?1 AND state = 'pending'`;
export const countPending = `SELECT count(*) AS count FROM webhook_deliveries
  WHERE endpoint_id = ?1 AND state = 'pending'`;
export const findFailed = `SELECT event_id AS id FROM webhook_deliveries
  WHERE endpoint_id = ?1 AND state = 'failed' ORDER BY event_id LIMIT ?2`;
export const replay = `UPDATE webhook_deliveries SET state = 'pending', due_at_ms = ?2,
    tries = CASE WHEN state = 'pending' THEN tries ELSE 0 END
  WHERE endpoint_id = ?1 AND event_id = ANY(?3)`;
export const listAny =
  "SELECT event_id AS id FROM webhook_deliveries WHERE endpoint_id = ?1 LIMIT ?2";
// The oldest come first, and what is that old is not pending: it need not look further than it removes.
export const findOld = `SELECT event_id AS id FROM (
    SELECT event_id, state, created_at_ms FROM webhook_deliveries
    WHERE endpoint_id = ?1 ORDER BY event_id LIMIT ?3) AS oldest
  WHERE state <> 'pending' AND created_at_ms < ?2`;
export const findMany = `SELECT event_id AS id FROM webhook_deliveries
  WHERE endpoint_id = ?1 AND state = 'delivered' AND event_id < coalesce((
    SELECT event_id FROM webhook_deliveries WHERE endpoint_id = ?1 AND state = 'delivered'
    ORDER BY event_id DESC LIMIT 1 OFFSET ${deliveredKeptMax - 1}), 0)
  ORDER BY event_id LIMIT ?2`;
export const removeDeliveries = `DELETE FROM webhook_deliveries
  WHERE endpoint_id = ?1 AND event_id = ANY(?2)`;
