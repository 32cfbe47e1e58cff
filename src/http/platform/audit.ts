/** The audit log, for operators. */

import type { AuditEntry, AuditStore } from "../../audit/auditLog.ts";
import { Problem } from "../../core/problems.ts";
import { json, type PlatformHandlers } from "./handlers.ts";

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
      const nextCursor = last && String(last.number);
      return json(200, { items: items.map(entryShown), nextCursor });
    },
  } satisfies Partial<PlatformHandlers>;
}

const parsed = (text: string | undefined): Record<string, unknown> | undefined =>
  text === undefined ? undefined : JSON.parse(text);

function entryShown({ source, before, after, ...entry }: AuditEntry) {
  const nobody = { address: undefined, agent: undefined, host: undefined, sudoUser: undefined };
  const from: typeof nobody = { ...nobody, ...parsed(source) };
  return { ...entry, source: from, before: parsed(before), after: parsed(after) };
}

function numberIn(cursor: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(cursor)) return Number(cursor);
  throw new Problem("parameter_invalid", {
    detail: "cursor must be the nextCursor of the page before.",
  });
}
