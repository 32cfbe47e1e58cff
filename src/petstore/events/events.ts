/** Events: what happened to which resource, recorded in the transaction that did it. */
import type { JsonOf } from "../../contract/document.ts";
import { eventTypes, type Schemas } from "../../contract/operations.ts";
import type { MaybePromise } from "../../core/maybePromise.ts";
import type { CarriedTrace } from "../../core/tracing.ts";

export type EventType = Schemas["EventType"];
export type Event = Schemas["Event"];

/** What precedes the dot of a type. */
type Kind<Type> = Type extends `${infer Of}.${string}` ? Of : never;
/** A type, or `pet.*` for every type of a kind, those that are added later included. */
export type EventPattern = EventType | `${Kind<EventType>}.*`;

const patternOf = (type: EventType) => type.replace(/[^.]+$/, "*") as EventPattern;

/** The events of pets and orders; all others are about what belongs to others. */
export const shopPatterns = ["pet.*", "order.*"] as const satisfies readonly EventPattern[];
export const eventPatterns: readonly EventPattern[] = [
  ...new Set(eventTypes.flatMap((type) => [patternOf(type), type])),
];

export function matchingTypes(patterns: readonly EventPattern[]): readonly EventType[] {
  return eventTypes.filter((type) => patterns.includes(type) || patterns.includes(patternOf(type)));
}

export const shopTypes = matchingTypes(shopPatterns);

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
  /** Of the request that caused it. */
  readonly trace?: CarriedTrace | undefined;
}

export function eventText({ id, type, atMs, resource, data }: RecordedEvent): JsonOf<Event> {
  const timestamp = new Date(atMs).toISOString();
  return `{"id":${id},"type":"${type}","timestamp":"${timestamp}","resource":${JSON.stringify(resource)},"data":${data}}`;
}

/** What a transaction needs of the rules that change something. */
export interface EventRecorder {
  /** `before` is the text of a resource before its change, for the audit log. */
  record(event: NewEvent, before?: () => string): void;
}

/** An absent member does not restrict the result. */
export interface EventFilter {
  readonly types?: readonly EventType[] | undefined;
  readonly resource?: string | undefined;
}

export interface EventQuery extends EventFilter {
  /** Only events after this one; 0 for all that are kept. */
  readonly after: number;
  readonly limit: number;
}

export interface EventPage {
  /** In the order of their ids. */
  readonly events: readonly RecordedEvent[];
  /** Every event up to this one was read, whether or not it matched. */
  readonly readUpTo: number;
  /** Whether nothing followed. */
  readonly isLast: boolean;
}

export interface EventStore {
  /**
   * A page may have fewer events than the limit, or none, though more follow: a filter reads a
   * bounded number of events. Undefined if events after `after` were removed, unless that is 0.
   */
  list(query: EventQuery): Promise<EventPage | undefined>;
  /** The last event that was recorded. */
  lastId(): MaybePromise<number>;
  /** Removes events from before an instant. Resolves with whether there may be more of them. */
  prune(beforeMs: number): Promise<boolean>;
}
