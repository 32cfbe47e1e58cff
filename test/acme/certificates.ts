/** Certificates as an authority would make them, good and bad. */
import {
  alternativeNames,
  authorityKeyId,
  certify,
  keyIdOf,
  newKeyPair,
  spkiOf,
} from "../../testkit/certificates.ts";

const issuer = { name: "Test root", ...newKeyPair() };

export interface CertificateWish {
  readonly names: readonly string[];
  /** The public key as a DER SubjectPublicKeyInfo. */
  readonly spki: Buffer;
  readonly serial?: Buffer;
  /** Null leaves the extension out. */
  readonly authorityKey?: Buffer | null;
}

/** A certificate by the test root, in PEM. */
export function issue({ names, spki, serial, authorityKey }: CertificateWish): string {
  const keyId = authorityKey === undefined ? keyIdOf(spkiOf(issuer.publicKey)) : authorityKey;
  return certify(issuer, {
    subject: "",
    spki,
    serial: serial ?? Buffer.from([0x12, 0x34]),
    notBeforeMs: Date.UTC(2026, 0, 1),
    notAfterMs: Date.UTC(2035, 11, 31, 23, 59, 59),
    extensions: [alternativeNames(names), ...(keyId === null ? [] : [authorityKeyId(keyId)])],
  });
}

/** A public key that nobody ordered a certificate for. */
export const strangeSpki = (): Buffer => spkiOf(newKeyPair().publicKey);
