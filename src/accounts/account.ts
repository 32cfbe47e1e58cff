/** Who can sign in to the dashboard, and by what. */
import type { AccessHolder } from "../access/access.ts";

/** There is one for the operator and at most one for each owner. */
export interface Account {
  /** What is typed to sign in, and what logs call it. No secret. */
  readonly name: string;
  readonly holder: AccessHolder;
  /** A hash with its parameters; undefined while there is only a link or a session to come in by. */
  readonly password: string | undefined;
  /** Grows with each new password, but not when the same one is hashed anew. */
  readonly passwordVersion: number;
}

/** Given to somebody in an address, and good for one session. The token itself is nowhere. */
export interface OneTimeLink {
  readonly account: string;
  readonly holder: AccessHolder;
  readonly hash: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface Session {
  /** Names it to people and in logs: `ses_` and 12 characters. No secret. */
  readonly id: string;
  readonly account: string;
  readonly hash: string;
  /** What the browser calls itself, cut short; empty where it does not say. */
  readonly agent: string;
  readonly createdAtMs: number;
  /** To the minute. */
  readonly seenAtMs: number;
  /** The end, however busy it is. */
  readonly endsAtMs: number;
}

export const operatorName = "operator";

/** Undefined for an owner whose id is the operator's name: two accounts cannot share it. */
export function accountName(holder: AccessHolder): string | undefined {
  if (holder.kind === "operator") return operatorName;
  return holder.id === operatorName ? undefined : holder.id;
}

/** Far longer than an owner's id may be. */
const nameLengthMax = 256;

/**
 * What was typed, as a name is kept; empty, which is nobody's, for what is too long. To normalise
 * a text takes time with the square of its marks, and everybody may send one.
 */
export function nameAsTyped(text: string): string {
  if (text.length > nameLengthMax) return "";
  return text.normalize("NFC").trim().toLowerCase();
}
