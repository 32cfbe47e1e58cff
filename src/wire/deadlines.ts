/** What a connection may take its time for, and what happens when that is over. */
import type { WireLimits } from "./limits.ts";

export type Reading =
  /** Between two messages. */
  | "start"
  | "head"
  | "body"
  /** The message is complete; what follows it waits for its response. */
  | "complete"
  /** The connection is closing; what still arrives is dropped. */
  | "closing";

export interface Waiting {
  readonly reading: Reading;
  /** Since the present wait began: for a head, a body, a response, the next request. */
  readonly waitedMs: number;
  /** The start of a request was received. */
  readonly startHeld: boolean;
  /** The connection has had a response before. */
  readonly served: boolean;
  /** It is not read from at the moment. */
  readonly paused: boolean;
  /** A response is due. */
  readonly responding: boolean;
  readonly bodyBytes: number;
  /** A response without a known end is being sent. */
  readonly streaming: boolean;
  /** How long the reader of a response has taken nothing of it; undefined where nothing waits. */
  readonly stalledMs: number | undefined;
}

export type Overdue = "close" | "destroy" | "refuse_head" | "refuse_body" | undefined;

export function overdue(waiting: Waiting, limits: WireLimits): Overdue {
  const { waitedMs, stalledMs } = waiting;
  if (stalledMs !== undefined) return stalledMs > limits.stallMsMax ? "destroy" : undefined;
  switch (waiting.reading) {
    case "start":
      if (waiting.startHeld) return waitedMs > limits.headMsMax ? "refuse_head" : undefined;
      return waitedMs > (waiting.served ? limits.idleMsMax : limits.headMsMax)
        ? "close"
        : undefined;
    case "head":
      return waitedMs > limits.headMsMax ? "refuse_head" : undefined;
    case "body":
      return !waiting.paused && waitedMs > bodyMsMax(waiting, limits) ? "refuse_body" : undefined;
    case "complete":
      return !waiting.streaming && waitedMs > limits.handlerMsMax ? "destroy" : undefined;
    case "closing":
      return !waiting.responding && waitedMs > limits.lingerMsMax ? "destroy" : undefined;
  }
}

function bodyMsMax({ bodyBytes }: Waiting, limits: WireLimits): number {
  return limits.bodyGraceMs + (bodyBytes * 1_000) / limits.bodyBytesPerSecondMin;
}
