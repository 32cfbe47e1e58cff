/** Sends spans to a collector: OTLP over HTTP, in JSON. Nothing waits for it. */
import type { Clock } from "../core/clock.ts";
import type { MetricsRegistry } from "../core/metrics.ts";
import type { Span, SpanKind } from "../core/tracing.ts";

export interface ExporterOptions {
  /** Of the collector: `http://127.0.0.1:4318`. */
  readonly url: string;
  /** Attributes of the service, by OpenTelemetry's names. */
  readonly resource: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly registry: MetricsRegistry;
  /** Called when an export fails after one that did not, or the first. */
  readonly failed: (cause: unknown) => void;
}

/** What waits; more is dropped. */
const waitingMax = 4_096;
const batchMax = 512;
const exportEveryMs = 1_000;
const requestMsMax = 5_000;

export class OtlpExporter {
  readonly #options: ExporterOptions;
  readonly #exported;
  readonly #dropped;
  readonly #stopTimer: () => void;
  #waiting: Span[] = [];
  #sending: Promise<void> | undefined;
  #isFailing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
    const spans = options.registry.counter(
      "petstore_trace_spans_total",
      "Spans that were recorded: exported, or dropped because the collector did not take them.",
    );
    this.#exported = spans.at({ outcome: "exported" });
    this.#dropped = spans.at({ outcome: "dropped" });
    this.#stopTimer = options.clock.every(exportEveryMs, () => void this.#export());
  }

  record(span: Span): void {
    if (this.#waiting.length >= waitingMax) this.#dropped.value++;
    else this.#waiting.push(span);
  }

  /** Exports what waits, for no longer than one request may take. */
  async stop(): Promise<void> {
    this.#stopTimer();
    await this.#sending;
    await this.#export();
  }

  #export(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchMax);
      try {
        const rejected = await this.#send(batch);
        this.#exported.value += batch.length - rejected;
        this.#dropped.value += rejected;
        this.#isFailing = false;
      } catch (cause) {
        this.#dropped.value += batch.length;
        if (!this.#isFailing) this.#options.failed(cause);
        this.#isFailing = true;
        return;
      }
    }
  }

  /** How many of them the collector rejected. */
  async #send(batch: readonly Span[]): Promise<number> {
    const { url, resource, clock } = this.#options;
    const late = new AbortController();
    const cancel = clock.after(requestMsMax, () => late.abort());
    try {
      const response = await fetch(`${url.replace(/\/$/, "")}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: exportText(batch, resource),
        redirect: "error",
        signal: late.signal,
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`The collector answered ${response.status}.`);
      return rejectedIn(text);
    } finally {
      cancel();
    }
  }
}

function rejectedIn(text: string): number {
  try {
    return Number(JSON.parse(text).partialSuccess?.rejectedSpans ?? 0);
  } catch {
    // An older collector answers nothing.
    return 0;
  }
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const statusError = 2;

/** An ExportTraceServiceRequest in the JSON of OTLP: ids in hex, 64-bit numbers as text. */
export function exportText(spans: readonly Span[], resource: ExporterOptions["resource"]): string {
  const scope = { name: "petstore" };
  const scopeSpans = [{ scope, spans: spans.map(spanJson) }];
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }],
  });
}

function spanJson(span: Span) {
  const { startMs, durationMs, failure } = span;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    traceState: span.state,
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(startMs + durationMs),
    attributes: attributesOf(span.attributes),
    status: failure === undefined ? {} : { code: statusError, message: failure },
  };
}

/** To the microsecond, which is what a double holds of today's date. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1_000)}000`;
}

function attributesOf(attributes: Span["attributes"]) {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const typed =
      typeof value === "string"
        ? { stringValue: value }
        : Number.isInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value };
    return [{ key, value: typed }];
  });
}
