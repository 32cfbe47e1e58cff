/** Domains for programs. */
import type { DomainView } from "../domains/domainView.ts";
import { inJson } from "../domains/inJson.ts";

/** Without the timeline, which is long and seldom wanted. */
export function viewJson(view: DomainView & { readonly timeline?: unknown }) {
  const { timeline: _, ...rest } = view;
  return inJson(rest);
}
