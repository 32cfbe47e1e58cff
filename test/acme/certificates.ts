/** Certificates as an authority would make them, good and bad. */
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import {
  bitString,
  contextTag,
  type DerElement,
  der,
  derElements,
  objectIdentifier,
  tags,
} from "../../src/hosting/acme/certificates.ts";

const issuer = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ecdsaWithSha256 = der(tags.sequence, objectIdentifier("1.2.840.10045.4.3.2"));
const issuerName = name("Test root");

export interface CertificateWish {
  readonly names: readonly string[];
  /** The public key as a DER SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  readonly serial?: Buffer;
  /** Null leaves the extension out. */
  readonly authorityKey?: Buffer | null;
}

/** A certificate by the test root, in PEM. */
export function issue(wish: CertificateWish): string {
  const authorityKey = wish.authorityKey === undefined ? issuerKeyId() : wish.authorityKey;
  const names = wish.names.map((text) => der(contextTag(2, "primitive"), Buffer.from(text)));
  const extensions = [extension("2.5.29.17", der(tags.sequence, ...names))];
  if (authorityKey !== null) {
    const value = der(tags.sequence, der(contextTag(0, "primitive"), authorityKey));
    extensions.push(extension("2.5.29.35", value));
  }
  const body = der(
    tags.sequence,
    der(contextTag(0, "constructed"), der(tags.integer, Buffer.from([2]))),
    der(tags.integer, wish.serial ?? Buffer.from([0x12, 0x34])),
    ecdsaWithSha256,
    issuerName,
    der(tags.sequence, time("260101000000Z"), time("351231235959Z")),
    der(tags.sequence),
    wish.spki,
    der(contextTag(3, "constructed"), der(tags.sequence, ...extensions)),
  );
  const signature = bitString(sign("sha256", body, issuer.privateKey));
  return pem(der(tags.sequence, body, ecdsaWithSha256, signature));
}

/** A public key that nobody ordered a certificate for. */
export function strangeSpki(): Buffer {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return publicKey.export({ type: "spki", format: "der" });
}

export interface CertificateRequestRead {
  readonly names: readonly string[];
  readonly spki: Buffer;
}

/** What a certificate request asks for; throws unless it is signed with its own key. */
export function readCertificateRequest(bytes: Buffer): CertificateRequestRead {
  const [info, , signature] = inside(derElements(bytes)[0]);
  const [, subject, spki, attributes] = inside(info);
  if (info === undefined || spki === undefined || signature === undefined) throw new Error("short");
  if (subject?.content.length !== 0) throw new Error("The subject is not empty.");
  const key = createPublicKey({ key: spki.whole, type: "spki", format: "der" });
  if (!verify("sha256", info.whole, key, signature.content.subarray(1))) {
    throw new Error("The request is not signed with its own key.");
  }
  const [, values] = inside(inside(attributes)[0]);
  const found = inside(inside(values)[0]);
  if (found.length !== 1) throw new Error("Exactly one extension was expected.");
  const [, value] = inside(found[0]);
  const names = inside(inside(value)[0]).map(({ tag, content }) => {
    if (tag !== contextTag(2, "primitive")) throw new Error("A name is no DNS name.");
    return content.toString();
  });
  return { names, spki: spki.whole };
}

function inside(element: DerElement | undefined): DerElement[] {
  if (element === undefined) throw new Error("Something is missing.");
  return derElements(element.content);
}

function extension(id: string, value: Buffer): Buffer {
  return der(tags.sequence, objectIdentifier(id), der(tags.octetString, value));
}

function issuerKeyId(): Buffer {
  const spki = issuer.publicKey.export({ type: "spki", format: "der" });
  return createHash("sha1").update(spki).digest();
}

function name(text: string): Buffer {
  const commonName = der(tags.sequence, objectIdentifier("2.5.4.3"), der(0x0c, Buffer.from(text)));
  return der(tags.sequence, der(tags.set, commonName));
}

function time(text: string): Buffer {
  return der(0x17, Buffer.from(text));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
