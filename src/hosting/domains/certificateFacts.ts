/** What a certificate says of itself. */
import { X509Certificate } from "node:crypto";

export interface CertificateFacts {
  readonly issuer: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** Of the first certificate of a chain. */
export function certificateFacts(chainPem: string): CertificateFacts {
  const leaf = new X509Certificate(chainPem);
  return {
    issuer: commonName(leaf.issuer),
    notBeforeMs: Date.parse(leaf.validFrom),
    notAfterMs: Date.parse(leaf.validTo),
  };
}

function commonName(name: string): string {
  return /(?:^|\n)(?:CN|O)=([^\n]+)/.exec(name)?.[1] ?? name;
}
