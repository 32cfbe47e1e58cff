import type { StoredCertificate } from "../src/hosting/domains/domains.ts";

/** Certificates, in memory. */
export class MemoryCertificates {
  readonly #byId = new Map<string, StoredCertificate>();
  readonly #byHost = new Map<string, StoredCertificate[]>();

  keep(certificate: StoredCertificate): void {
    const { id, host } = certificate;
    this.#byId.set(id, certificate);
    this.#byHost.set(host, [...(this.#byHost.get(host) ?? []), certificate]);
  }

  get(id: string | undefined): StoredCertificate | undefined {
    return this.#byId.get(id ?? "");
  }

  /** The newest one that is valid until after an instant. */
  newest(host: string, validAfterMs: number): StoredCertificate | undefined {
    return (this.#byHost.get(host) ?? [])
      .filter((each) => each.notAfterMs > validAfterMs)
      .toSorted((one, other) => other.notBeforeMs - one.notBeforeMs)[0];
  }

  removeExpired(beforeMs: number, heldIds: ReadonlySet<string | undefined>): void {
    for (const [id, { host, notAfterMs }] of this.#byId) {
      if (heldIds.has(id) || notAfterMs >= beforeMs) continue;
      this.#byId.delete(id);
      const others = this.#byHost.get(host)?.filter((each) => each.id !== id) ?? [];
      this.#byHost.set(host, others);
    }
  }
}
