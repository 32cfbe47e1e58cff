/**
 * What an owner, or an operator, shows to the dashboard's API: `pet_owner_` or `pet_operator_`, 32
 * random characters, and 6 that check the rest. It opens nothing of the catalogue, as an API key
 * opens nothing here.
 */
import type { Clock } from "../clock.ts";
import { checksum, hashToken, randomText } from "../keys/token.ts";
import type { AccessHolder, AccessToken } from "./access.ts";

const prefixes: Readonly<Record<AccessHolder["kind"], string>> = {
  owner: "pet_owner_",
  operator: "pet_operator_",
};
const randomLength = 32;
const form = /^(pet_(?:owner|operator)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

/** The token is known now and never again. */
export interface MintedAccess {
  readonly access: AccessToken;
  readonly token: string;
}

export function mintAccess(holder: AccessHolder, name: string, clock: Clock): MintedAccess {
  const body = prefixes[holder.kind] + randomText(randomLength, clock);
  const token = body + checksum(body);
  const access: AccessToken = {
    id: `acc_${randomText(12, clock)}`,
    name,
    holder,
    hash: hashToken(token),
    hint: `${prefixes[holder.kind]}…${token.slice(-4)}`,
    createdAtMs: clock.now(),
    revokedAtMs: undefined,
  };
  return { access, token };
}

/** Tells a typing mistake, or an API key, without asking the store. */
export function isAccessToken(token: string): boolean {
  const [, body = "", check] = form.exec(token) ?? [];
  return check !== undefined && checksum(body) === check;
}
