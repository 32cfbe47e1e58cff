/** A certificate that the operator keeps in two files, read again when they change. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Clock } from "../../core/clock.ts";
import type { ThrottledLog } from "./edge.ts";
import { covers, tlsSettings } from "./tlsServer.ts";

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
  /** The names below this one have it. */
  readonly below: string;
}

/** Files change when a certificate is renewed, which is rare. */
const lookEveryMs = 10_000;

export class FileCertificate {
  readonly #files: CertificateFiles;
  readonly #clock: Clock;
  readonly #log: ThrottledLog;
  #read: { readonly version: string; readonly context: SecureContext } | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(files: CertificateFiles, clock: Clock, log: ThrottledLog) {
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
    this.#look();
  }

  /** Undefined for other names, and where there is none. One that cannot be read leaves the last. */
  for(host: string): SecureContext | undefined {
    if (!covers(`*.${this.#files.below}`, host)) return undefined;
    if (Math.abs(this.#clock.now() - this.#lookedAtMs) >= lookEveryMs) this.#look();
    return this.#read?.context;
  }

  #look(): void {
    this.#lookedAtMs = this.#clock.now();
    const { certificate, key } = this.#files;
    try {
      const version = [certificate, key].map((file) => statSync(file).mtimeMs).join(" ");
      if (version === this.#read?.version) return;
      const [cert, privateKey] = [readFileSync(certificate), readFileSync(key)];
      const parsed = new X509Certificate(cert);
      if (!parsed.checkPrivateKey(createPrivateKey(privateKey))) {
        throw new Error(`${key} is not the key of ${certificate}.`);
      }
      if (parsed.checkHost(`site.${this.#files.below}`) === undefined) {
        throw new Error(`${certificate} is not for *.${this.#files.below}.`);
      }
      const context = createSecureContext({ cert, key: privateKey, ...tlsSettings });
      this.#read = { version, context };
    } catch (cause) {
      this.#log.error("edge.certificate_failed", { host: this.#files.below, cause });
    }
  }
}
