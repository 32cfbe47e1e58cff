/** Certificates that say what a certificate says. Nobody checks their signature here. */

const derSequence = 0x30;
const derSet = 0x31;

function der(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(contents);
  const length =
    body.length < 0x80
      ? [body.length]
      : body.length < 0x100
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Uint8Array.from([tag, ...length]), body]);
}

const oid = (...bytes: number[]) => der(0x06, Uint8Array.from(bytes));
const text = (value: string) => Buffer.from(value, "ascii");
const commonName = (value: string) =>
  der(derSequence, der(derSet, der(derSequence, oid(0x55, 4, 3), der(0x0c, text(value)))));
const ecdsaWithSha256 = der(derSequence, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2));

/** As RFC 5280, section 4.1.2.5.1 writes it: YYMMDDHHMMSSZ. */
function utcTime(atMs: number): Uint8Array {
  const digits = new Date(atMs).toISOString().replaceAll(/[-:T]/g, "").slice(2, 14);
  return der(0x17, text(`${digits}Z`));
}

export interface CertificateWords {
  readonly host: string;
  readonly issuer: string;
  readonly serial: number;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** A SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
}

export function certificateText(words: CertificateWords): string {
  const serial = Buffer.alloc(5);
  serial.writeUInt32BE(words.serial, 1);
  serial[0] = 0x4a;
  const altName = der(derSequence, der(0x82, text(words.host)));
  const extension = der(derSequence, oid(0x55, 0x1d, 0x11), der(0x04, altName));
  const body = der(
    derSequence,
    der(0xa0, der(0x02, Uint8Array.from([2]))),
    der(0x02, serial),
    ecdsaWithSha256,
    commonName(words.issuer),
    der(derSequence, utcTime(words.notBeforeMs), utcTime(words.notAfterMs)),
    commonName(words.host.slice(0, 64)),
    words.publicKey,
    der(0xa3, der(derSequence, extension)),
  );
  const signature = der(derSequence, der(0x02, serial), der(0x02, serial));
  const whole = der(derSequence, body, ecdsaWithSha256, der(0x03, Uint8Array.from([0]), signature));
  const lines =
    Buffer.from(whole)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
