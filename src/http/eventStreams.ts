/** Server-sent events: a response that goes on for as long as the client reads it. */
import type { Clock } from "../core/clock.ts";
import type { Problem } from "../core/problems.ts";

interface EventStreamsParts {
  readonly clock: Clock;
  /** True once the service is shutting down, which no stream may delay. */
  readonly leaving: () => boolean;
  readonly failed: (cause: unknown) => void;
  /** What one too many is refused with. */
  readonly exhausted: () => Problem;
  readonly streamsMax?: number;
  readonly streamsPerHolderMax?: number;
}

interface Watch {
  /** Whose stream it is: each holder may have a limited number. */
  readonly holder: string;
  /** The events that are sent first; empty for none. */
  readonly first: string;
  /** The events since then; empty for none. Undefined ends the stream. */
  readonly poll: () => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

const pollMs = 500;
/** Well within the time after which an idle connection is closed. */
const quietMsMax = 10_000;
/** Chunks that a client may leave unread before it is polled for no more. */
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
    { holder, first, poll, signal }: Watch,
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): () => void {
    const { clock, leaving, failed } = this.#parts;
    const bytes = new TextEncoder();
    let sentAtMs = clock.elapsed();
    let polling = false;
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
      while ((controller.desiredSize ?? 0) > 0) {
        const events = await poll();
        if (ended) return;
        if (events === undefined) return end();
        if (events === "") break;
        send(events);
      }
      if (clock.elapsed() - sentAtMs >= quietMsMax && (controller.desiredSize ?? 0) > 0) {
        send(": nothing new\n\n");
      }
    };
    const stop = clock.every(pollMs, () => {
      if (polling) return;
      polling = true;
      step()
        .catch((cause) => {
          failed(cause);
          end();
        })
        .finally(() => {
          polling = false;
        });
    });
    signal.addEventListener("abort", end);
    send(`retry: ${comeBackMs}\n\n${first}`);
    if (signal.aborted) end();
    return end;
  }

  #enter(holder: string): void {
    const { streamsMax = 256, streamsPerHolderMax = 16 } = this.#parts;
    const own = this.#open.get(holder) ?? 0;
    if (own >= streamsPerHolderMax || this.count >= streamsMax) {
      throw this.#parts.exhausted();
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
export function serverSentEvent(event: string, json: string, id?: number): string {
  const ownId = id === undefined ? "" : `id: ${id}\n`;
  return `${ownId}event: ${event}\ndata: ${json}\n\n`;
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // It was closed from the other side.
  }
}
