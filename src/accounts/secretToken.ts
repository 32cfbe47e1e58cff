/** What a cookie or a link holds: 256 random bits. The store keeps a hash, which needs no salt. */
import type { Clock } from "../clock.ts";
import { hashToken } from "../keys/token.ts";

const tokenBytes = 32;
const form = /^[A-Za-z0-9_-]{43}$/;

/** The token is known now and never again. */
export function mintSecret(clock: Clock): { readonly token: string; readonly hash: string } {
  const token = Buffer.from(clock.random(tokenBytes)).toString("base64url");
  return { token, hash: hashToken(token) };
}

/** Undefined for what was never one of ours. */
export function secretHash(token: string): string | undefined {
  return form.test(token) ? hashToken(token) : undefined;
}
