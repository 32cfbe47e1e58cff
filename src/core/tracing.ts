/** Traces: the context that clients send (W3C Trace Context), and spans of what was done. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "./clock.ts";

/** What a client says of the trace that its request belongs to. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the client records it. */
  readonly sampled: boolean;
}

const traceparentForm = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const nothing = /^0+$/;

/** Undefined for a `traceparent` that is not valid, which counts as none (section 4.3). */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  if (text === undefined) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest] = traceparentForm.exec(text) ?? [];
  if (version === undefined || version === "ff") return undefined;
  // Later versions may append to it.
  if (version === "00" && rest !== undefined) return undefined;
  if (nothing.test(traceId) || nothing.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

const stateCharactersMax = 512;
const stateMembersMax = 32;
const stateKey = "[a-z0-9][a-z0-9_*/-]{0,240}(?:@[a-z][a-z0-9_*/-]{0,13})?";
const stateMember = new RegExp(`^${stateKey}=[ -+\\--<>-~]{0,255}[!-+\\--<>-~]$`);

/** A `tracestate`, whose values belong to others; undefined if it is not valid. */
export function validTracestate(text: string | undefined): string | undefined {
  if (text === undefined || text.length > stateCharactersMax) return undefined;
  const members = text.split(",").map((member) => member.trim());
  const given = members.filter((member) => member !== "");
  const valid = given.length > 0 && given.every((member) => stateMember.test(member));
  return valid && members.length <= stateMembersMax ? given.join(",") : undefined;
}

/** A span that has begun. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly state?: string | undefined;
}

export type SpanKind = "internal" | "server" | "client";

/** A span that has ended. Names and attributes follow OpenTelemetry's semantic conventions. */
export interface Span extends SpanContext {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  /** Why it failed; undefined if it did not. */
  readonly failure?: string | undefined;
}

export type EndedSpan = Pick<Span, "name" | "kind" | "durationMs" | "attributes" | "failure">;

/** Decides what is traced. Its clients decide for their requests, and it for the rest. */
export class Tracer {
  readonly #clock: Clock;
  readonly #ratio: number;
  readonly #record: (span: Span) => void;
  #share = 0;

  /** `ratio` is the share, from 0 to 1, of what begins here. */
  constructor(clock: Clock, ratio: number, record: (span: Span) => void) {
    this.#clock = clock;
    this.#ratio = ratio;
    this.#record = record;
  }

  /** Undefined if it is not to be recorded. `state` is the tracestate that came with its parent. */
  begin(parent?: TraceContext, state?: string): SpanContext | undefined {
    if (!(parent?.sampled ?? this.#takesShare())) return undefined;
    const spanId = this.#newId(8);
    if (parent === undefined) return { traceId: this.#newId(16), spanId };
    const valid = validTracestate(state);
    return { traceId: parent.traceId, spanId, parentSpanId: parent.spanId, state: valid };
  }

  end(context: SpanContext, ended: EndedSpan): void {
    const startMs = this.#clock.now() - ended.durationMs;
    this.#record({ ...context, ...ended, startMs });
  }

  /** Without chance, which would cost more than what it decides on. */
  #takesShare(): boolean {
    this.#share += this.#ratio;
    if (this.#share < 1) return false;
    this.#share -= 1;
    return true;
  }

  #newId(bytes: number): string {
    const id = Buffer.from(this.#clock.random(bytes)).toString("hex");
    return nothing.test(id) ? this.#newId(bytes) : id;
  }
}

/** What a recorded span tells those whom it calls. */
export function traceparentOf({ traceId, spanId }: SpanContext): string {
  return `00-${traceId}-${spanId}-01`;
}

/**
 * What a request passes on to what it causes: a `traceparent`, and after a space its `tracestate`
 * if it has one. It travels with the calls that lead to the store, and is stored with events.
 */
export type CarriedTrace = string;

const carried = new AsyncLocalStorage<CarriedTrace>();

export const currentTrace = (): CarriedTrace | undefined => carried.getStore();

export function withTrace<T>(trace: CarriedTrace, work: () => T): T {
  return carried.run(trace, work);
}

/** Of the span that is recorded for a request, or else of the client itself. */
export function carriedTrace(
  span: SpanContext | undefined,
  given: TraceContext | undefined,
  state: string | undefined,
): CarriedTrace | undefined {
  if (span !== undefined) return joined(traceparentOf(span), span.state);
  if (given === undefined) return undefined;
  const { traceId, spanId, sampled } = given;
  return joined(`00-${traceId}-${spanId}-${sampled ? "01" : "00"}`, validTracestate(state));
}

function joined(traceparent: string, state: string | undefined): CarriedTrace {
  return state === undefined ? traceparent : `${traceparent} ${state}`;
}

export function traceHeaders(trace: CarriedTrace | undefined): Readonly<Record<string, string>> {
  if (trace === undefined) return {};
  const [traceparent = "", ...state] = trace.split(" ");
  return state.length === 0 ? { traceparent } : { traceparent, tracestate: state.join(" ") };
}
