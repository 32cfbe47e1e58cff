/** Certificate signing requests, the chains that the authority returns, and when to renew. */
import { createPrivateKey, createPublicKey, sign, X509Certificate } from "node:crypto";
import { retryAtMs } from "../../core/retryAfter.ts";
import type { RenewalWindow } from "../domains/certificateAuthority.ts";
import type { TimeWindow } from "../domains/domain.ts";
import { AcmeError, isObject, malformed, parseBody } from "./acmeError.ts";
import type { AcmeClient } from "./client.ts";
import type { AcmeResponse } from "./transport.ts";

const certificatesMax = 10;
const authorityKeyIdentifier = Buffer.from([0x55, 0x1d, 0x23]);

/** The chain (RFC 8555, section 7.4.2), after checking that it is for this host and this key. */
export function checkedChain(text: string, host: string, privateKeyPem: string): string {
  const [leaf, ...others] = certificatesIn(text);
  if (leaf === undefined) throw malformed("a chain that cannot be read");
  if (leaf.subjectAltName?.toLowerCase() !== `dns:${host}`) {
    throw malformed("a certificate for other names than the one ordered");
  }
  const ours = createPublicKey(createPrivateKey(privateKeyPem));
  const spki = { type: "spki", format: "der" } as const;
  if (!leaf.publicKey.export(spki).equals(ours.export(spki))) {
    throw malformed("a certificate for another key than ours");
  }
  // Encoded again, since the authority may put any text between the blocks.
  return [leaf, ...others].map(pemOf).join("");
}

/**
 * The identifier of a certificate in requests for renewal information (RFC 9773, section 4.1).
 * Undefined if the certificate has no authority key identifier.
 */
export function renewalNameOf(chainPem: string): string | undefined {
  const [leaf] = certificatesIn(chainPem);
  if (leaf === undefined) return undefined;
  try {
    return nameOf(leaf.raw);
  } catch {
    return undefined;
  }
}

function nameOf(certificate: Buffer): string | undefined {
  const fields = inside(inside(derElements(certificate)[0])[0]);
  const serial = fields.find(({ tag }) => tag === tags.integer);
  const extensions = inside(fields.find(({ tag }) => tag === contextTag(3, "constructed")))[0];
  const found = inside(extensions)
    .map(inside)
    .find(([id]) => id?.content.equals(authorityKeyIdentifier));
  const identifier = inside(inside(found?.at(-1))[0]).find(
    ({ tag }) => tag === contextTag(0, "primitive"),
  );
  if (serial === undefined || identifier === undefined) return undefined;
  return `${identifier.content.toString("base64url")}.${serial.content.toString("base64url")}`;
}

function inside(element: DerElement | undefined): DerElement[] {
  return element === undefined ? [] : derElements(element.content);
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The limits of RFC 9773, section 4.3.2: shorter or longer intervals are clamped to them. */
const askAgainMs = { least: minuteMs, usual: 6 * hourMs, most: 24 * hourMs };
const renewalNameLengthMax = 256;

export function isRenewalName(text: string): boolean {
  return text.length <= renewalNameLengthMax && /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(text);
}

/**
 * When the authority wants a certificate replaced (RFC 9773, section 4). Throws an `AcmeError` when
 * the authority fails or sends something malformed.
 */
export async function fetchRenewalWindow(
  renewalName: string,
  client: AcmeClient,
): Promise<RenewalWindow> {
  const { renewalInfo } = await client.directory();
  if (renewalInfo === undefined) return { kind: "not_offered" };
  if (!isRenewalName(renewalName))
    throw new AcmeError("policy", "This is no name of a certificate.");
  const response = await client.get(`${renewalInfo.replace(/\/$/, "")}/${renewalName}`);
  const askAgain = askAgainAtMs(response, client.clock.now());
  return { kind: "window", ...readWindow(response), askAgainAtMs: askAgain };
}

function readWindow(response: AcmeResponse): TimeWindow {
  const { suggestedWindow } = parseBody(response);
  const { start, end } = isObject(suggestedWindow) ? suggestedWindow : {};
  const startMs = readTimestamp(start);
  const endMs = readTimestamp(end);
  if (startMs === undefined || endMs === undefined || endMs <= startMs) {
    throw malformed("a renewal window that is none");
  }
  return { startMs, endMs };
}

/** RFC 3339. Date.parse alone accepts many other formats. */
function readTimestamp(value: unknown): number | undefined {
  const form = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;
  if (typeof value !== "string" || !form.test(value)) return undefined;
  const ms = Date.parse(value.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}

function askAgainAtMs(response: AcmeResponse, nowMs: number): number {
  const wanted = retryAtMs(response.header("retry-after"), nowMs) ?? nowMs + askAgainMs.usual;
  return Math.min(Math.max(wanted, nowMs + askAgainMs.least), nowMs + askAgainMs.most);
}

/** Empty unless all of them can be parsed. */
function certificatesIn(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length > certificatesMax) return [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

function pemOf(certificate: X509Certificate): string {
  const lines = certificate.raw.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

const ecdsaWithSha256 = "1.2.840.10045.4.3.2";
const extensionRequest = "1.2.840.113549.1.9.14";
const subjectAltName = "2.5.29.17";

/** A certificate request (RFC 2986) for exactly this host, in DER. The subject is left empty. */
export function certificateRequest(host: string, privateKeyPem: string): Buffer {
  const key = createPrivateKey(privateKeyPem);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const names = der(tags.sequence, der(contextTag(2, "primitive"), Buffer.from(host, "ascii")));
  const extension = der(
    tags.sequence,
    objectIdentifier(subjectAltName),
    der(tags.octetString, names),
  );
  const attribute = der(
    tags.sequence,
    objectIdentifier(extensionRequest),
    der(tags.set, der(tags.sequence, extension)),
  );
  const version = der(tags.integer, Buffer.from([0]));
  const subject = der(tags.sequence);
  const info = der(
    tags.sequence,
    version,
    subject,
    publicKey,
    der(contextTag(0, "constructed"), attribute),
  );
  const algorithm = der(tags.sequence, objectIdentifier(ecdsaWithSha256));
  return der(tags.sequence, info, algorithm, bitString(sign("sha256", info, key)));
}

/** The part of DER (X.690) that a certificate request and a renewal name need. */
export const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A context-specific tag, such as `[0]`. */
export function contextTag(number: number, kind: "primitive" | "constructed"): number {
  return (kind === "constructed" ? 0xa0 : 0x80) | number;
}

export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(tags.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function bitString(bytes: Uint8Array): Buffer {
  return der(tags.bitString, Buffer.from([0]), bytes);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly whole: Buffer;
}

/** A sequence of elements. Throws if they do not fill the bytes exactly. */
export function derElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const element = firstElement(rest);
    elements.push(element);
    rest = rest.subarray(element.whole.length);
  }
  return elements;
}

function firstElement(bytes: Buffer): DerElement {
  const [tag = 0, short = 0] = bytes;
  const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
  // No certificate has tags above 30 or lengths of more than 4 bytes; 0x80 alone is not DER.
  if (
    bytes.length < 2 + lengthBytes ||
    (tag & 0x1f) === 0x1f ||
    short === 0x80 ||
    lengthBytes > 4
  ) {
    throw new Error("This is not DER.");
  }
  const start = 2 + lengthBytes;
  const length = lengthBytes === 0 ? short : bytes.readUIntBE(2, lengthBytes);
  if (bytes.length < start + length) throw new Error("This DER breaks off.");
  return {
    tag,
    content: bytes.subarray(start, start + length),
    whole: bytes.subarray(0, start + length),
  };
}
