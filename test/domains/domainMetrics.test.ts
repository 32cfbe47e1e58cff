import { expect, test } from "bun:test";
import { MetricsRegistry, metricsText } from "../../src/core/metrics.ts";
import type {
  OrderOutcome,
  RefusalReason,
} from "../../src/hosting/domains/certificateAuthority.ts";
import { countedAuthority, countedResolver } from "../../src/hosting/domains/domainMetrics.ts";
import { unreachable } from "../../src/hosting/domains/resolver.ts";
import { sampleOf } from "../monitoring/scraped.ts";
import { found, ns1, nxdomain, record, zoneOf } from "./answers.ts";

test("questions to DNS are counted by their outcome, and their answers are passed on", async () => {
  const registry = new MetricsRegistry();
  const answer = found(record("a.example", "A", "192.0.2.1", 60));
  const resolver = countedResolver(
    {
      lookUp: async () => answer,
      nameServers: async (name) => zoneOf(name, [ns1]),
      ask: async (_, name) =>
        name === "a.example" ? nxdomain(60) : unreachable("timeout", "It did not answer."),
    },
    registry,
  );
  expect(await resolver.lookUp("a.example", "A")).toBe(answer);
  await resolver.nameServers("example");
  await resolver.ask(ns1, "a.example", "A");
  await resolver.ask(ns1, "b.example", "A");
  const text = metricsText(registry.families());
  const questions = (outcome: string) =>
    sampleOf(text, `petstore_dns_questions_total{outcome="${outcome}"}`);
  expect(["found", "nxdomain", "timeout", "bogus"].map(questions)).toEqual([2, 1, 1, 0]);
});

test("orders are counted, with what became of them, and an authority that cannot be reached", async () => {
  const registry = new MetricsRegistry();
  const refused = (reason: RefusalReason): OrderOutcome => ({
    kind: "refused",
    refusal: { reason, detail: "", retryAtMs: undefined },
  });
  const issued = { kind: "issued", chainPem: "", privateKeyPem: "", directory: "" } as const;
  const outcomes = [issued, refused("caa"), refused("unavailable")];
  const reach = (reason?: RefusalReason) => ({
    directory: "",
    caaIdentities: [],
    refusal: reason && { reason, detail: "", retryAtMs: undefined },
  });
  const reached = [
    [reach("unavailable"), reach()],
    [reach("unavailable"), reach("unavailable")],
  ];
  const authority = countedAuthority(
    {
      reach: async () => reached.shift() ?? [],
      order: async () => outcomes.shift() ?? issued,
      renewalWindow: async () => ({ kind: "not_offered" }),
    },
    registry,
  );
  for (let times = 0; times < 3; times++) await authority.order({} as never, []);
  for (let times = 0; times < 3; times++) await authority.reach();
  const text = metricsText(registry.families());
  const failures = (reason: string) =>
    sampleOf(text, `petstore_acme_order_failures_total{reason="${reason}"}`);
  expect(["caa", "unavailable", "policy"].map(failures)).toEqual([1, 2, 0]);
  expect(sampleOf(text, "petstore_acme_orders_total")).toBe(3);
  expect(sampleOf(text, "petstore_acme_certificates_issued_total")).toBe(1);
});
