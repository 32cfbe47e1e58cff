/**
 * A cursor: an opaque text with the last id of a page and a signature over it and the query. It
 * cannot be forged, and is valid only for the query it was issued for.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { Problem } from "../../core/problems.ts";
import type { PetFilter } from "./catalogue.ts";

const idBytes = 8;
const sealBytes = 12;

export function sealCursor(secret: string, question: string, after: bigint): string {
  const bytes = Buffer.alloc(idBytes + sealBytes);
  bytes.writeBigInt64BE(after);
  seal(secret, question, bytes.subarray(0, idBytes)).copy(bytes, idBytes);
  return bytes.toString("base64url");
}

/** The id to continue after. Throws `cursor_invalid` for a forged cursor or another query's. */
export function openCursor(secret: string, question: string, cursor: string): bigint {
  const bytes = Buffer.from(cursor, "base64url");
  // Decoding passes over what is not base64url, and over the two bits that are not used.
  if (bytes.length !== idBytes + sealBytes || bytes.toString("base64url") !== cursor) {
    throw new Problem("cursor_invalid");
  }
  const expected = seal(secret, question, bytes.subarray(0, idBytes));
  if (!timingSafeEqual(bytes.subarray(idBytes), expected)) throw new Problem("cursor_invalid");
  return bytes.readBigInt64BE();
}

function seal(secret: string, question: string, id: Uint8Array): Buffer {
  const hmac = createHmac("sha256", secret);
  hmac.update(`cursor 1\n${question}\n`).update(id);
  return hmac.digest().subarray(0, sealBytes);
}

/** The query of a list of pets, in canonical form. */
export function petQuestion({ status, ids, categoryIds, words }: PetFilter): string {
  return [
    `pets ${status ?? "*"} ${ids === undefined ? "*" : normalIds(ids).join(",")}`,
    ...(categoryIds === undefined ? [] : [`categories ${normalIds(categoryIds).join(",")}`]),
    ...(words === undefined ? [] : [`words ${words.toSorted().join(",")}`]),
  ].join(" ");
}

/** Sorted, without duplicates. */
export function normalIds(ids: readonly bigint[]): bigint[] {
  return [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
}
