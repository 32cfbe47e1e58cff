/**
 * Every error that the service returns. Clients rely on the codes; a message may change at any time.
 */

/** Errors of the public API. Each has a page under docs/errors/. */
export const problems = {
  body_invalid: { status: 400, message: "The body has members with invalid values." },
  body_unreadable: { status: 400, message: "The body is not valid JSON in UTF-8." },
  request_malformed: { status: 400, message: "The request is not valid HTTP/1.1." },
  parameter_invalid: { status: 400, message: "A parameter has an invalid value." },
  cursor_invalid: {
    status: 400,
    message:
      "The cursor is not valid, or was issued for different filters. Start again without it.",
  },
  events_expired: {
    status: 410,
    message:
      "Events that follow this cursor are no longer kept. Read what you need again, then start without a cursor.",
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
  insufficient_scope: { status: 403, message: "This API key lacks the required scope." },
  pet_not_found: { status: 404, message: "No pet has this id." },
  path_not_found: { status: 404, message: "Nothing is served at this path." },
  order_not_found: { status: 404, message: "No order has this id." },
  method_not_allowed: { status: 405, message: "This path does not support this method." },
  request_timeout: { status: 408, message: "The request did not arrive in time. Send it again." },
  pet_not_available: {
    status: 409,
    message: "This pet is not available, and only an available pet can be ordered.",
  },
  category_not_found: { status: 404, message: "No category has this id." },
  category_taken: { status: 409, message: "Another category has this name or id." },
  category_in_use: {
    status: 409,
    message: "A pet has this category. Only a category that no pet has can be deleted.",
  },
  pet_reserved: {
    status: 409,
    message: "An open order holds this pet. Deliver or cancel the order first.",
  },
  order_event_refused: {
    status: 409,
    message: "This is not allowed in the order's current status.",
  },
  idempotency_in_flight: {
    status: 409,
    message: "A request with this Idempotency-Key is in progress. Try again shortly.",
  },
  operation_removed: { status: 410, message: "This operation was removed." },
  precondition_failed: {
    status: 412,
    message:
      "The pet has changed: its ETag is none of those in If-Match. Get it again, then retry.",
  },
  body_too_large: { status: 413, message: "The body is larger than 65536 bytes." },
  target_too_long: { status: 414, message: "The request target is longer than 8192 bytes." },
  media_type_unsupported: { status: 415, message: "Send the body as application/json." },
  idempotency_mismatch: {
    status: 422,
    message: "This Idempotency-Key was used for a different request. Use a new one.",
  },
  rate_limited: { status: 429, message: "This API key has exceeded its quota of requests." },
  headers_too_large: {
    status: 431,
    message: "The request has more than 16384 bytes of headers, or more than 100 headers.",
  },
  internal: {
    status: 500,
    message: "The service failed. Try again. If the error persists, report the X-Request-Id.",
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
    message: "The database cannot be reached. Try again shortly.",
  },
  version_not_supported: {
    status: 505,
    message: "The service supports HTTP/1.0 and HTTP/1.1 on this port.",
  },
} as const;

/** Errors of the dashboard, its API and commands only: sites, domains and signing in. */
export const platformProblems = {
  content_mismatch: {
    status: 400,
    message:
      "The content does not match what was announced: the file changed during the deployment.",
  },
  host_invalid: { status: 400, message: "This is not a host name that can be attached." },
  password_needed: { status: 400, message: "Choose a password, to sign in with next time." },
  password_refused: { status: 400, message: "This password cannot be used." },
  passkey_invalid: {
    status: 400,
    message: "This passkey could not be added. Start again with Add a passkey.",
  },
  routing_invalid: { status: 400, message: "The routing has members with invalid values." },
  site_invalid: { status: 400, message: "These files cannot be published as they are." },
  slug_invalid: { status: 400, message: "This is not a name for a project." },
  webhook_url_invalid: { status: 400, message: "Events cannot be sent to this URL." },
  not_signed_in: { status: 401, message: "You are not signed in. Sign in first." },
  sign_in_refused: { status: 401, message: "The username or the password is wrong." },
  sign_in_expired: {
    status: 401,
    message: "This sign-in has expired, or was completed already. Start again.",
  },
  second_factor_refused: {
    status: 401,
    message:
      "The code is wrong or was used already. Type the one that your app shows now, or a recovery code.",
  },
  unauthorized: {
    status: 401,
    message: "Send an access token: Authorization: Bearer <token>. The operator creates them.",
  },
  plan_required: {
    status: 402,
    message: "Domains of your own need the paid plan. Change the plan, then add the domain again.",
  },
  account_disabled: {
    status: 403,
    message: "This account is disabled. Ask the operator to enable it: petstore accounts enable.",
  },
  code_wrong: {
    status: 403,
    message: "The code is wrong. Type the one that your app shows now.",
  },
  current_password_wrong: { status: 403, message: "The current password is wrong." },
  forbidden: { status: 403, message: "This API rejects requests from pages of other origins." },
  operator_only: { status: 403, message: "Only the operator of this service may do that." },
  second_factor_needed: {
    status: 403,
    message: "Two-step sign-in is required here. Set it up first.",
  },
  sign_in_again: {
    status: 403,
    message: "Sign in again to change this: it is possible for 15 minutes after signing in.",
  },
  delivery_not_found: {
    status: 404,
    message: "This event was never meant for this endpoint, or is no longer kept.",
  },
  deployment_not_found: { status: 404, message: "There is no such deployment." },
  domain_not_found: { status: 404, message: "There is no such domain." },
  factor_not_found: { status: 404, message: "Your account has no such second factor." },
  key_not_found: { status: 404, message: "There is no such key." },
  owner_not_found: { status: 404, message: "There is no such owner." },
  project_not_found: { status: 404, message: "There is no such project." },
  session_not_found: { status: 404, message: "You have no such session. It may have ended." },
  webhook_not_found: { status: 404, message: "There is no such endpoint." },
  already_attached: { status: 409, message: "This domain is attached already." },
  changed_meanwhile: {
    status: 409,
    message: "Another request changed it at the same time. Reload it, then try again.",
  },
  confirmation_needed: { status: 409, message: "Other settings depend on this domain." },
  contents_missing: { status: 409, message: "Not all contents of the deployment have come yet." },
  deployment_ended: {
    status: 409,
    message:
      "This deployment is not being brought any more: it has ended. Deploy the folder once more.",
  },
  deployment_not_ready: { status: 409, message: "This deployment is not complete." },
  deployment_required: {
    status: 409,
    message: "The project shows no deployment. Deploy it first.",
  },
  key_ended: { status: 409, message: "This key was rotated, revoked or has expired." },
  last_factor: {
    status: 409,
    message: "Two-step sign-in is required here. Add another way before you remove this one.",
  },
  name_reserved: {
    status: 409,
    message:
      "An owner of this id cannot sign in, because the operator signs in by that name. Use an access token for it, or an owner of another id.",
  },
  not_published: { status: 409, message: "Nothing of this project is shown." },
  not_verifiable: { status: 409, message: "This domain cannot be checked in its status." },
  owner_exists: { status: 409, message: "The id is taken." },
  passkeys_unavailable: {
    status: 409,
    message:
      "Passkeys need a host name: browsers have none at an IP address. Open the dashboard by its name.",
  },
  project_exists: { status: 409, message: "The name is taken. Choose another one." },
  setup_expired: { status: 409, message: "This setup has expired. Start again." },
  too_many_passkeys: { status: 409, message: "The account has 20 passkeys. Remove one first." },
  too_many_projects: {
    status: 409,
    message: "The owner has as many projects as they may have.",
  },
  too_many_domains: { status: 409, message: "There are as many domains as there may be." },
  too_many_webhooks: {
    status: 409,
    message: "There are 1,000 endpoints already. Remove one first.",
  },
  webhook_secret_unreadable: {
    status: 409,
    message:
      "The secret of this endpoint was encrypted with another PETSTORE_SECRET. Rotate it, or set that one again.",
  },
  link_spent: {
    status: 410,
    message:
      "This link was used already, has expired, or was replaced by a newer one. Ask for a new one.",
  },
  sign_in_limited: { status: 429, message: "Too many attempts to sign in. Try again later." },
  streams_exhausted: {
    status: 429,
    message: "Too many streams are open already. Close one, or try again shortly.",
  },
  uploads_exhausted: {
    status: 429,
    message: "Too many uploads are in progress. Try again shortly.",
  },
  verify_too_soon: { status: 429, message: "A check was asked for already. Try again shortly." },
  domains_off: {
    status: 503,
    message:
      "Domains are not set up here. The operator sets PETSTORE_SITES_HOST, or PETSTORE_DOMAIN, to the name that owners point theirs to, for the service and for commands alike.",
  },
  sign_in_busy: { status: 503, message: "Too many people sign in at once. Try again shortly." },
} as const;

export type PublicProblemCode = keyof typeof problems;
export type ProblemCode = PublicProblemCode | keyof typeof platformProblems;

const registry: Readonly<
  Record<ProblemCode, { readonly status: number; readonly message: string }>
> = { ...problems, ...platformProblems };

export interface ProblemDetails {
  /** Replaces the registry's message with a more specific one. Sent to the client. */
  readonly detail?: string;
  /** The cause, which is logged and never sent to the client. */
  readonly cause?: unknown;
  /** When it is worth trying again. */
  readonly retryAfterSeconds?: number;
  /** Response headers that belong to this error, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error with a code. Anything else that is thrown is a defect and becomes `internal`. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    const { status, message } = registry[code];
    super(details.detail ?? message, { cause: details.cause });
    this.name = "Problem";
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.headers = details.headers ?? {};
  }

  /** Whether the service failed. What is switched off or limited on purpose is a refusal. */
  get isFailure(): boolean {
    return this.status >= 500 && !(this.code in platformProblems);
  }
}

/** Whether a request was refused without a change, as opposed to a failure of the service. */
export function isExpectedProblem(thrown: unknown): thrown is Problem {
  return thrown instanceof Problem && !thrown.isFailure;
}
