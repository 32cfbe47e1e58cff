/** Accounts, links and sessions as the suites of the stores use them. */
import type { AccessHolder } from "../../src/accounts/access.ts";
import type { OneTimeLink, Session } from "../../src/accounts/accounts.ts";
import type { Stores } from "../../src/storage/stores.ts";

export const nowMs = Date.UTC(2026, 10, 15, 12);
export const dayMs = 86_400_000;
export const operator: AccessHolder = { kind: "operator" };
export const shop: AccessHolder = { kind: "owner", id: "shop" };
export const nameOf = (holder: AccessHolder) => (holder.kind === "owner" ? holder.id : "operator");

export function linkFor(holder: AccessHolder, name: string): OneTimeLink {
  const account = nameOf(holder);
  const hash = `hash of ${name}`;
  return { account, holder, hash, createdAtMs: nowMs, expiresAtMs: nowMs + dayMs };
}

export function sessionOf(account: string, name: string, changes: Partial<Session> = {}): Session {
  return {
    id: `ses_${name}`,
    account,
    hash: `hash of ${name}`,
    agent: "a browser",
    createdAtMs: nowMs,
    seenAtMs: nowMs,
    endsAtMs: nowMs + dayMs,
    ...changes,
  };
}

export const password = (hash: string, setAtMs = nowMs) => ({ hash, setAtMs });

/** With accounts of both kinds, a password each, and no session. */
export async function withAccounts({ accounts, sites }: Stores): Promise<Stores["accounts"]> {
  await sites.addOwner({ id: "shop", name: "The shop", plan: "paid" });
  for (const holder of [operator, shop]) {
    const account = nameOf(holder);
    await accounts.issueLink(linkFor(holder, `link of ${account}`));
    await accounts.useLink({
      hash: `hash of link of ${account}`,
      atMs: nowMs,
      session: sessionOf(account, `first of ${account}`),
      password: password("first"),
    });
    await accounts.endSessions(account, undefined);
  }
  return accounts;
}
