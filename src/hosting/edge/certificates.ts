/** The certificate for each handshake, as it is now. */
import { constants } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { certificateSeal } from "../domains/domains.ts";
import type { EdgeView, ServedCertificate } from "../domains/edgeView.ts";
import type { Vault } from "../domains/vault.ts";

/** Without tickets no session is resumed, so whoever comes back is judged anew. */
export const tlsSettings = {
  minVersion: "TLSv1.2",
  secureOptions: constants.SSL_OP_NO_TICKET,
} as const;

export class CertificateContexts {
  readonly #view: EdgeView;
  readonly #vault: Vault;
  readonly #max: number;
  /** By certificate, the least recently used first. */
  readonly #made = new Map<string, SecureContext>();

  constructor(view: EdgeView, vault: Vault, max: number) {
    this.#view = view;
    this.#vault = vault;
    this.#max = max;
  }

  /** Undefined where the host has none. Which certificate it is, is asked every time. */
  async of(host: string): Promise<SecureContext | undefined> {
    const certificate = await this.#view.certificate(host);
    if (certificate === undefined) return undefined;
    const context = this.#made.get(certificate.id) ?? this.#make(host, certificate);
    this.#made.delete(certificate.id);
    this.#made.set(certificate.id, context);
    const [oldest] = this.#made.keys();
    if (this.#made.size > this.#max && oldest !== undefined) this.#made.delete(oldest);
    return context;
  }

  #make(host: string, { id, chainPem, sealedKey }: ServedCertificate): SecureContext {
    const key = this.#vault.open(sealedKey, certificateSeal(host, id));
    return createSecureContext({ cert: chainPem, key, ...tlsSettings });
  }
}
