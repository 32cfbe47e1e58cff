/** Judges a signed request as RFC 8555, section 6.2, tells an authority to. */
import { createHash, createPublicKey, verify } from "node:crypto";

export interface Jwk {
  readonly crv: string;
  readonly kty: string;
  readonly x: string;
  readonly y: string;
}

export interface SignedRequest {
  readonly nonce: string;
  readonly jwk: Jwk;
  /** Undefined when the key itself came along. */
  readonly kid: string | undefined;
  /** Undefined for a POST-as-GET. */
  readonly payload: Record<string, unknown> | undefined;
}

export interface Expected {
  readonly url: string;
  readonly contentType: string | undefined;
  /** Only where an account is made may the key itself come along, and there it must. */
  readonly by: "jwk" | "kid";
  keyOf(kid: string): Jwk | undefined;
}

/** `unknown account` is the one thing that an honest client may be wrong about. */
export function readSignedRequest(
  text: string,
  expected: Expected,
): SignedRequest | "unknown account" {
  if (expected.contentType !== "application/jose+json") throw new Error("wrong content type");
  const envelope = JSON.parse(text);
  mustBe(Object.keys(envelope).sort().join(), "payload,protected,signature");
  for (const part of Object.values(envelope)) {
    if (!/^[A-Za-z0-9_-]*$/.test(String(part))) throw new Error("not base64url");
  }
  const head = JSON.parse(decode(envelope.protected));
  mustBe(Object.keys(head).sort().join(), `alg,${expected.by},nonce,url`.split(",").sort().join());
  mustBe(head.alg, "ES256");
  mustBe(head.url, expected.url);
  const jwk = expected.by === "jwk" ? head.jwk : expected.keyOf(head.kid);
  if (jwk === undefined) return "unknown account";
  if ("d" in jwk) throw new Error("the private key came along");
  const signed = Buffer.from(`${envelope.protected}.${envelope.payload}`);
  const key = {
    key: createPublicKey({ key: { ...jwk }, format: "jwk" }),
    dsaEncoding: "ieee-p1363",
  } as const;
  if (!verify("sha256", signed, key, Buffer.from(envelope.signature, "base64url"))) {
    throw new Error("wrong signature");
  }
  const payload = envelope.payload === "" ? undefined : JSON.parse(decode(envelope.payload));
  return { nonce: head.nonce, jwk, kid: head.kid, payload };
}

/** RFC 7638. */
export function thumbprint({ crv, kty, x, y }: Jwk): string {
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}

function decode(text: string): string {
  return Buffer.from(text, "base64url").toString();
}

function mustBe(actual: unknown, expected: string): void {
  if (actual !== expected) throw new Error(`${actual} instead of ${expected}`);
}
