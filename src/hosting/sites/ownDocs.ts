/** The service's own documentation is a site like any other, and the first one. */
import { fingerprintOf, hashOf } from "./deployment.ts";
import type { SourceFile } from "./fileUploader.ts";
import { type PublishOptions, publish } from "./publish.ts";
import type { Owner } from "./site.ts";

const owner: Owner = { id: "petstore", name: "Pet Store", plan: "paid" };
export const ownDocsSlug = "docs";

export type OwnDocsOutcome =
  | { readonly kind: "deployed"; readonly id: string }
  | { readonly kind: "unchanged" }
  /** Somebody else's project has the name, and is left alone. */
  | { readonly kind: "slug_taken" };

/**
 * Deploys it unless the newest deployment has the same content. Not the one that is shown: an
 * operator who rolled back, or took the site down, meant it. Processes that start together make one.
 */
export async function deployOwnDocs(
  files: ReadonlyMap<string, Uint8Array>,
  terms: Omit<PublishOptions, "unless">,
): Promise<OwnDocsOutcome> {
  const { store, clock } = terms;
  await store.addOwner(owner);
  await store.addProject({ slug: ownDocsSlug, ownerId: owner.id, nowMs: clock.now() });
  const project = await store.project(ownDocsSlug);
  if (project?.ownerId !== owner.id) return { kind: "slug_taken" };
  const named = [...files].map(([path, content]) => ({ path, hash: hashOf(content) }));
  if ((await newestFingerprint(terms)) === fingerprintOf(named)) return { kind: "unchanged" };
  const sources = [...files].map(
    ([path, content]): SourceFile => ({
      path,
      bytes: content.byteLength,
      read: async () => content,
    }),
  );
  const outcome = await publish(ownDocsSlug, sources, { ...terms, unless: "newest" });
  return "id" in outcome ? { kind: "deployed", id: outcome.id } : { kind: "unchanged" };
}

/** As many as may have failed since one was ready. */
const deploymentsLookedAt = 100;

async function newestFingerprint({ store }: Omit<PublishOptions, "unless">) {
  const deployments = await store.listDeployments(ownDocsSlug, deploymentsLookedAt);
  return deployments.find(({ state }) => state === "ready")?.fingerprint;
}
