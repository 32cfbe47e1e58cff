/** Signatures of Standard Webhooks 1.0 (https://www.standardwebhooks.com), symmetric. */
import { createHmac } from "node:crypto";
import type { Clock } from "../../core/clock.ts";

const prefix = "whsec_";
/** The specification asks for 24 to 64. */
const secretBytes = 32;

export function newSecret(clock: Clock): string {
  return prefix + Buffer.from(clock.random(secretBytes)).toString("base64");
}

export interface Message {
  readonly id: string;
  readonly body: string;
}

/** Each secret signs, so that a receiver that has either of two accepts the message. */
export function signedHeaders(
  { id, body }: Message,
  secrets: readonly string[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
