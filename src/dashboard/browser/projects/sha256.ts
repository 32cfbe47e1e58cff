import { sha256 as digestOf } from "@noble/hashes/sha2";
import { bytesToHex } from "@noble/hashes/utils";

/**
 * SHA-256 in hex. Browsers keep their own from pages that came over plain HTTP, as a dashboard in a
 * private network may.
 */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = crypto.subtle
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
    : digestOf(bytes);
  return bytesToHex(digest);
}
