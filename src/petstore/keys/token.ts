/**
 * The token of an API key: `pet_live_` or `pet_test_`, 32 random characters, and a checksum of 6, so
 * that a typing mistake is detected without a query.
 */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Clock } from "../../core/clock.ts";

export const environments = ["production", "staging"] as const;
export type Environment = (typeof environments)[number];

const prefixes: Readonly<Record<Environment, string>> = {
  production: "pet_live_",
  staging: "pet_test_",
};
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 32;
const checkLength = 6;
const form = /^pet_(?:live|test)_[0-9A-Za-z]{38}$/;

export function mintToken(environment: Environment, clock: Clock): string {
  const body = prefixes[environment] + randomText(randomLength, clock);
  return body + checksum(body);
}

/** The environment that a well-formed token belongs to; undefined for anything else. */
export function tokenEnvironment(token: string): Environment | undefined {
  if (!form.test(token)) return undefined;
  const body = token.slice(0, -checkLength);
  if (checksum(body) !== token.slice(-checkLength)) return undefined;
  return body.startsWith(prefixes.production) ? "production" : "staging";
}

/** Stored instead of the token. A token has 190 random bits, so no salt is needed. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Enough to recognise a key in a list, too little to use it. */
export function tokenHint(token: string): string {
  return `${token.slice(0, 9)}…${token.slice(-4)}`;
}

/** Redacts every token in a text that is shown or logged. */
export function withoutTokens(text: string): string {
  return text.replace(/pet_(live|test|owner|operator)_[0-9A-Za-z]{4,}/g, "pet_$1_…");
}

/** Uniformly distributed: bytes above the last multiple of 62 are discarded. */
export function randomText(length: number, clock: Clock): string {
  let text = "";
  while (text.length < length) {
    for (const byte of clock.random(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

export function checksum(text: string): string {
  let rest = crc32(text);
  let check = "";
  for (let place = 0; place < checkLength; place++) {
    check = alphabet[rest % alphabet.length] + check;
    rest = Math.floor(rest / alphabet.length);
  }
  return check;
}
