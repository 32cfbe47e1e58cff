/** What the edge counts: requests, TLS handshakes. In plain numbers, since it is done for each. */
import type { Count, MetricsRegistry } from "../../core/metrics.ts";

export type Protocol = "http/1.1" | "h2";
type Scheme = "http" | "https";

const handshakeFailures = [
  /** The host is not served here, or its certificate could not be loaded. */
  "no_certificate",
  /** What was sent is not TLS, or no version or cipher that is allowed. */
  "protocol",
  "disconnected",
  "timeout",
  /** There was no room for one more connection. */
  "overloaded",
] as const;
export type HandshakeFailure = (typeof handshakeFailures)[number];

const statusClasses = [1, 2, 3, 4, 5];

export class EdgeMetrics {
  readonly #requests: (scheme: Scheme, protocol: Protocol) => readonly Count[];
  readonly handshakes: Count;
  readonly #failures: Readonly<Record<HandshakeFailure, Count>>;

  constructor(registry: MetricsRegistry) {
    const requests = registry.counter(
      "petstore_edge_requests_total",
      "Requests of visitors that were answered, by scheme, protocol and class of the status.",
    );
    this.#requests = (scheme, protocol) =>
      statusClasses.map((first) => requests.at({ scheme, protocol, code: `${first}xx` }));
    this.handshakes = registry
      .counter("petstore_edge_tls_handshakes_total", "TLS handshakes that succeeded.")
      .at();
    const failures = registry.counter(
      "petstore_edge_tls_handshake_failures_total",
      "TLS handshakes that failed, by reason.",
    );
    this.#failures = Object.fromEntries(
      handshakeFailures.map((reason) => [reason, failures.at({ reason })]),
    ) as Record<HandshakeFailure, Count>;
  }

  /** What counts the responses of one kind of connection, by their status. */
  requestsOver(scheme: Scheme, protocol: Protocol): (status: number) => void {
    const counts = this.#requests(scheme, protocol);
    return (status) => {
      const count = counts[Math.trunc(status / 100) - 1];
      if (count !== undefined) count.value++;
    };
  }

  handshakeFailed(reason: HandshakeFailure): void {
    this.#failures[reason].value++;
  }
}

/** By the code of the error that ended a handshake. */
export function handshakeFailureOf(code: string | undefined): HandshakeFailure {
  if (code === "ECONNRESET") return "disconnected";
  // BoringSSL of Bun, and OpenSSL of Node.js, which has no cipher to offer without a certificate.
  return code === "ERR_SSL_NO_CERTIFICATE_SET" || code === "ERR_SSL_NO_SHARED_CIPHER"
    ? "no_certificate"
    : "protocol";
}
