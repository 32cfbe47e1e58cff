/**
 * Every way in which the service refuses or fails. A code is a promise to clients and has a page
 * under docs/errors/; a message may improve at any time.
 */
export const problems = {
  body_invalid: { status: 400, message: "The body has members with invalid values." },
  body_unreadable: { status: 400, message: "The body is not valid JSON in UTF-8." },
  request_malformed: { status: 400, message: "The request is not valid HTTP/1.1." },
  parameter_invalid: { status: 400, message: "A parameter has an invalid value." },
  cursor_invalid: {
    status: 400,
    message:
      "The cursor was not made by this service, or not for these filters. Start again without it.",
  },
  key_missing: { status: 401, message: "Send an API key: Authorization: Bearer <API_KEY>." },
  key_invalid: { status: 401, message: "This API key is not valid." },
  key_expired: {
    status: 401,
    message: "This API key has expired. Ask the operator for a new one.",
  },
  key_revoked: {
    status: 401,
    message: "This API key was revoked. Ask the operator for a new one.",
  },
  key_wrong_environment: {
    status: 401,
    message: "This API key belongs to another environment.",
  },
  insufficient_scope: { status: 403, message: "This API key lacks a scope." },
  pet_not_found: { status: 404, message: "No pet has this id." },
  path_not_found: { status: 404, message: "Nothing is served at this path." },
  order_not_found: { status: 404, message: "No order has this id." },
  method_not_allowed: { status: 405, message: "This path does not take this method." },
  request_timeout: { status: 408, message: "The request did not arrive in time. Send it again." },
  pet_not_available: {
    status: 409,
    message: "This pet is not available, and only an available pet can be ordered.",
  },
  order_event_refused: { status: 409, message: "The order is not at this step." },
  idempotency_in_flight: {
    status: 409,
    message: "A request with this Idempotency-Key is being worked on. Try again shortly.",
  },
  operation_removed: { status: 410, message: "This operation was removed." },
  body_too_large: { status: 413, message: "The body is larger than 65536 bytes." },
  target_too_long: { status: 414, message: "The request target is longer than 8192 bytes." },
  media_type_unsupported: { status: 415, message: "Send the body as application/json." },
  idempotency_mismatch: {
    status: 422,
    message: "This Idempotency-Key was used for another request. Use a new one.",
  },
  rate_limited: { status: 429, message: "This API key has used up its quota of requests." },
  headers_too_large: {
    status: 431,
    message: "The request has more than 16384 bytes of headers, or more than 100 headers.",
  },
  internal: {
    status: 500,
    message: "The service failed. Try again, and quote the X-Request-Id if it goes on.",
  },
  not_implemented: {
    status: 501,
    message: "The service does not implement this method or transfer coding.",
  },
  overloaded: {
    status: 503,
    message: "The service has too many requests in progress. Try again shortly.",
  },
  store_unavailable: {
    status: 503,
    message: "The store cannot be reached right now. Try again shortly.",
  },
  version_not_supported: {
    status: 505,
    message: "The service supports HTTP/1.0 and HTTP/1.1 on this port.",
  },
} as const;

export type ProblemCode = keyof typeof problems;

export interface ProblemDetails {
  /** Replaces the registry's message where there is more to say. Reaches the client. */
  readonly detail?: string;
  /** What lies behind it. Reaches the log, never the client. */
  readonly cause?: unknown;
  /** Response headers that belong to this refusal, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal or failure with a name. Whatever else is thrown is a fault of ours. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(details.detail ?? problems[code].message, { cause: details.cause });
    this.name = "Problem";
    this.code = code;
    this.status = problems[code].status;
    this.headers = details.headers ?? {};
  }
}
