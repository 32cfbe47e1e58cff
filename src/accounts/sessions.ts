/** Sessions, their lifetime, and the one-time links that start them. */

import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/problems.ts";
import { hashToken, randomText } from "../petstore/keys/token.ts";
import type { AccessHolder } from "./access.ts";
import {
  type AccountStore,
  accountName,
  type OneTimeLink,
  requireEnabled,
  type Session,
} from "./accounts.ts";

const tokenBytes = 32;
const form = /^[A-Za-z0-9_-]{43}$/;

/**
 * The token of a cookie or a link: 256 random bits. Only its hash is stored, which needs no salt, so
 * the token cannot be shown again.
 */
export function generateSecret(clock: Clock): { readonly token: string; readonly hash: string } {
  const token = Buffer.from(clock.random(tokenBytes)).toString("base64url");
  return { token, hash: hashToken(token) };
}

/** Undefined for what cannot be a token. */
export function secretHash(token: string): string | undefined {
  return form.test(token) ? hashToken(token) : undefined;
}

const hourMs = 3_600_000;
/** Idle timeout. */
const sessionIdleMs = 2 * hourMs;
/** Absolute timeout. */
export const sessionMs = 24 * hourMs;
/** Not every request is worth a write. */
export const touchIntervalMs = 60_000;
const agentLengthMax = 200;

export function createSession(account: string, agent: string, clock: Clock) {
  const { token, hash } = generateSecret(clock);
  const nowMs = clock.now();
  const session: Session = {
    id: `ses_${randomText(12, clock)}`,
    account,
    hash,
    agent: agent.toWellFormed().slice(0, agentLengthMax),
    createdAtMs: nowMs,
    seenAtMs: nowMs,
    endsAtMs: nowMs + sessionMs,
  };
  return { session, token };
}

export function sessionExpiresAtMs({ seenAtMs, endsAtMs }: Session): number {
  return Math.min(seenAtMs + sessionIdleMs, endsAtMs);
}

export function isExpired(session: Session, nowMs: number): boolean {
  return nowMs >= sessionExpiresAtMs(session);
}

/** Printed at the first start, for immediate use. */
export const firstLinkMs = 24 * hourMs;
/** The recipient may be away for days. */
export const invitationMs = 7 * 24 * hourMs;

export interface IssuedLink {
  /** Not stored, so it cannot be shown again. */
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
  if (account === undefined) throw new Problem("name_reserved");
  requireEnabled(await store.find(account));
  const { token, hash } = generateSecret(clock);
  const createdAtMs = clock.now();
  const expiresAtMs = createdAtMs + lifetimeMs;
  const link: OneTimeLink = { account, holder, hash, createdAtMs, expiresAtMs };
  if (!(await store.issueLink(link))) {
    throw new Problem("owner_not_found");
  }
  return { token, account, expiresAtMs };
}

/** The token is in the fragment, which browsers do not send, so it appears in no access log. */
export function linkUrl(dashboard: string, token: string): string {
  return `${dashboard}#/welcome/${token}`;
}
