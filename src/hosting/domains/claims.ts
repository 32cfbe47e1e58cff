/** Who may attach a name: a proof is needed where another owner has or had it. */
import { Problem } from "../../core/problems.ts";
import { claimsMax, type StoredDomain } from "./domains.ts";
import { wwwTwin } from "./hostName.ts";
import { tombstoneMs } from "./schedule.ts";

/** Whether a proof is needed. Does not reveal who else has the name. */
export function needsProof(
  { claims, held, prove }: { claims: readonly StoredDomain[]; held: boolean; prove: boolean },
  ownerId: string,
  host: string,
  nowMs: number,
): boolean {
  const open = ({ domain }: StoredDomain) =>
    domain.ownership.kind === "held" || domain.ownership.kind === "proof_needed";
  const mine = claims.find((claim) => open(claim) && claim.domain.ownerId === ownerId);
  if (mine !== undefined) {
    throw new Problem("already_attached", {
      detail: `${host} is already attached to ${mine.domain.project}. To have it in another project, move it.`,
    });
  }
  const tombstones = claims.flatMap(({ domain: { ownership, ownerId } }) =>
    ownership.kind === "removed" &&
    ownership.unproven !== true &&
    nowMs - ownership.atMs < tombstoneMs
      ? [{ atMs: ownership.atMs, ownerId }]
      : [],
  );
  // Only the last owner may attach it again without a proof: the newest tombstone decides.
  const lastRemoved = tombstones.toSorted((one, other) => one.atMs - other.atMs).at(-1);
  const returns = !held && lastRemoved?.ownerId === ownerId;
  // Another owner is about to prove it, so later claims need a proof too.
  const contested = claims.some(({ domain }) => domain.ownership.kind === "proof_needed");
  // With so many claims, a tombstone may be missing from the result.
  if (claims.length >= claimsMax && !held && !returns) return true;
  if (returns || (!held && lastRemoved === undefined && !contested)) return false;
  if (!held || prove) return true;
  throw new Problem("attached_elsewhere", {
    detail: `${host} is attached to a project of another owner. If its DNS is yours, add it again and ask to prove it: a TXT record then shows that the name is yours.`,
  });
}

export const ownTarget = (claims: readonly StoredDomain[], ownerId: string) =>
  claims.find(({ domain }) => domain.ownerId === ownerId)?.domain.target;

/** The name that belongs to another one: www.example.com to example.com. */
export function twinOf(host: string): string {
  const twin = wwwTwin(host);
  if (twin !== undefined) return twin;
  throw new Problem("host_invalid", {
    detail: `${host} has no www name beside it. Only a name such as example.com and www.example.com belong together; add ${host} alone.`,
  });
}
