/** X.509 certificates (RFC 5280), and what a certificate request asks for (RFC 2986). */
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { isIP } from "node:net";
import {
  bitString,
  contextTag,
  type DerElement,
  der,
  derElements,
  objectIdentifier,
  tags,
} from "../src/hosting/acme/certificates.ts";

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Who signs a certificate. */
export interface Issuer extends KeyPair {
  readonly name: string;
}

export interface CertificateContents {
  /** The common name; none where it is empty. */
  readonly subject: string;
  /** The public key as a DER SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  /** Positive: its first bit is not set. */
  readonly serial: Uint8Array;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly extensions: readonly Buffer[];
}

export const newKeyPair = (): KeyPair => generateKeyPairSync("ec", { namedCurve: "P-256" });
export const spkiOf = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });

const ecdsaWithSha256 = der(tags.sequence, objectIdentifier("1.2.840.10045.4.3.2"));
const [booleanTag, utf8Tag, utcTimeTag] = [0x01, 0x0c, 0x17];

/** In PEM. */
export function certify(issuer: Issuer, contents: CertificateContents): string {
  const body = der(
    tags.sequence,
    der(contextTag(0, "constructed"), der(tags.integer, Buffer.from([2]))),
    der(tags.integer, contents.serial),
    ecdsaWithSha256,
    distinguishedName(issuer.name),
    der(tags.sequence, utcTime(contents.notBeforeMs), utcTime(contents.notAfterMs)),
    distinguishedName(contents.subject),
    contents.spki,
    der(contextTag(3, "constructed"), der(tags.sequence, ...contents.extensions)),
  );
  const signature = bitString(sign("sha256", body, issuer.privateKey));
  const bytes = der(tags.sequence, body, ecdsaWithSha256, signature);
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName(commonName: string): Buffer {
  if (commonName === "") return der(tags.sequence);
  const attribute = [objectIdentifier("2.5.4.3"), der(utf8Tag, Buffer.from(commonName))];
  return der(tags.sequence, der(tags.set, der(tags.sequence, ...attribute)));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+|[-:T]/g, "");
  return der(utcTimeTag, Buffer.from(digits.slice(2)));
}

const isTrue = der(booleanTag, Buffer.from([0xff]));

function extension(id: string, value: Buffer, critical = false): Buffer {
  const content = der(tags.octetString, value);
  return der(tags.sequence, objectIdentifier(id), ...(critical ? [isTrue] : []), content);
}

/** Host names and addresses. Critical where there is no subject (RFC 5280, section 4.2.1.6). */
export function alternativeNames(names: readonly string[], critical = false): Buffer {
  const general = names.map((name) =>
    isIP(name) === 4
      ? der(contextTag(7, "primitive"), Buffer.from(name.split(".").map(Number)))
      : der(contextTag(2, "primitive"), Buffer.from(name)),
  );
  return extension("2.5.29.17", der(tags.sequence, ...general), critical);
}

/** May sign certificates, and nothing else. */
export const authorityExtensions = [
  extension("2.5.29.19", der(tags.sequence, isTrue), true),
  extension("2.5.29.15", der(tags.bitString, Buffer.from([1, 0b0000_0110])), true),
];

/** May serve TLS, and sign nothing. */
export const serverExtensions = [
  extension("2.5.29.19", der(tags.sequence), true),
  extension("2.5.29.15", der(tags.bitString, Buffer.from([7, 0b1000_0000])), true),
  extension("2.5.29.37", der(tags.sequence, objectIdentifier("1.3.6.1.5.5.7.3.1"))),
];

/** Of the key in a SubjectPublicKeyInfo; not the usual hash, but any will do (section 4.2.1.2). */
export const keyIdOf = (spki: Buffer): Buffer => createHash("sha1").update(spki).digest();
export const subjectKeyId = (id: Buffer): Buffer =>
  extension("2.5.29.14", der(tags.octetString, id));
export const authorityKeyId = (id: Buffer): Buffer =>
  extension("2.5.29.35", der(tags.sequence, der(contextTag(0, "primitive"), id)));

export interface CertificateRequestRead {
  /** The DER of its names; empty where there is none. */
  readonly subject: Buffer;
  readonly names: readonly string[];
  readonly spki: Buffer;
}

const extensionRequest = objectIdentifier("1.2.840.113549.1.9.14");
const alternativeNameId = objectIdentifier("2.5.29.17");

/** What a certificate request asks for; throws unless it is signed with its own key. */
export function readCertificateRequest(bytes: Buffer): CertificateRequestRead {
  const [info, , signature] = inside(derElements(bytes)[0]);
  const [, subject, spki, attributes] = inside(info);
  if (!info || !subject || !spki || !signature) throw new Error("Something is missing.");
  const key = createPublicKey({ key: spki.whole, type: "spki", format: "der" });
  if (!verify("sha256", info.whole, key, signature.content.subarray(1))) {
    throw new Error("The request is not signed with its own key.");
  }
  const [, values] = memberWith(extensionRequest, inside(attributes));
  const value = memberWith(alternativeNameId, inside(inside(values)[0])).at(-1);
  const names = inside(inside(value)[0]).map(({ tag, content }) => {
    if (tag !== contextTag(2, "primitive")) throw new Error("A name is no DNS name.");
    return content.toString();
  });
  return { subject: subject.content, names, spki: spki.whole };
}

/** The parts of the sequence that begins with this object identifier. */
function memberWith(id: Buffer, elements: readonly DerElement[]): DerElement[] {
  const found = elements.map(inside).filter(([first]) => first?.whole.equals(id));
  if (found.length !== 1) throw new Error("Something is missing, or there twice.");
  return found[0] ?? [];
}

function inside(element: DerElement | undefined): DerElement[] {
  if (element === undefined) throw new Error("Something is missing.");
  return derElements(element.content);
}
