/** Owners and their plans, for operators. */
import { Problem } from "../../core/problems.ts";
import { ownerIdError, ownerNameLengthMax } from "../../hosting/sites/site.ts";
import type { SiteStore } from "../../hosting/sites/sites.ts";
import { invalid } from "./bodies.ts";
import { json, type PlatformHandlers } from "./handlers.ts";

export function ownerHandlers({ sites }: { readonly sites: SiteStore }) {
  return {
    listOwners: async () => json(200, await sites.listOwners()),

    async createOwner({ body: { id, name, plan = "free" } }) {
      const owner = { id: readId(id), name: readName(name.trim()), plan };
      if (await sites.addOwner(owner)) return json(201, owner);
      throw new Problem("owner_exists", { detail: `The id ${id} is taken.` });
    },

    async changePlan({ path: { owner: id }, body: { plan } }) {
      if (await sites.setPlan(id, plan)) return json(200, { id, plan });
      throw new Problem("owner_not_found", { detail: `There is no owner ${id}.` });
    },
  } satisfies Partial<PlatformHandlers>;
}

function readId(id: string): string {
  const complaint = ownerIdError(id);
  if (complaint !== undefined) throw invalid(`id ${complaint}.`);
  return id;
}

function readName(name: string): string {
  const length = [...name].length;
  if (length === 0 || length > ownerNameLengthMax || /\p{Cc}/u.test(name)) {
    throw invalid(`name must have 1 to ${ownerNameLengthMax} characters.`);
  }
  return name;
}
