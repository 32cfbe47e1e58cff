/** A certificate authority that a test's clients trust, as small as X.509 allows (RFC 5280). */

import type { Vault } from "../../src/core/vault.ts";
import { certificateSeal } from "../../src/hosting/domains/domains.ts";
import type { ServedCertificate } from "../../src/hosting/domains/edgeView.ts";
import {
  alternativeNames,
  authorityExtensions,
  certify,
  newKeyPair,
  spkiOf,
} from "../../testkit/certificates.ts";

export interface Authority {
  readonly certificatePem: string;
  issue(host: string, id: string, vault: Vault): ServedCertificate;
}

const dayMs = 86_400_000;

export function createAuthority(): Authority {
  const issuer = { name: "Test authority", ...newKeyPair() };
  let serial = 0;
  const certified = (subject: string, spki: Buffer, extensions: readonly Buffer[]) => {
    serial += 1;
    return certify(issuer, {
      subject,
      spki,
      serial: Buffer.from([0x10 | (serial >> 8), serial & 0xff]),
      notBeforeMs: Date.now() - dayMs,
      notAfterMs: Date.now() + dayMs,
      extensions,
    });
  };
  return {
    certificatePem: certified(issuer.name, spkiOf(issuer.publicKey), authorityExtensions),
    issue(host, id, vault) {
      const { publicKey, privateKey } = newKeyPair();
      const chainPem = certified(host, spkiOf(publicKey), [alternativeNames([host])]);
      const keyPem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      return { id, host, chainPem, sealedKey: vault.seal(keyPem, certificateSeal(host, id)) };
    },
  };
}
