/** An authenticator of WebAuthn with ES256, which can also do what an honest one would not. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

export interface Ceremony {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly counter?: number;
}

const flag = { userPresent: 0x01, userVerified: 0x04, attested: 0x40 };
const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest();
const text = (data: Uint8Array) => Buffer.from(data).toString("base64url");

/** The few forms of CBOR that are needed (RFC 8949). */
const cbor = {
  bytes: (data: Uint8Array) => Buffer.concat([header(0x58, 0x59, data.length), data]),
  string: (data: string) => Buffer.concat([Buffer.from([0x60 + data.length]), Buffer.from(data)]),
  integer: (value: number) =>
    value >= 0 ? Buffer.from([value]) : Buffer.from([0x20 + (-1 - value)]),
  map: (...entries: readonly [Buffer, Buffer][]) =>
    Buffer.concat([Buffer.from([0xa0 + entries.length]), ...entries.flat()]),
};

function header(short: number, long: number, length: number): Buffer {
  return length < 256
    ? Buffer.from([short, length])
    : Buffer.from([long, length >> 8, length & 0xff]);
}

export class SoftAuthenticator {
  readonly #key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #credentialId = randomBytes(32);
  readonly id = text(this.#credentialId);
  counter = 0;

  create(ceremony: Ceremony) {
    const { x = "", y = "" } = this.#key.publicKey.export({ format: "jwk" });
    const publicKey = cbor.map(
      [cbor.integer(1), cbor.integer(2)],
      [cbor.integer(3), cbor.integer(-7)],
      [cbor.integer(-1), cbor.integer(1)],
      [cbor.integer(-2), cbor.bytes(Buffer.from(x, "base64url"))],
      [cbor.integer(-3), cbor.bytes(Buffer.from(y, "base64url"))],
    );
    const length = Buffer.from([0, this.#credentialId.length]);
    const attested = [Buffer.alloc(16), length, this.#credentialId, publicKey];
    const authData = Buffer.concat([this.#authData(ceremony, flag.attested), ...attested]);
    const attestationObject = cbor.map(
      [cbor.string("fmt"), cbor.string("none")],
      [cbor.string("attStmt"), cbor.map()],
      [cbor.string("authData"), cbor.bytes(authData)],
    );
    return {
      id: this.id,
      clientDataJSON: text(clientData("webauthn.create", ceremony)),
      attestationObject: text(attestationObject),
      transports: ["internal"],
    };
  }

  get(ceremony: Ceremony) {
    this.counter = ceremony.counter ?? this.counter + 1;
    const authData = this.#authData(ceremony, 0);
    const client = clientData("webauthn.get", ceremony);
    const signed = Buffer.concat([authData, sha256(client)]);
    return {
      id: this.id,
      clientDataJSON: text(client),
      authenticatorData: text(authData),
      signature: text(sign("sha256", signed, this.#key.privateKey)),
    };
  }

  #authData({ rpId, userVerified = true, userPresent = true }: Ceremony, extra: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const flags =
      extra + (userPresent ? flag.userPresent : 0) + (userVerified ? flag.userVerified : 0);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
  }
}

function clientData(type: string, { challenge, origin }: Ceremony): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}
