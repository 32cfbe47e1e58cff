/** How a service uses a test bed. */
import type { TestBed } from "./testBed.ts";

/** The name by which CAA records permit the authority of the tests. */
export const caIdentity = "ca.platform.test";

export function settingsFor(testBed: TestBed): Record<string, string> {
  return {
    PETSTORE_SITES_HOST: testBed.target,
    PETSTORE_EDGE_HTTP_PORT: String(testBed.httpPort),
    PETSTORE_EDGE_HTTPS_PORT: String(testBed.httpsPort),
    PETSTORE_DNS_RECURSORS: testBed.recursor,
    PETSTORE_DNS_PORT: String(testBed.dnsPort),
    PETSTORE_DNS_PRIVATE: "on",
    PETSTORE_ACME_DIRECTORY: testBed.acmeDirectory,
    PETSTORE_ACME_TRUST: testBed.acmeTrustFile,
    PETSTORE_ACME_TERMS: "agreed",
    // Pebble does not say by which name it wants to be permitted.
    PETSTORE_ACME_CAA: caIdentity,
  };
}
