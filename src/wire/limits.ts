/** The limits of a listener, which apply to clients before authentication. */
import { readFileSync } from "node:fs";

export interface WireLimits {
  /** Open at once. Beyond it, those that have waited longest for a request are closed. */
  readonly connectionsMax: number;
  /** Of the request line and all headers, and of all trailers. */
  readonly headBytesMax: number;
  readonly targetBytesMax: number;
  readonly headersMax: number;
  /** From the opening of a connection, or the first byte of a later request, to the end of its head. */
  readonly headMsMax: number;
  /** From the end of a response to the first byte of the next request. */
  readonly idleMsMax: number;
  /** How long a request body may take beyond what the minimum rate allows. */
  readonly bodyGraceMs: number;
  readonly bodyBytesPerSecondMin: number;
  /** How long a handler may take before its connection is closed. */
  readonly handlerMsMax: number;
  /** How long a client may read nothing of a response. */
  readonly stallMsMax: number;
  /** How much is read of a body that is discarded, so that the response arrives. */
  readonly discardedBytesMax: number;
  /** Of all request bodies together that are held in memory. */
  readonly heldBodyBytesMax: number;
  /** Of all responses together that wait for their clients. */
  readonly heldResponseBytesMax: number;
  /** How much is held of pipelined requests. The rest waits in the client's own buffers. */
  readonly pipelinedBytesMax: number;
  /** How long input is still read and discarded before a connection is closed. */
  readonly lingerMsMax: number;
  /** How often overdue connections are looked for. */
  readonly sweepEveryMs: number;
}

export const wireLimits: WireLimits = {
  connectionsMax: 10_000,
  headBytesMax: 16 * 1024,
  targetBytesMax: 8 * 1024,
  headersMax: 100,
  headMsMax: 10_000,
  idleMsMax: 60_000,
  bodyGraceMs: 10_000,
  bodyBytesPerSecondMin: 1_024,
  // Handlers have their own deadlines, and an event stream does not end.
  handlerMsMax: Number.POSITIVE_INFINITY,
  stallMsMax: 30_000,
  discardedBytesMax: 1024 ** 3,
  heldBodyBytesMax: 64 * 1024 ** 2,
  heldResponseBytesMax: 256 * 1024 ** 2,
  pipelinedBytesMax: 64 * 1024,
  lingerMsMax: 5_000,
  sweepEveryMs: 500,
};

/** For the database, its log, outgoing connections and whatever else a process has open. */
const descriptorsReserved = 256;

/**
 * The connections that all listeners of this process may have together. A process without free
 * descriptors cannot even accept a connection to refuse it, and spins.
 */
export function connectionsPossible(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
    if (soft !== undefined) return Math.max(16, Number(soft) - descriptorsReserved);
  } catch {
    // Known only on Linux.
  }
  return Number.POSITIVE_INFINITY;
}

export type Reading =
  /** Between two messages. */
  | "start"
  | "head"
  | "body"
  /** The message is complete; what follows it waits for its response. */
  | "complete"
  /** The connection is closing; what still arrives is discarded. */
  | "closing";

interface Waiting {
  readonly reading: Reading;
  /** Since the current wait began: for a head, a body, a response, the next request. */
  readonly waitedMs: number;
  /** The start of a request was received. */
  readonly startHeld: boolean;
  /** The connection has had a response before. */
  readonly served: boolean;
  /** Reading is paused. */
  readonly paused: boolean;
  /** A response is due. */
  readonly responding: boolean;
  readonly bodyBytes: number;
  /** A response without a known end is being sent. */
  readonly streaming: boolean;
  /** How long the client has read nothing of a response; undefined if nothing waits. */
  readonly stalledMs: number | undefined;
}

type Overdue = "close" | "destroy" | "refuse_head" | "refuse_body" | undefined;

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
      return !waiting.paused && waitedMs > bodyMsMax(waiting.bodyBytes, limits)
        ? "refuse_body"
        : undefined;
    case "complete":
      return !waiting.streaming && waitedMs > limits.handlerMsMax ? "destroy" : undefined;
    case "closing":
      return !waiting.responding && waitedMs > limits.lingerMsMax ? "destroy" : undefined;
  }
}

/** How long a body may take until this much of it has been received. */
export function bodyMsMax(bodyBytes: number, limits: WireLimits): number {
  return limits.bodyGraceMs + (bodyBytes * 1_000) / limits.bodyBytesPerSecondMin;
}
