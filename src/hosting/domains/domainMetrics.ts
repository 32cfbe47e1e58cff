/** Counts what name servers and certificate authorities answer. */
import type { MetricsRegistry } from "../../core/metrics.ts";
import type { CertificateAuthority, RefusalReason } from "./certificateAuthority.ts";
import type { DnsAnswer, NameServers, Resolver, Unreachable } from "./resolver.ts";

const outcomes: readonly (Unreachable["reason"] | "found" | "nxdomain" | "nodata")[] = [
  ...(["found", "nxdomain", "nodata"] as const),
  ...(["timeout", "servfail", "bogus", "lame", "malformed", "forbidden_address"] as const),
];

export function countedResolver(resolver: Resolver, registry: MetricsRegistry): Resolver {
  const questions = registry.counter(
    "petstore_dns_questions_total",
    "Questions to DNS about custom domains, by outcome.",
  );
  for (const outcome of outcomes) questions.at({ outcome });
  const counted = <T extends DnsAnswer | NameServers>(answer: T): T => {
    questions.at({ outcome: answer.kind === "found" ? "found" : answer.reason }).value++;
    return answer;
  };
  return {
    lookUp: async (name, type) => counted(await resolver.lookUp(name, type)),
    nameServers: async (name) => counted(await resolver.nameServers(name)),
    ask: async (server, name, type) => counted(await resolver.ask(server, name, type)),
  };
}

const reasons: readonly RefusalReason[] = [
  ...(["caa", "rate_limited", "policy", "authorization_failed"] as const),
  ...(["unavailable", "abandoned"] as const),
];

export function countedAuthority(
  authority: CertificateAuthority,
  registry: MetricsRegistry,
): CertificateAuthority {
  const orders = registry
    .counter("petstore_acme_orders_total", "Certificate orders that were placed or resumed.")
    .at();
  const issued = registry
    .counter("petstore_acme_certificates_issued_total", "Orders that ended with a certificate.")
    .at();
  const failures = registry.counter(
    "petstore_acme_order_failures_total",
    "Orders that ended without a certificate, or could not be placed, by reason.",
  );
  for (const reason of reasons) failures.at({ reason });
  return {
    async reach() {
      const reached = await authority.reach();
      const [first] = reached;
      // Without one that can be reached, no order is placed.
      if (first?.refusal !== undefined && reached.every(({ refusal }) => refusal !== undefined)) {
        failures.at({ reason: first.refusal.reason }).value++;
      }
      return reached;
    },
    async order(request, directories) {
      orders.value++;
      const outcome = await authority.order(request, directories);
      if (outcome.kind === "issued") issued.value++;
      else failures.at({ reason: outcome.refusal.reason }).value++;
      return outcome;
    },
    renewalWindow: (name, directory) => authority.renewalWindow(name, directory),
  };
}
