/** Everything that these handlers refuse by themselves, by name. */
export const dashboardRefusals = {
  body_invalid: 400,
  slug_invalid: 400,
  site_invalid: 400,
  content_mismatch: 400,
  operator_only: 403,
  owner_not_found: 404,
  project_not_found: 404,
  deployment_not_found: 404,
  key_not_found: 404,
  owner_exists: 409,
  project_exists: 409,
  not_published: 409,
  deployment_ended: 409,
  deployment_not_ready: 409,
  contents_missing: 409,
  key_ended: 409,
  body_too_large: 413,
  uploads_exhausted: 429,
} as const;

export type DashboardRefusalCode = keyof typeof dashboardRefusals;

/** Says what was refused, why, and what to do next. Nothing was changed. */
export class DashboardRefusal extends Error {
  readonly code: DashboardRefusalCode;

  constructor(code: DashboardRefusalCode, message: string) {
    super(message);
    this.name = "DashboardRefusal";
    this.code = code;
  }
}

export const noSuchProject = (slug: string): DashboardRefusal =>
  new DashboardRefusal("project_not_found", `There is no project ${slug}.`);
