/** Codes that are typed as the second step of signing in: of an authenticator app, and for recovery. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { hashToken } from "../petstore/keys/token.ts";

/** As RFC 4226, section 4, recommends: as long as the output of SHA-1. */
const secretBytes = 20;
/** Authenticator apps support these values alone, or assume them (RFC 6238, section 5.2). */
const stepMs = 30_000;
const codeDigits = 6;
/** Codes of so many steps before and after the current one are accepted, for clocks that differ. */
const driftSteps = 1;

/** In base32 (RFC 4648, section 6), as people type it into an app. */
export function generateTotpSecret(clock: Clock): string {
  return base32(clock.random(secretBytes));
}

/** What a QR code for authenticator apps contains. */
export function totpUrl(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

export const totpStep = (nowMs: number): number => Math.floor(nowMs / stepMs);

/** RFC 6238, with HMAC-SHA-1; the truncation is that of RFC 4226, section 5.3. */
export function totpCode(secret: string, step: number, digits = codeDigits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const truncated = hash.readUInt32BE(offset) & 0x7fff_ffff;
  return String(truncated % 10 ** digits).padStart(digits, "0");
}

const totpForm = /^\d{6}$/;

/** The code without the spaces that apps show in it; undefined for what cannot be one. */
export function readTotpCode(typed: string): string | undefined {
  const code = typed.replace(/\s+/g, "");
  return totpForm.test(code) ? code : undefined;
}

/**
 * The step that a code is of; undefined if it is wrong. A code works once (RFC 6238, section 5.2), so
 * the step must follow `lastStep`, that of the last code accepted. One of the future means that the
 * clock was set back, which must not lock anybody out.
 */
export function matchingStep(
  secret: string,
  code: string,
  nowMs: number,
  lastStep: number,
): number | undefined {
  const current = totpStep(nowMs);
  const used = lastStep > current + driftSteps ? Number.NEGATIVE_INFINITY : lastStep;
  for (let step = current - driftSteps; step <= current + driftSteps; step++) {
    if (step > used && isSame(totpCode(secret, step), code)) return step;
  }
  return undefined;
}

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

export const recoveryCodeCount = 10;
const recoveryBytes = 10;
const recoveryForm = /^[a-z2-7]{16}$/;

/** Each has 80 random bits, so that their hashes need no salt, and guessing needs no limit. */
export function generateRecoveryCodes(clock: Clock): readonly string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    base32(clock.random(recoveryBytes))
      .toLowerCase()
      .replace(/.{4}(?=.)/g, "$&-"),
  );
}

/** Digits that are in no code, and look like a letter. */
const lookAlikes: Readonly<Record<string, string>> = { 0: "o", 1: "l", 8: "b" };

/** What is stored of a code; undefined for what cannot be one, however it is typed. */
export function recoveryCodeHash(typed: string): string | undefined {
  const code = typed
    .slice(0, 100)
    .replace(/[\s-]+/g, "")
    .replace(/[018]/g, (digit) => lookAlikes[digit] ?? "")
    .toLowerCase();
  return recoveryForm.test(code) ? hashToken(code) : undefined;
}

const base32Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Of a whole number of 5 bytes, so that nothing has to be padded. */
function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(/.{5}/g, (five) => base32Alphabet.charAt(Number.parseInt(five, 2)));
}

function fromBase32(text: string): Uint8Array {
  const bits = Array.from(text, (letter) =>
    base32Alphabet.indexOf(letter).toString(2).padStart(5, "0"),
  ).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
