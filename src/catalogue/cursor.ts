/**
 * Where a page continues, as an opaque text: the last id seen and a seal over it and the filters.
 * Only this service can make one, and it fits only the question it was given out for.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { Problem } from "../problems.ts";
import type { PetFilter } from "./catalogue.ts";

const idBytes = 8;
const sealBytes = 12;
const form = /^[A-Za-z0-9_-]{27}$/;

export function sealCursor(secret: string, filter: PetFilter, after: bigint): string {
  const bytes = Buffer.alloc(idBytes + sealBytes);
  bytes.writeBigInt64BE(after);
  seal(secret, filter, bytes.subarray(0, idBytes)).copy(bytes, idBytes);
  return bytes.toString("base64url");
}

/** The id to continue after. Throws `cursor_invalid` for a forged, damaged or misplaced cursor. */
export function openCursor(secret: string, filter: PetFilter, cursor: string): bigint {
  const bytes = form.test(cursor) ? Buffer.from(cursor, "base64url") : Buffer.alloc(0);
  // Re-encoding refuses the spellings that differ only in the two bits that base64url leaves over.
  if (bytes.length !== idBytes + sealBytes || bytes.toString("base64url") !== cursor) {
    throw new Problem("cursor_invalid");
  }
  const expected = seal(secret, filter, bytes.subarray(0, idBytes));
  if (!timingSafeEqual(bytes.subarray(idBytes), expected)) throw new Problem("cursor_invalid");
  return bytes.readBigInt64BE();
}

function seal(secret: string, filter: PetFilter, id: Uint8Array): Buffer {
  const ids = filter.ids === undefined ? "*" : normalIds(filter.ids).join(",");
  const hmac = createHmac("sha256", secret);
  hmac.update(`pets cursor 1\n${filter.status ?? "*"}\n${ids}\n`).update(id);
  return hmac.digest().subarray(0, sealBytes);
}

/** The same set of ids, however often and in whatever order they were asked for. */
export function normalIds(ids: readonly bigint[]): bigint[] {
  return [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
}
