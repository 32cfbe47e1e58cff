/** How keys are created, rotated and expire: pure rules. */
import { toJson } from "../../contract/json.ts";
import type { Clock } from "../../core/clock.ts";
import type { NewEvent } from "../events/events.ts";
import type { ApiKey } from "./keys.ts";
import { type Environment, hashToken, mintToken, randomText, tokenHint } from "./token.ts";

export interface NewKey {
  readonly name: string;
  readonly environment: Environment;
  readonly scopes: ApiKey["scopes"];
  readonly expiresAtMs: number | undefined;
}

/** A key and its token, which is shown only once. */
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

/** The name of the keys that the dashboard's catalogue page creates for itself. */
export const catalogueKeyName = "dashboard session";
export const catalogueKeySeconds = 3_600;

export const keyNameLengthMax = 100;

/** What is wrong with the name of a key, in words that follow `name` in a sentence. */
export function nameError(name: string, lengthMax: number): string | undefined {
  if ([...name].length > lengthMax || name.trim() === "" || !name.isWellFormed()) {
    return `must have 1 to ${lengthMax} characters, not only white space`;
  }
  // A line break or an escape sequence in a name would garble every list that shows it.
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) ? "must not have control characters" : undefined;
}

export function keyNameError(name: string): string | undefined {
  // Reserved, because expired keys of this name are deleted.
  return name === catalogueKeyName
    ? `must not be "${name}", which is reserved for the dashboard`
    : nameError(name, keyNameLengthMax);
}

const dayMs = 24 * 3_600_000;
/** More than a year, so that yearly uses are visible before they are removed. */
const usesKeptDays = 400;
/** Until then the key is rejected as expired, afterwards as unknown. */
const catalogueKeyKeptMs = dayMs;

/** What is removed. Other expired keys are retained: they show who had access. */
export interface KeyRetention {
  /** Keys of the catalogue page that expired at this instant or before. */
  readonly catalogueKeysExpiredAtMs: number;
  /** Uses on the days before this one. */
  readonly usesBeforeDay: string;
}

export function keyRetention(nowMs: number): KeyRetention {
  return {
    catalogueKeysExpiredAtMs: nowMs - catalogueKeyKeptMs,
    usesBeforeDay: dayOf(nowMs - usesKeptDays * dayMs),
  };
}

/** In UTC: `2026-11-15`. */
export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

type KeyState = "active" | "expired" | "revoked";

export function keyState(key: ApiKey, nowMs: number): KeyState {
  if (key.revokedAtMs !== undefined) return "revoked";
  return key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs ? "expired" : "active";
}

type KeyEventType = "key.created" | "key.rotated" | "key.revoked" | "key.expired";

/** Neither the token nor its hash is in any event. */
export function keyEvent(type: KeyEventType, key: ApiKey, nowMs: number): NewEvent {
  const { hash: _, lastUsedAtMs: __, ...shown } = key;
  const data = JSON.stringify({ ...toJson(shown), state: keyState(key, nowMs) });
  return { type, resource: `keys/${key.id}`, data };
}

/** What a change of a key is to those who follow events. It expires without a change. */
export function keyEventsOf(before: ApiKey | undefined, after: ApiKey, nowMs: number): NewEvent[] {
  const became = (member: "replacedBy" | "revokedAtMs") =>
    before !== undefined && before[member] === undefined && after[member] !== undefined;
  return [
    ...(before === undefined ? [keyEvent("key.created", after, nowMs)] : []),
    ...(became("replacedBy") ? [keyEvent("key.rotated", after, nowMs)] : []),
    ...(became("revokedAtMs") ? [keyEvent("key.revoked", after, nowMs)] : []),
  ];
}

/**
 * Shows what belongs to others: keys, sites and domains. Keys of all scopes are handed out to
 * third parties, so it must be named.
 */
export const platformScope = "platform:read";

export function allows(key: ApiKey, scope: string): boolean {
  return key.scopes === "all" ? scope !== platformScope : key.scopes.includes(scope);
}
