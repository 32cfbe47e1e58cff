/** Everything that signing in may refuse, by name. */

export const accountRefusals = {
  password_refused: 400,
  password_needed: 400,
  sign_in_refused: 401,
  not_signed_in: 401,
  current_password_wrong: 403,
  operator_only: 403,
  session_not_found: 404,
  owner_not_found: 404,
  name_reserved: 409,
  changed_meanwhile: 409,
  link_spent: 410,
  sign_in_limited: 429,
  sign_in_busy: 503,
} as const;

export type AccountRefusalCode = keyof typeof accountRefusals;

/** Says what was refused, why, and what to do next. Nothing was changed. */
export class AccountRefusal extends Error {
  readonly code: AccountRefusalCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: AccountRefusalCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = "AccountRefusal";
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
