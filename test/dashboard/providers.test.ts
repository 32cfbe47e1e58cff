import { expect, test } from "bun:test";
import type { DomainDetails } from "../../src/contract/generated/platform.ts";
import {
  hintFor,
  lineFor,
  type ProviderId,
  providerNames,
  providerSeen,
} from "../../src/dashboard/browser/domains/providers.ts";
import { proofFor, recordFor } from "../../src/hosting/domains/finding.ts";

const ids = Object.keys(providerNames) as ProviderId[];
const subdomain = recordFor("docs.acme.com", "sites.example.net");
const apex = recordFor("acme.com", "sites.example.net");

function answeredBy(server: string): DomainDetails {
  const entry = { at: "", event: "dns_checked", message: "", findings: [] };
  const timeline = [{ ...entry, answers: [`docs.acme.com. at ${server} (192.0.2.1): CNAME`] }];
  return { timeline } as unknown as DomainDetails;
}

test("every provider has a hint, for a subdomain and for an apex", () => {
  for (const id of ids) {
    expect(hintFor(id, subdomain)).toMatch(/[.:]$/);
    expect(hintFor(id, apex)).toMatch(/[.:]$/);
  }
});

test("the provider is recognised by the name servers that answered", () => {
  expect(providerSeen(answeredBy("kate.ns.cloudflare.com"))).toBe("cloudflare");
  expect(providerSeen(answeredBy("ns-12.awsdns-03.net"))).toBe("route53");
  expect(providerSeen(answeredBy("ns1.acme.com"))).toBeUndefined();
  expect(providerSeen(undefined)).toBeUndefined();
});

test("a provider without anything for an apex says so instead of asking for an ALIAS", () => {
  expect(hintFor("route53", apex)).toContain("www");
  expect(hintFor("cloudflare", apex)).toContain("flattened");
});

test("the line for a zone is one that a name server can read", () => {
  expect(lineFor("zone", subdomain)).toBe("docs.acme.com. 3600 IN CNAME sites.example.net.");
  expect(lineFor("zone", proofFor("docs.acme.com", "abc"))).toBe(
    '_petstore-proof.docs.acme.com. 3600 IN TXT "petstore-proof=abc"',
  );
});
