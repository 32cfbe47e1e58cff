import { accessRepository, accessWrites, accountRepository, accountWrites } from "./accounts.ts";
import { auditRepository, auditWrites } from "./audit.ts";
import { categoryRepository, categoryWrites } from "./categories.ts";
import { domainRepository, domainWrites } from "./domains.ts";
import { acmeAccountRepository, workerWrites } from "./domainWorker.ts";
import { edgeViewRepository, edgeWrites } from "./edgeView.ts";
import { eventRepository, eventWrites } from "./events.ts";
import { keyRepository, keyWrites } from "./keys.ts";
import { mailRepository, mailWrites } from "./mails.ts";
import { expiryWrites } from "./recording.ts";
import { secondFactorRepository, secondFactorWrites } from "./secondFactors.ts";
import { siteRepository, uploadRepository } from "./sites.ts";
import { siteWrites } from "./siteWrites.ts";
import type { Storage } from "./storage.ts";
import { webhookRepository, webhookWrites } from "./webhooks.ts";

/** The stores that are the same on every engine. */
export function repositoriesOn(storage: Storage) {
  return {
    access: accessRepository(storage),
    accounts: accountRepository(storage),
    audit: auditRepository(storage),
    secondFactors: secondFactorRepository(storage),
    categories: categoryRepository(storage),
    keys: keyRepository(storage),
    sites: siteRepository(storage),
    uploads: uploadRepository(storage),
    domains: domainRepository(storage),
    edgeView: edgeViewRepository(storage),
    acmeAccounts: acmeAccountRepository(storage),
    events: eventRepository(storage),
    webhooks: webhookRepository(storage),
    mails: mailRepository(storage),
  };
}

/**
 * Every write of the repositories by name: SQLite runs them in another thread, to which no function
 * can be sent. A write awaits nothing but its transaction, and returns a refusal: throwing rolls
 * back the whole batch. What it changed before it refuses is committed. `audited.ts` runs them, and
 * says of each whether people make it.
 */
export const writes = {
  ...accessWrites,
  ...accountWrites,
  ...auditWrites,
  ...secondFactorWrites,
  ...categoryWrites,
  ...keyWrites,
  ...siteWrites,
  ...domainWrites,
  ...workerWrites,
  ...expiryWrites,
  ...edgeWrites,
  ...eventWrites,
  ...webhookWrites,
  ...mailWrites,
};

export type WriteName = keyof typeof writes;
export type WriteArgument<Name extends WriteName> = Parameters<(typeof writes)[Name]>[1];
export type WriteResult<Name extends WriteName> = Awaited<ReturnType<(typeof writes)[Name]>>;
