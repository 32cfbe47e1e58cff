/** Server-sent events: a view, sent again whenever it changes. */

import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/problems.ts";

interface EventStreamsParts {
  readonly clock: Clock;
  /** True once the service is shutting down, which no stream may delay. */
  readonly leaving: () => boolean;
  readonly failed: (cause: unknown) => void;
  readonly streamsMax?: number;
  readonly streamsPerHolderMax?: number;
}

interface Watch {
  /** Whose stream it is: each holder may have a limited number. */
  readonly holder: string;
  /** What is sent first. */
  readonly first: string;
  /** The view as it is now; undefined ends the stream. */
  readonly look: () => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

const pollMs = 500;
/** Well within the time after which an idle connection is closed. */
const quietMsMax = 10_000;
/** Events that a client may leave unread before views in between are skipped. */
const unreadMax = 8;
/** How soon a browser reconnects when a stream has ended. */
const comeBackMs = 2_000;

export class EventStreams {
  readonly #parts: EventStreamsParts;
  readonly #open = new Map<string, number>();

  constructor(parts: EventStreamsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return [...this.#open.values()].reduce((sum, count) => sum + count, 0);
  }

  open(watch: Watch) {
    this.#enter(watch.holder);
    let end = () => {};
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          end = this.#follow(watch, controller);
        },
        cancel: () => end(),
      },
      { highWaterMark: unreadMax },
    );
    const headers = { "content-type": "text/event-stream", "x-accel-buffering": "no" };
    return { status: 200, headers, body } as const;
  }

  /** Polls until the returned function is called or the view ends. */
  #follow(
    { holder, first, look, signal }: Watch,
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): () => void {
    const { clock, leaving, failed } = this.#parts;
    const bytes = new TextEncoder();
    let sent = first;
    let sentAtMs = clock.elapsed();
    let looking = false;
    let ended = false;

    const send = (text: string) => {
      controller.enqueue(bytes.encode(text));
      sentAtMs = clock.elapsed();
    };
    const end = () => {
      if (ended) return;
      ended = true;
      stop();
      signal.removeEventListener("abort", end);
      this.#leave(holder);
      // A stream that was cancelled is closed already.
      if (!signal.aborted) tryTo(() => controller.close());
    };
    const step = async () => {
      if (leaving()) return end();
      if ((controller.desiredSize ?? 0) <= 0) return;
      const seen = await look();
      if (ended) return;
      if (seen === undefined) return end();
      if (seen !== sent) {
        send(eventText(seen));
        sent = seen;
      } else if (clock.elapsed() - sentAtMs >= quietMsMax) send(": nothing new\n\n");
    };
    const stop = clock.every(pollMs, () => {
      if (looking) return;
      looking = true;
      step()
        .catch((cause) => {
          failed(cause);
          end();
        })
        .finally(() => {
          looking = false;
        });
    });
    signal.addEventListener("abort", end);
    send(`retry: ${comeBackMs}\n\n${eventText(first)}`);
    if (signal.aborted) end();
    return end;
  }

  #enter(holder: string): void {
    const { streamsMax = 256, streamsPerHolderMax = 16 } = this.#parts;
    const own = this.#open.get(holder) ?? 0;
    if (own >= streamsPerHolderMax || this.count >= streamsMax) {
      throw new Problem("streams_exhausted", { retryAfterSeconds: 5 });
    }
    this.#open.set(holder, own + 1);
  }

  #leave(holder: string): void {
    const own = this.#open.get(holder) ?? 0;
    if (own > 1) this.#open.set(holder, own - 1);
    else this.#open.delete(holder);
  }
}

/** JSON has no line break, so one line of data holds it. */
function eventText(json: string): string {
  return `event: domain\ndata: ${json}\n\n`;
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // It was closed from the other side.
  }
}
