/** Encrypts private keys, so that a copy of the database does not disclose them. */
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { Clock } from "./clock.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
/** The prefix of every sealed text, so that the algorithm can change. */
const mark = "v1.";

/** The key is derived from a secret that is stored outside the database. */
export class Vault {
  readonly #key: Uint8Array;
  readonly #mark: string;
  readonly #clock: Clock;

  constructor(secret: string, clock: Clock) {
    this.#key = new Uint8Array(hkdfSync("sha256", secret, "", "petstore private keys", 32));
    this.#mark = Buffer.from(hkdfSync("sha256", secret, "", "petstore mark", 6)).toString("hex");
    this.#clock = clock;
  }

  /** Identifies the secret without disclosing it. */
  get mark(): string {
    return this.#mark;
  }

  /** Whether it was sealed with this secret and for this purpose. */
  opens(sealed: string, boundTo: string): boolean {
    try {
      this.open(sealed, boundTo);
      return true;
    } catch {
      return false;
    }
  }

  /** `boundTo` is the purpose: what is sealed for one cannot be opened for another. */
  seal(text: string, boundTo: string): string {
    const nonce = this.#clock.random(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce);
    cipher.setAAD(Buffer.from(boundTo));
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return mark + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
  }

  /** Throws if it was sealed with another secret or for another purpose. */
  open(sealed: string, boundTo: string): string {
    if (!sealed.startsWith(mark)) throw new Error("This is not a sealed text.");
    const bytes = Buffer.from(sealed.slice(mark.length), "base64url");
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.from(boundTo));
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    const body = decipher.update(bytes.subarray(nonceBytes + tagBytes));
    return Buffer.concat([body, decipher.final()]).toString("utf8");
  }
}
