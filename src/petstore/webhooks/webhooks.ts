/** Webhook endpoints, what is delivered to them, and the interface of their store. */
import { toJson } from "../../contract/json.ts";
import type { Clock } from "../../core/clock.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { CarriedTrace } from "../../core/tracing.ts";
import type { Vault } from "../../core/vault.ts";
import type { EventPattern, EventType, NewEvent } from "../events/events.ts";
import { newSecret } from "./signature.ts";

export const endpointsMax = 1_000;
export const descriptionLengthMax = 200;

/** Why an endpoint gets nothing any more: the operator said so, it answered 410, or it only failed. */
export type DisabledReason = "operator" | "gone" | "failing";

export interface Disabled {
  readonly atMs: number;
  readonly reason: DisabledReason;
}

export interface SealedSecret {
  readonly sealed: string;
  /** Undefined for the newest. */
  readonly expiresAtMs?: number;
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  /** Undefined for all, those that are added later included. */
  readonly types: readonly EventPattern[] | undefined;
  readonly description: string;
  readonly createdAtMs: number;
  /** The newest first; one more while a rotation overlaps. */
  readonly secrets: readonly SealedSecret[];
  readonly disabled: Disabled | undefined;
  /** Every event up to this one is a delivery, or is not wanted. */
  readonly place: number;
  /** When the first failure since the last success was; undefined after a success. */
  readonly failingSinceMs: number | undefined;
}

/** A header, by its name. */
export type Header = readonly [name: string, value: string];

export interface Attempt {
  readonly atMs: number;
  readonly durationMs: number;
  /** As it was sent, beside the body. */
  readonly request?: { readonly url: string; readonly headers: readonly Header[] };
  /** Of the response; undefined if there was none. */
  readonly status?: number;
  /** The first headers of the response. */
  readonly headers?: readonly Header[];
  /** The start of the response's body. */
  readonly body?: string;
  /** Why there was no response, or none that counts. */
  readonly error?: string;
}

export const deliveryStates = ["pending", "delivered", "failed"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One event for one endpoint. */
export interface Delivery {
  readonly endpointId: string;
  readonly eventId: number;
  readonly type: EventType;
  /** The request's body, so that it can be sent after the event was removed. */
  readonly body: string;
  /** Of the request that caused the event. */
  readonly trace?: CarriedTrace | undefined;
  readonly state: DeliveryState;
  /** Attempts since it was created or replayed, which decide when the next one is. */
  readonly tries: number;
  /** The latest, oldest first. */
  readonly attempts: readonly Attempt[];
  readonly createdAtMs: number;
  /** Of the next attempt; undefined unless it is pending. */
  readonly dueAtMs: number | undefined;
}

/** The same for every attempt, by which a receiver recognises what it has handled. */
export const messageId = ({ eventId }: Pick<Delivery, "eventId">) => `evt_${eventId}`;

/** Binds a secret to its endpoint. */
const secretSeal = (id: string) => `webhook secret ${id}`;
const idBytes = 9;

export interface NewEndpoint {
  readonly url: string;
  readonly types: readonly EventPattern[] | undefined;
  readonly description: string;
}

/** Its secret is known now and never again. */
export function createEndpoint(
  { url, types, description }: NewEndpoint,
  vault: Vault,
  clock: Clock,
): { readonly endpoint: Endpoint; readonly secret: string } {
  const id = `whe_${Buffer.from(clock.random(idBytes)).toString("base64url")}`;
  const secret = newSecret(clock);
  const secrets = [{ sealed: vault.seal(secret, secretSeal(id)) }];
  const begun = { createdAtMs: clock.now(), place: 0, disabled: undefined } as const;
  const endpoint = { id, url, types, description, secrets, ...begun, failingSinceMs: undefined };
  return { endpoint, secret };
}

/**
 * The secret that was the newest signs for the overlap; one before it no longer. One that cannot be
 * opened any more would keep the new one from signing.
 */
export function rotateSecret(
  { id, secrets }: Pick<Endpoint, "id" | "secrets">,
  overlapMs: number,
  vault: Vault,
  clock: Clock,
): { readonly secrets: readonly SealedSecret[]; readonly secret: string } {
  const secret = newSecret(clock);
  const [newest] = secrets;
  const old =
    newest === undefined || overlapMs <= 0 || !vault.opens(newest.sealed, secretSeal(id))
      ? []
      : [{ sealed: newest.sealed, expiresAtMs: clock.now() + overlapMs }];
  return { secret, secrets: [{ sealed: vault.seal(secret, secretSeal(id)) }, ...old] };
}

/** Those that sign now. Throws if they were sealed with another secret of the service. */
export function openSecrets(
  { id, secrets }: Pick<Endpoint, "id" | "secrets">,
  vault: Vault,
  nowMs: number,
): readonly string[] {
  return secrets
    .filter(({ expiresAtMs = Number.POSITIVE_INFINITY }) => expiresAtMs > nowMs)
    .map(({ sealed }) => vault.open(sealed, secretSeal(id)));
}

/** What the events of an endpoint are about. It never gets them itself. */
export const resourceOf = (id: string) => `webhooks/${id}`;

/** The service has given an endpoint up. */
export function disabledEvent(
  { id, description }: Pick<Endpoint, "id" | "description">,
  disabled: Disabled,
): NewEvent {
  const data = JSON.stringify(toJson({ id, description, disabled }));
  return { type: "webhook.disabled", resource: resourceOf(id), data };
}

/** One attempt as it is sent. */
export interface SignedMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What one attempt changed. */
export interface Settled
  extends Pick<Delivery, "eventId" | "state" | "tries" | "attempts" | "dueAtMs"> {}

export interface Lease {
  /** Unique to a worker, even among earlier ones of the same process. */
  readonly holder: string;
  readonly endpointId: string;
}

export interface DeliveryQuery {
  readonly endpointId: string;
  readonly state?: DeliveryState | undefined;
  readonly type?: EventType | undefined;
  /** Only deliveries of events before this one. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface WebhookStore {
  /** Its place is after the last event. False, with nothing done, if there are `endpointsMax`. */
  add(endpoint: Endpoint): Promise<boolean>;
  /** In the order of their creation. */
  list(): MaybePromise<readonly Endpoint[]>;
  /** False if there is none, or if its secrets are not those of `from` any more. */
  replaceSecrets(
    from: Pick<Endpoint, "id" | "secrets">,
    secrets: readonly SealedSecret[],
  ): Promise<boolean>;
  /** What is due from then on goes to the new URL. False if there is none. */
  update(id: string, changed: NewEndpoint): Promise<boolean>;
  /** Enabled if `disabled` is undefined: it continues where it stopped. False if there is none. */
  setDisabled(id: string, disabled: Disabled | undefined): Promise<boolean>;
  /** Also forgets its deliveries. False if there is none. */
  remove(id: string): Promise<boolean>;

  /** The newest first. */
  listDeliveries(query: DeliveryQuery): MaybePromise<readonly Delivery[]>;
  getDelivery(endpointId: string, eventId: number): MaybePromise<Delivery | undefined>;
  /** Makes deliveries that have ended due again: one, or all that failed. Resolves with how many. */
  replay(which: {
    readonly endpointId: string;
    readonly eventId?: number | undefined;
    readonly nowMs: number;
  }): Promise<number>;

  /**
   * Leases every enabled endpoint that nobody holds, extends the leases of the holder, and resolves
   * with all endpoints that it holds now. An endpoint has one holder at a time, which alone plans and
   * sends its deliveries.
   */
  lease(request: {
    readonly holder: string;
    readonly nowMs: number;
    readonly untilMs: number;
  }): Promise<readonly Endpoint[]>;
  /** Ends the leases of a holder. */
  release(holder: string): Promise<void>;
  /**
   * Stores deliveries and moves the place of their endpoint from `from` to `to`. False, with nothing
   * done, if the lease has ended or the place is another.
   */
  plan(plan: {
    readonly lease: Lease;
    readonly from: number;
    readonly to: number;
    readonly deliveries: readonly Delivery[];
  }): Promise<boolean>;
  /** Pending deliveries whose time has come, in the order of that. */
  due(query: {
    readonly endpointId: string;
    readonly nowMs: number;
    readonly limit: number;
  }): MaybePromise<readonly Delivery[]>;
  countPending(endpointId: string): MaybePromise<number>;
  /** What is not delivered yet; `oldestAtMs` is when the oldest of it was created. */
  backlog(
    endpointId: string,
  ): MaybePromise<{ readonly pending: number; readonly oldestAtMs: number | undefined }>;
  /**
   * Stores what attempts have led to, with an event if the endpoint is disabled. False, with nothing
   * done, if the lease has ended.
   */
  settle(outcome: {
    readonly lease: Lease;
    readonly settled: readonly Settled[];
    readonly failingSinceMs: number | undefined;
    readonly disabled: Disabled | undefined;
  }): Promise<boolean>;
  /** Removes some of what need not be kept. Resolves with whether there may be more. */
  prune(nowMs: number): Promise<boolean>;
}
