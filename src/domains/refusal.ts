/** Everything that the desk may refuse, by name. */

export const deskRefusals = {
  host_invalid: 400,
  routing_invalid: 400,
  plan_required: 402,
  project_not_found: 404,
  domain_not_found: 404,
  deployment_required: 409,
  too_many_domains: 409,
  already_attached: 409,
  attached_elsewhere: 409,
  confirmation_needed: 409,
  not_verifiable: 409,
  changed_meanwhile: 409,
  verify_too_soon: 429,
  domains_off: 503,
} as const;

export type DeskRefusalCode = keyof typeof deskRefusals;

/** Says what was refused, why, and what to do next. Nothing was changed. */
export class DeskRefusal extends Error {
  readonly code: DeskRefusalCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: DeskRefusalCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = "DeskRefusal";
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
