/** The listeners of the API, the dashboard and the metrics. */
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { type Family, metricsText, metricsType } from "../core/metrics.ts";
import { Problem, type ProblemCode } from "../core/problems.ts";
import { type Listener, type ListenOptions, listen } from "../wire/listener.ts";
import type { HttpHandler, HttpRequest, HttpResponse, WireError } from "../wire/message.ts";
import { type AppParts, createApp } from "./app.ts";
import { requestIds } from "./headers.ts";
import { createPublicRoutes, type PublicRoutesParts } from "./publicRoutes.ts";
import { asProblem, errorText, refusalHeaders } from "./responses.ts";

const problemCodes = {
  malformed: "request_malformed",
  host_invalid: "request_malformed",
  timeout: "request_timeout",
  target_too_long: "target_too_long",
  headers_too_large: "headers_too_large",
  coding_unsupported: "not_implemented",
  version_unsupported: "version_not_supported",
  overloaded: "overloaded",
} as const satisfies Record<WireError, ProblemCode>;

export function createWireHandler(
  app: Pick<HttpHandler, "handle" | "cached">,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): HttpHandler {
  const nextId = requestIds(clock);
  return {
    ...app,
    failed(cause) {
      const id = nextId();
      log.error("request.failed", { id, cause });
      return errorResponse(asProblem(cause), id);
    },
    refuse(error, client) {
      const problem = new Problem(
        problemCodes[error],
        error === "host_invalid"
          ? { detail: "The request needs one Host header with a host." }
          : {},
      );
      const { code, status } = problem;
      const id = nextId();
      log.info("request.refused", { id, code, status, reason: error, client });
      return errorResponse(problem, id);
    },
  };
}

function errorResponse(problem: Problem, id: string): HttpResponse {
  const headers = {
    "content-type": "application/json",
    ...refusalHeaders(problem),
    "x-request-id": id,
  };
  return { status: problem.status, headers, body: errorText(problem) };
}

/**
 * The whole service with the dashboard, on a separate listener, so that access to the API does not
 * imply access to the dashboard. The API is here too because the dashboard calls it, and its links
 * lead back here.
 */
export async function listenForAdmin(
  { url, ...at }: ListenOptions & { readonly url: string | undefined },
  parts: AppParts,
  publicRoutes: Omit<PublicRoutesParts, "baseUrl">,
): Promise<Listener> {
  const baseUrl = url && `${url}/v1`;
  const app = createApp({
    ...parts,
    baseUrl,
    publicRoutes: createPublicRoutes({ ...publicRoutes, baseUrl }),
  });
  return listen(at, createWireHandler(app, parts), parts.clock).catch(marking({ admin: true }));
}

/** Metrics have a separate listener, so that access to the API does not imply access to them. */
export async function listenForMetrics(
  at: { readonly host: string; readonly port: number },
  families: () => Promise<readonly Family[]>,
  clock: Clock,
  log: Log,
): Promise<Listener> {
  const handle = async ({ path }: HttpRequest): Promise<HttpResponse> => {
    if (path !== "/metrics") return { status: 404, headers: textType, body: "See /metrics.\n" };
    try {
      const body = metricsText(await families());
      return { status: 200, headers: { "content-type": metricsType }, body };
    } catch (cause) {
      log.error("metrics.failed", { cause });
      return { status: 500, headers: {} };
    }
  };
  const handler = createWireHandler({ handle }, { clock, log });
  return listen(at, handler, clock).catch(marking({ metrics: true }));
}

/** The error of the system does not say which of the listeners failed. */
function marking(mark: object) {
  return (cause: Error): never => {
    throw Object.assign(cause, mark);
  };
}

const textType = { "content-type": "text/plain; charset=utf-8" } as const;
