/** Owners, their plans, and where they and the operator get their e-mail. */
import type { AccessHolder } from "../../accounts/access.ts";
import type { AccountStore } from "../../accounts/accounts.ts";
import { accountFor, emailOf, emailWords, readEmail, setEmail } from "../../accounts/email.ts";
import { Problem } from "../../core/problems.ts";
import { ownerIdError, ownerNameLengthMax } from "../../hosting/sites/site.ts";
import type { SiteStore } from "../../hosting/sites/sites.ts";
import type { AccountMails } from "../../notifications/accountMails.ts";
import { nameError } from "../../petstore/keys/lifecycle.ts";
import { invalid } from "./bodies.ts";
import { json, type PlatformHandlers } from "./handlers.ts";

export interface OwnerHandlersParts {
  readonly sites: SiteStore;
  readonly accountStore: AccountStore;
  /** Undefined where nothing is mailed. */
  readonly accountMails?: AccountMails | undefined;
}

export function ownerHandlers({ sites, accountStore, accountMails }: OwnerHandlersParts) {
  async function change(holder: AccessHolder, given: string | null) {
    const email = readAddress(given);
    const before = await emailOf(accountStore, holder);
    await setEmail(accountStore, holder, email);
    await accountMails?.emailChanged(accountFor(holder), before, email);
    return json(200, { email });
  }

  return {
    async listOwners() {
      const emails = await accountStore.listEmails();
      const owners = await sites.listOwners();
      return json(
        200,
        owners.map((owner) => ({ ...owner, email: emails.get(owner.id) })),
      );
    },

    async createOwner({ body: { id, name, plan = "free", email: given } }) {
      const owner = { id: readId(id), name: readName(name.trim()), plan };
      const email = readAddress(given);
      const holder = { kind: "owner", id } as const;
      if (email !== undefined) accountFor(holder);
      if (!(await sites.addOwner(owner))) {
        throw new Problem("owner_exists", { detail: `The id ${id} is taken.` });
      }
      if (email !== undefined) await setEmail(accountStore, holder, email);
      return json(201, { ...owner, email });
    },

    async changePlan({ path: { owner: id }, body: { plan } }) {
      if (await sites.setPlan(id, plan)) return json(200, { id, plan });
      throw new Problem("owner_not_found", { detail: `There is no owner ${id}.` });
    },

    setOwnerEmail: ({ path: { owner: id }, body: { email } }) =>
      change({ kind: "owner", id }, email),

    getEmail: async (_, { caller: { actor } }) =>
      json(200, { email: await emailOf(accountStore, actor) }),

    setEmail: ({ body: { email } }, { caller: { actor } }) => change(actor, email),
  } satisfies Partial<PlatformHandlers>;
}

function readId(id: string): string {
  const complaint = ownerIdError(id);
  if (complaint !== undefined) throw invalid(`id ${complaint}.`);
  return id;
}

function readName(name: string): string {
  const complaint = nameError(name, ownerNameLengthMax);
  if (complaint !== undefined) throw invalid(`name ${complaint}.`);
  return name;
}

function readAddress(given: string | null | undefined): string | undefined {
  if (given === null || given === undefined) return undefined;
  const email = readEmail(given.trim());
  if (email === undefined) throw invalid(`email must be ${emailWords}.`);
  return email;
}
