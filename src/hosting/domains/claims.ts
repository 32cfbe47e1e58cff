/** What an owner may attach. */
import { Problem } from "../../core/problems.ts";
import { hasEnded } from "./domain.ts";
import type { StoredDomain } from "./domains.ts";
import { wwwTwin } from "./hostName.ts";

/** Who comes back to a name need not change the record. Refuses one that is attached already. */
export function keptTarget(
  claims: readonly StoredDomain[],
  ownerId: string,
  host: string,
): string | undefined {
  const mine = claims.filter(({ domain }) => domain.ownerId === ownerId);
  const open = mine.find(({ domain }) => !hasEnded(domain));
  if (open !== undefined) {
    throw new Problem("already_attached", {
      detail: `${host} is already attached to ${open.domain.project}. To have it in another project, move it.`,
    });
  }
  return mine[0]?.domain.target || undefined;
}

/** The name that belongs to another one: www.example.com to example.com. */
export function twinOf(host: string): string {
  const twin = wwwTwin(host);
  if (twin !== undefined) return twin;
  throw new Problem("host_invalid", {
    detail: `${host} has no www name beside it. Only a name such as example.com and www.example.com belong together; add ${host} alone.`,
  });
}
