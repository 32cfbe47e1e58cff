import type { AccessHolder } from "../access/access.ts";
import type { Clock } from "../clock.ts";
import { accountName, type OneTimeLink } from "./account.ts";
import type { AccountStore } from "./accounts.ts";
import { AccountRefusal } from "./refusal.ts";
import { mintSecret } from "./secretToken.ts";

const hourMs = 3_600_000;
/** Printed at the first start, to somebody who sits in front of it. */
export const firstLinkMs = 24 * hourMs;
/** Sent to somebody who may be away. */
export const invitationMs = 7 * 24 * hourMs;

export interface IssuedLink {
  /** Known now and never again. */
  readonly token: string;
  readonly account: string;
  readonly expiresAtMs: number;
}

/** Ends an earlier link for the same account. */
export async function issueLink(
  store: AccountStore,
  clock: Clock,
  holder: AccessHolder,
  lifetimeMs: number,
): Promise<IssuedLink> {
  const account = accountName(holder);
  if (account === undefined) {
    throw new AccountRefusal(
      "name_reserved",
      "An owner of this id cannot sign in, because the operator signs in by that name. Use an access token for it, or an owner of another id.",
    );
  }
  const { token, hash } = mintSecret(clock);
  const createdAtMs = clock.now();
  const expiresAtMs = createdAtMs + lifetimeMs;
  const link: OneTimeLink = { account, holder, hash, createdAtMs, expiresAtMs };
  if (!(await store.issueLink(link))) {
    throw new AccountRefusal("owner_not_found", "There is no such owner.");
  }
  return { token, account, expiresAtMs };
}

/** In the fragment, which a browser sends to nobody: no log on the way can hold the token. */
export function welcomeAddress(dashboard: string, token: string): string {
  return `${dashboard}#/welcome/${token}`;
}
