/** Sessions, how long they last, and the one-time links that begin them. */

import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/problems.ts";
import { hashToken, randomText } from "../petstore/keys/token.ts";
import type { AccessHolder } from "./access.ts";
import { type AccountStore, accountName, type OneTimeLink, type Session } from "./accounts.ts";

const tokenBytes = 32;
const form = /^[A-Za-z0-9_-]{43}$/;

/**
 * What a cookie or a link holds: 256 random bits. The store keeps a hash, which needs no salt. The
 * token is known now and never again.
 */
function generateSecret(clock: Clock): { readonly token: string; readonly hash: string } {
  const token = Buffer.from(clock.random(tokenBytes)).toString("base64url");
  return { token, hash: hashToken(token) };
}

/** Undefined for what was never one of ours. */
export function secretHash(token: string): string | undefined {
  return form.test(token) ? hashToken(token) : undefined;
}

const hourMs = 3_600_000;
/** Unused for this long, it is over. */
const sessionIdleMs = 2 * hourMs;
/** It is over, however much it is used. */
export const sessionMs = 24 * hourMs;
/** Not every request is worth a write. */
export const touchIntervalMs = 60_000;
const agentLengthMax = 200;

/** The token is known now and never again. */
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
/** Sent to somebody who may be away for days. */
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
  if (account === undefined) throw new Problem("name_reserved");
  const { token, hash } = generateSecret(clock);
  const createdAtMs = clock.now();
  const expiresAtMs = createdAtMs + lifetimeMs;
  const link: OneTimeLink = { account, holder, hash, createdAtMs, expiresAtMs };
  if (!(await store.issueLink(link))) {
    throw new Problem("owner_not_found");
  }
  return { token, account, expiresAtMs };
}

/** In the fragment, which a browser sends to nobody: no log on the way can hold the token. */
export function linkUrl(dashboard: string, token: string): string {
  return `${dashboard}#/welcome/${token}`;
}
