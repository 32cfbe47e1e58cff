/** The key of our account, and what is signed with it (RFC 8555, section 6.2). */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";

/** A P-256 key in PEM. From the runtime's own generator: no stand-in for chance may make a key. */
export function newPrivateKeyPem(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

export class AccountKey {
  readonly #key: KeyObject;
  readonly #jwk: {
    readonly crv: string;
    readonly kty: string;
    readonly x: string;
    readonly y: string;
  };

  constructor(pem: string) {
    this.#key = createPrivateKey(pem);
    const { x = "", y = "" } = createPublicKey(this.#key).export({ format: "jwk" });
    // In the order of RFC 7638, section 3.2, so that its JSON can be hashed as it is.
    this.#jwk = { crv: "P-256", kty: "EC", x, y };
  }

  keyAuthorization(token: string): string {
    const thumbprint = createHash("sha256").update(JSON.stringify(this.#jwk)).digest("base64url");
    return `${token}.${thumbprint}`;
  }

  /**
   * The payload is undefined for a POST-as-GET. Without an account's address the key itself goes
   * along.
   */
  signed(url: string, nonce: string, account: string | undefined, payload: unknown): string {
    const who = account === undefined ? { jwk: this.#jwk } : { kid: account };
    const head = base64url(JSON.stringify({ alg: "ES256", ...who, nonce, url }));
    const body = payload === undefined ? "" : base64url(JSON.stringify(payload));
    const signature = sign("sha256", Buffer.from(`${head}.${body}`), {
      key: this.#key,
      dsaEncoding: "ieee-p1363",
    });
    return JSON.stringify({
      protected: head,
      payload: body,
      signature: signature.toString("base64url"),
    });
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}
