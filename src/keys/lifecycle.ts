/** How a key comes to be, is replaced and ends: pure rules. */
import type { Clock } from "../clock.ts";
import type { ApiKey } from "./keys.ts";
import { type Environment, hashToken, mintToken, randomText, tokenHint } from "./token.ts";

export interface NewKey {
  readonly name: string;
  readonly environment: Environment;
  readonly scopes: ApiKey["scopes"];
  readonly expiresAtMs: number | undefined;
}

/** A key and its token, which is shown now and never again. */
export interface MintedKey {
  readonly key: ApiKey;
  readonly token: string;
}

export function mintKey(wanted: NewKey, clock: Clock): MintedKey {
  const token = mintToken(wanted.environment, clock);
  const key: ApiKey = {
    ...wanted,
    id: `key_${randomText(12, clock)}`,
    hash: hashToken(token),
    hint: tokenHint(token),
    createdAtMs: clock.now(),
    revokedAtMs: undefined,
    replacedBy: undefined,
    lastUsedAtMs: undefined,
  };
  return { key, token };
}

export interface Rotation extends MintedKey {
  readonly oldExpiresAtMs: number;
}

/**
 * The successor has the old key's name, scopes and length of life. The old key keeps working for
 * the grace period, but never beyond the expiry it already had.
 */
export function planRotation(old: ApiKey, graceMs: number, clock: Clock): Rotation {
  const now = clock.now();
  const lifeMs = old.expiresAtMs === undefined ? undefined : old.expiresAtMs - old.createdAtMs;
  const minted = mintKey(
    {
      name: old.name,
      environment: old.environment,
      scopes: old.scopes,
      expiresAtMs: lifeMs === undefined ? undefined : now + lifeMs,
    },
    clock,
  );
  const graceEndsMs = now + graceMs;
  return { ...minted, oldExpiresAtMs: Math.min(graceEndsMs, old.expiresAtMs ?? graceEndsMs) };
}

export type KeyState = "active" | "expired" | "revoked";

export function keyState(key: ApiKey, nowMs: number): KeyState {
  if (key.revokedAtMs !== undefined) return "revoked";
  return key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs ? "expired" : "active";
}

export function allows(key: ApiKey, scope: string): boolean {
  return key.scopes === "all" || key.scopes.includes(scope);
}
