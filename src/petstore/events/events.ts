/** Events: what happened to which resource, recorded in the transaction that did it. */
import type { MaybePromise } from "../../core/maybePromise.ts";

export const eventTypes = [
  "pet.created",
  "pet.updated",
  "pet.deleted",
  "order.placed",
  "order.approved",
  "order.delivered",
  "order.cancelled",
] as const;
export type EventType = (typeof eventTypes)[number];

export interface NewEvent {
  readonly type: EventType;
  /** Such as `pets/12`. */
  readonly resource: string;
  /** The JSON of the resource after the change; of one that was deleted, before it. */
  readonly data: string;
}

export interface RecordedEvent extends NewEvent {
  /** In the order of the commits, without one that becomes visible later. */
  readonly id: number;
  readonly atMs: number;
}

/** What a transaction needs of the rules that change something. */
export interface EventRecorder {
  record(event: NewEvent): void;
}

export interface EventQuery {
  /** Only events after this one; 0 for all. */
  readonly after: number;
  readonly limit: number;
}

export interface EventStore {
  /** In the order of their ids. */
  list(query: EventQuery): MaybePromise<readonly RecordedEvent[]>;
  /** Removes events from before an instant. Resolves with whether there may be more of them. */
  prune(beforeMs: number): Promise<boolean>;
}
