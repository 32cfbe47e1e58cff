/** Domains for programs. */
import type { DomainView } from "../hosting/domains/domainView.ts";
import { toJson } from "../hosting/domains/json.ts";

/** Without the timeline, which is long and rarely needed. */
export function viewJson(view: DomainView & { readonly timeline?: unknown }) {
  const { timeline: _, ...rest } = view;
  return toJson(rest);
}
