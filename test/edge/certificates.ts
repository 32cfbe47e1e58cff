/** A certificate authority that a test's clients trust, as small as X.509 allows (RFC 5280). */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { certificateSeal } from "../../src/hosting/domains/domains.ts";
import type { ServedCertificate } from "../../src/hosting/domains/edgeView.ts";
import type { Vault } from "../../src/hosting/domains/vault.ts";

export interface Authority {
  readonly certificatePem: string;
  issue(host: string, id: string, vault: Vault): ServedCertificate;
}

const dayMs = 86_400_000;
const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

export function createAuthority(): Authority {
  const keys = newKeys();
  const name = "Test authority";
  const signer = { name, key: keys.privateKey };
  let serial = 1;
  return {
    certificatePem: certify(signer, {
      serial,
      subject: name,
      publicKey: keys.publicKey,
      extension: basicAuthority,
    }),
    issue(host, id, vault) {
      serial += 1;
      const { publicKey, privateKey } = newKeys();
      const extension = alternativeName(host);
      const chainPem = certify(signer, { serial, subject: host, publicKey, extension });
      const keyPem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      return { id, host, chainPem, sealedKey: vault.seal(keyPem, certificateSeal(host, id)) };
    },
  };
}

function certify(
  signer: { readonly name: string; readonly key: KeyObject },
  leaf: { serial: number; subject: string; publicKey: KeyObject; extension: Buffer },
): string {
  const signed = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(
      0x02,
      Buffer.from([leaf.serial >> 8, leaf.serial & 0xff].slice(leaf.serial < 128 ? 1 : 0)),
    ),
    ecdsaWithSha256,
    commonName(signer.name),
    sequence(instant(Date.now() - dayMs), instant(Date.now() + dayMs)),
    commonName(leaf.subject),
    leaf.publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(leaf.extension)),
  );
  const signature = sign("sha256", signed, signer.key);
  const der = sequence(signed, ecdsaWithSha256, tagged(0x03, Buffer.of(0), signature));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  const size = length < 128 ? [length] : long;
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...parts: readonly Buffer[]) => tagged(0x30, ...parts);
const identifier = (hex: string) => tagged(0x06, Buffer.from(hex, "hex"));
const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"));
const commonName = (text: string) =>
  sequence(tagged(0x31, sequence(identifier("550403"), tagged(0x0c, Buffer.from(text)))));

function instant(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+|[-:T]/g, "");
  return tagged(0x17, Buffer.from(digits.slice(2)));
}

const extension = (id: string, ...content: readonly Buffer[]) =>
  sequence(identifier(id), ...content.slice(0, -1), tagged(0x04, content.at(-1) ?? Buffer.of()));
const isTrue = tagged(0x01, Buffer.of(0xff));
const basicAuthority = extension("551d13", isTrue, sequence(isTrue));
const alternativeName = (host: string) =>
  extension("551d11", sequence(tagged(0x82, Buffer.from(host))));
