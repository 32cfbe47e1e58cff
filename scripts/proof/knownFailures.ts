/**
 * The failures that are the tool's and not ours. All others fail the run, and so does one that is
 * listed here and no longer happens.
 */
export interface KnownFailure {
  /** The slug of the suite. */
  readonly suite: string;
  readonly id: string;
  /** Why it is the tool's, so that a reader can check it. */
  readonly reason: string;
}

/** Roles that the contracts require of the holder of a key, a session or a token. */
const roles = {
  "petstore.yaml": [
    ...["pets:read", "pets:write", "categories:write"],
    ...["orders:read", "orders:write", "events:read"],
  ],
  "platform.yaml": ["operator"],
};

export const knownFailures: readonly KnownFailure[] = [
  ...Object.entries(roles).flatMap(([document, names]) =>
    names.map((name) => ({
      suite: "spectral",
      id: `${document} oas3-operation-security-defined: "${name}" must be listed among scopes.`,
      reason:
        "OpenAPI 3.1 lets a security requirement list role names for schemes that are not OAuth2 (Security Requirement Object), and gives such schemes no list to define them in. Spectral applies the rule of OpenAPI 3.0.",
    })),
  ),
  {
    suite: "prism",
    id: "an integer beyond 2^53",
    reason:
      "Prism holds `format: int64` to what a double can count, ±(2^53 - 1). The format means 64 bits, and `petstore check` uses all of them.",
  },
  {
    suite: "prism",
    id: "HEAD 500",
    reason:
      "Prism reads the body of every answer of application/json but 204, and fails by that of HEAD, which has none (RFC 9110, section 9.3.2).",
  },
  ...[
    "must have required property 'message'",
    "must NOT have additional properties; found 'type'",
    "must NOT have additional properties; found 'title'",
    "must NOT have additional properties; found 'detail'",
  ].map((message) => ({
    suite: "prism",
    id: `application/problem+json: Response body ${message}`,
    reason:
      "Prism judges an answer of application/problem+json by the schema of application/json, which comes first in the contract.",
  })),
  ...[
    {
      id: "cert_revocation",
      reason:
        "The certificate is of the proof's own authority, which publishes no revocations. Where to look them up is for an authority to say (RFC 5280, section 4.2.1.13), and the edge serves what it issued.",
    },
    {
      id: "HSTS_time",
      reason:
        "A day is what owners get until they ask for more (decision 55): one who leaves with a domain must be able to leave HTTPS too (RFC 6797, section 14.3). The service's own name has a year.",
    },
    {
      id: "secure_renego",
      reason:
        "Version 3.0.8 asks by a command of OpenSSL that version 3 of it no longer answers, and says that it has not found out. sslyze finds secure renegotiation (RFC 5746).",
    },
    {
      id: "BREACH",
      reason:
        "It reports every compressed page. The attack needs a secret in a page that also repeats input of the attacker; the edge serves files as they were deployed.",
    },
  ].map((known) => ({ suite: "testssl", ...known })),
  ...["getPet", "a pet that is not there"].map((name) => ({
    suite: "redbot",
    id: `${name} DEPRECATION_PAST field-deprecation`,
    reason: "The operation is deprecated, and says so since its date (RFC 9745, section 2).",
  })),
  ...[
    ...["/docs/assets/site.css", "/docs/assets/early.js", "/docs/assets/site.js"],
    ...["/dashboard/assets/dashboard.css", "/dashboard/assets/early.js"],
    "/dashboard/assets/dashboard.js",
  ]
    .map((path) => `asset ${path}`)
    .concat("site over HTTP")
    .map((name) => ({
      suite: "redbot",
      id: `${name} STORE_PUBLIC_UNNECESSARY field-cache-control`,
      reason:
        "It advises against `public` because the response could be stored without it. Behind a proxy that asks for a password it could not (RFC 9111, section 3.5).",
    })),
  ...["001", "008", "017", "019", "020", "040"].map((name) => ({
    suite: "http11",
    id: `valid/${name} on the edge over HTTP`,
    reason:
      "A response to HTTP/1.0 without Host needs a site to be of. The edge serves many, and refuses what names none; the API serves it.",
  })),
  ...Object.entries({
    "The value of Host, 0.0.0.0=5000, is neither a name nor an address with a port; RFC 9112, section 3.2, asks for 400 where it is invalid.":
      ["valid/002", "valid/003"],
    "The second request is of HTTP/1.1 and has no Host, which has to be refused (RFC 9112, section 3.2).":
      ["valid/022"],
    "gunicorn leaves the coding to its application. A server that does not know a transfer coding should answer 501 (RFC 9112, section 6.1).":
      ["valid/rfc9112_smuggle_gzip_chunked_01", "valid/rfc9112_smuggle_te_identity_chunked_01"],
    "A name and a password in a target should be treated as an error (RFC 9110, section 4.2.4).": [
      "valid/rfc9112_target_absolute_userinfo_01",
    ],
    "CONNECT is for proxies. An origin server need not accept its form of target (RFC 9112, section 3.2.3).":
      ["valid/rfc9112_target_authority_connect_01", "valid/rfc9112_target_authority_ipv6_01"],
    "Two Content-Types are an error of the sender (RFC 9110, section 5.3). The request has no content that they could be about, and its path is not there.":
      ["invalid/041"],
    "A field that is not allowed in a trailer is ignored (RFC 9110, section 6.5.1): the service reads no trailers.":
      ["invalid/rfc9110_trailer_forbidden_host_01"],
    "The method is not allowed at this path, which is answered before the content has come, and the connection is closed.":
      ["invalid/rfc9112_chunked_missing_final_crlf_01"],
    "A server should ignore at least one empty line before a request (RFC 9112, section 2.2); two are not forbidden.":
      ["invalid/rfc9112_leading_crlf_02"],
  }).flatMap(([reason, ids]) =>
    ids.flatMap((id) =>
      ["the API", "the edge over HTTP", "the edge over HTTPS"].map((place) => ({
        ...{ suite: "http11", id: `${id} on ${place}`, reason },
      })),
    ),
  ),
];
