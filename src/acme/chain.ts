/** Certificates as the authority hands them out (RFC 8555, section 7.4.2). */
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { contextTag, type DerElement, derElements, tags } from "./der.ts";
import { unreadable } from "./json.ts";

const certificatesMax = 10;
const authorityKeyIdentifier = Buffer.from([0x55, 0x1d, 0x23]);

/** The chain, once it is sure that its first certificate is for this host and this key. */
export function checkedChain(text: string, host: string, privateKeyPem: string): string {
  const [leaf, ...others] = certificatesIn(text);
  if (leaf === undefined) throw unreadable("a chain that cannot be read");
  if (leaf.subjectAltName?.toLowerCase() !== `dns:${host}`) {
    throw unreadable("a certificate for other names than the one ordered");
  }
  const ours = createPublicKey(createPrivateKey(privateKeyPem));
  const spki = { type: "spki", format: "der" } as const;
  if (!leaf.publicKey.export(spki).equals(ours.export(spki))) {
    throw unreadable("a certificate for another key than ours");
  }
  // Written anew: between the blocks the authority may put whatever it likes.
  return [leaf, ...others].map(pemOf).join("");
}

/**
 * The name by which an authority knows a certificate when asked about its renewal (RFC 9773,
 * section 4.1). Undefined where the certificate does not say whose key signed it.
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

/** None at all unless every one of them can be read. */
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
