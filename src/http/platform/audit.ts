/** The audit log, for operators. */

import { type AuditStore, exportedLine } from "../../audit/auditLog.ts";
import type { JsonOf } from "../../contract/document.ts";
import type { AuditPage } from "../../contract/generated/platform.ts";
import { Problem } from "../../core/problems.ts";
import type { PlatformHandlers } from "./handlers.ts";

export interface AuditHandlersParts {
  readonly audit: AuditStore;
}

export function auditHandlers({ audit }: AuditHandlersParts) {
  return {
    async listAuditEntries({ query: { actor, action, subject, cursor, limit, ...times } }) {
      const filter = { actor: actor || undefined, action: action || undefined, ...times };
      const found = await audit.list({
        ...filter,
        subject: subject || undefined,
        before: cursor === "" ? undefined : numberIn(cursor),
        limit: limit + 1,
      });
      const items = found.slice(0, limit);
      const last = found.length > limit ? items.at(-1) : undefined;
      const next = last === undefined ? "null" : `"${last.number}"`;
      // As in an export: a number beyond the safe integers would be rounded otherwise.
      const body = `{"items":[${items.map(exportedLine).join(",")}],"nextCursor":${next}}`;
      return { status: 200, body: body as JsonOf<AuditPage> };
    },
  } satisfies Partial<PlatformHandlers>;
}

function numberIn(cursor: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(cursor)) return Number(cursor);
  throw new Problem("parameter_invalid", {
    detail: "cursor must be the nextCursor of the page before.",
  });
}
