/** Exports traces where the settings ask for it: of requests, commits, webhooks and orders. */
import { createHash } from "node:crypto";
import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { MetricsRegistry } from "../core/metrics.ts";
import { parseTraceparent, Tracer, traceparentOf } from "../core/tracing.ts";
import type { CertificateAuthority } from "../hosting/domains/certificateAuthority.ts";
import type { AttemptResult } from "../petstore/webhooks/schedule.ts";
import type { SignedMessage } from "../petstore/webhooks/webhooks.ts";
import type { CommitReport } from "../storage/stores.ts";

interface TracesParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: MetricsRegistry;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Exports what is left. */
  stop(): Promise<void>;
}

/** Undefined where no collector is set. The exporter is loaded by those alone who have one. */
export async function startTracing(parts: TracesParts): Promise<Tracing | undefined> {
  const { config, clock, log, registry } = parts;
  if (config.traces === undefined) return undefined;
  const { url, ratio } = config.traces;
  const { OtlpExporter } = await import("../outbound/otlpExporter.ts");
  const exporter = new OtlpExporter({
    ...{ url, clock, registry },
    resource: { "service.name": "petstore", "deployment.environment.name": config.environment },
    failed: (cause) => log.warn("traces.export_failed", { cause }),
  });
  const tracer = new Tracer(clock, ratio, (span) => exporter.record(span));
  return { tracer, stop: () => exporter.stop() };
}

/** A commit belongs to no request: several may share it. */
export function traceCommit(tracer: Tracer, { writes, durationMs }: CommitReport): void {
  const span = tracer.begin();
  if (span === undefined) return;
  const attributes = { "db.operation.name": "COMMIT", "db.operation.batch.size": writes };
  tracer.end(span, { name: "commit", kind: "client", durationMs, attributes });
}

type Send = (message: SignedMessage) => Promise<AttemptResult>;

/**
 * All attempts to deliver an event are of one trace, whichever process makes them: that of the
 * request that caused the event, if it has one.
 */
export function tracedSend(send: Send, tracer: Tracer): Send {
  return async (message) => {
    const parent = parseTraceparent(message.headers["traceparent"]);
    const begun = tracer.begin(parent, message.headers["tracestate"]);
    if (begun === undefined) return send(message);
    const id = message.headers["webhook-id"] ?? "";
    const span = parent === undefined ? { ...begun, traceId: traceIdOf(message.url, id) } : begun;
    const headers = { ...message.headers, traceparent: traceparentOf(span) };
    const result = await send({ ...message, headers });
    const { status, error, durationMs } = result;
    const isRefused = status !== undefined && (status < 200 || status >= 300);
    tracer.end(span, {
      name: "webhook",
      kind: "client",
      durationMs,
      attributes: {
        "http.request.method": "POST",
        "http.response.status_code": status,
        "server.address": URL.parse(message.url)?.hostname,
        "messaging.message.id": id,
      },
      failure: error ?? (isRefused ? `The endpoint answered ${status}.` : undefined),
    });
    return result;
  };
}

const traceIdOf = (url: string, id: string) =>
  createHash("sha256").update(`${url} ${id}`).digest("hex").slice(0, 32);

export function tracedAuthority(
  authority: CertificateAuthority,
  tracer: Tracer,
  clock: Clock,
): CertificateAuthority {
  return {
    reach: () => authority.reach(),
    renewalWindow: (name, directory) => authority.renewalWindow(name, directory),
    async order(request, directories) {
      const span = tracer.begin();
      if (span === undefined) return authority.order(request, directories);
      const startedMs = clock.elapsed();
      const outcome = await authority.order(request, directories);
      const { detail, reason } =
        outcome.kind === "refused" ? outcome.refusal : { detail: undefined, reason: undefined };
      tracer.end(span, {
        name: "acme order",
        kind: "client",
        durationMs: clock.elapsed() - startedMs,
        attributes: { "petstore.host": request.host, "error.type": reason },
        failure: detail,
      });
      return outcome;
    },
  };
}
