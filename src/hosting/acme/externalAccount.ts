/** An account that is made outside ACME, and to which ours is bound (RFC 8555, section 7.3.4). */
import { retryAtMs } from "../../core/retryAfter.ts";
import { AcmeError, isObject, messageOf, parseObject } from "./acmeError.ts";
import type { AcmeClient } from "./client.ts";
import type { AcmeResponse } from "./transport.ts";

export interface ExternalAccount {
  readonly kid: string;
  readonly hmacKey: Uint8Array;
}

/** Where the authority makes one for an e-mail address, without any further step. */
export interface ExternalAccountSource {
  readonly madeAt: string;
  readonly email: string;
}

/**
 * The key id, and the HMAC key in base64. Throws an `AcmeError` with the reason `unavailable` for
 * any failure, so that it is tried again as after an outage. The message does not contain the e-mail
 * address: owners of domains read it.
 */
export async function requestExternalAccount(
  { madeAt, email }: ExternalAccountSource,
  client: AcmeClient,
): Promise<{ readonly kid: string; readonly hmacKey: string }> {
  const failed = (why: string, untilMs?: number) =>
    new AcmeError(
      "unavailable",
      `No account could be obtained from ${new URL(madeAt).host}: ${why}`,
      { retryAtMs: untilMs },
    );
  const response = await client.postForm(madeAt, { email }).catch((cause) => {
    throw failed(messageOf(cause));
  });
  const { success, eab_kid: kid, eab_hmac_key: hmacKey, error } = parseObject(response.body) ?? {};
  if (response.status === 200 && success && isKid(kid) && isHmacKey(hmacKey)) {
    return { kid, hmacKey };
  }
  const untilMs = retryAtMs(response.header("retry-after"), client.clock.now());
  throw failed(wordsFor(error, response), untilMs);
}

/** Such as `{"success":false,"error":{"code":2901,"type":"invalid_email","info":null}}`. */
function wordsFor(error: unknown, { status }: AcmeResponse): string {
  if (!isObject(error) || typeof error["type"] !== "string") return `it answered ${status}.`;
  const { type, code } = error;
  return typeof code === "number" ? `${type} (${code}).` : `${type}.`;
}

const isKid = (text: unknown): text is string =>
  typeof text === "string" && /^[!-~]{1,512}$/.test(text);
const isHmacKey = (text: unknown): text is string =>
  typeof text === "string" && /^[A-Za-z0-9+/_-]{8,1024}={0,2}$/.test(text);
