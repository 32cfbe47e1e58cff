/** How long a session lasts. */
import type { Clock } from "../clock.ts";
import { randomText } from "../keys/token.ts";
import type { Session } from "./account.ts";
import { mintSecret } from "./secretToken.ts";

const hourMs = 3_600_000;
/** Unused for this long, it is over. */
export const sessionIdleMs = 2 * hourMs;
/** It is over, however much it is used. */
export const sessionMs = 24 * hourMs;
/** Not every request is worth a write. */
export const seenEveryMs = 60_000;
const agentLengthMax = 200;

export interface BegunSession {
  readonly session: Session;
  /** Known now and never again. */
  readonly token: string;
}

export function beginSession(account: string, agent: string, clock: Clock): BegunSession {
  const { token, hash } = mintSecret(clock);
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

export function isOver(session: Session, nowMs: number): boolean {
  return nowMs >= sessionExpiresAtMs(session);
}
