import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { bitString, contextTag, der, objectIdentifier, tags } from "./der.ts";

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
