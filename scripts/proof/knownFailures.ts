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
];
