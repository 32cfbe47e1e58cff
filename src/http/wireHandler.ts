/** What the API, the dashboard and the metrics answer where a message never became a request. */
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { Problem, type ProblemCode } from "../core/problems.ts";
import type { HttpHandler, HttpResponse, WireError } from "../wire/message.ts";
import { requestIds } from "./requestId.ts";
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
