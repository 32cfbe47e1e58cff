import type { AccessStore } from "../../access/access.ts";
import type { AccountStore } from "../../accounts/accounts.ts";
import { AccountDesk } from "../../accounts/desk.ts";
import { type Derive, Passwords } from "../../accounts/passwordHash.ts";
import type { SharedCounts } from "../../keys/sharedCounts.ts";
import { byAccessToken } from "../internal/authenticate.ts";
import { createSessionApi, type SessionApi, type SessionApiParts } from "./sessionApi.ts";

export interface OpenSessionsParts extends Omit<SessionApiParts, "desk" | "byToken"> {
  readonly accounts: AccountStore;
  readonly access: AccessStore;
  readonly counts: SharedCounts;
  /** Argon2id unless said. */
  readonly derive?: Derive;
}

/** Signing in on the stores of the service. */
export function openSessions({
  accounts,
  access,
  counts,
  derive,
  ...parts
}: OpenSessionsParts): SessionApi {
  const { clock, log } = parts;
  const desk = new AccountDesk({
    store: accounts,
    passwords: new Passwords(clock, derive),
    clock,
    counts,
    failed: (cause) => log.error("account.failed", { cause }),
  });
  return createSessionApi({ ...parts, desk, byToken: byAccessToken(access) });
}
