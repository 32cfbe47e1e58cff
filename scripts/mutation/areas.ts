/** Which rules are mutated, and which tests have to notice. */

export interface Area {
  readonly sources: readonly string[];
  /** Files that run in one process and quickly; after a #, a pattern that names of tests match. */
  readonly tests: readonly string[];
}

const onSqlite = (names: string) => `test/store/sqlite.test.ts#${names}`;

export const areas: Readonly<Record<string, Area>> = {
  orders: {
    sources: ["src/petstore/orders/*.ts"],
    tests: ["test/orders/orders.test.ts", onSqlite("orders? on|imports on|events on")],
  },
  idempotency: {
    sources: ["src/petstore/idempotency/*.ts"],
    tests: [onSqlite("idempotency key")],
  },
  keys: {
    sources: ["src/petstore/keys/*.ts"],
    tests: ["authenticator", "keys", "rateLimiter", "sunsets", "useRecorder"].map(
      (name) => `test/keys/${name}.test.ts`,
    ),
  },
  catalogue: {
    sources: ["src/petstore/catalogue/*.ts"],
    tests: [
      ...["categories", "cursor", "pet", "petChanges", "petCommands", "petSearch"].map(
        (name) => `test/catalogue/${name}.test.ts`,
      ),
      onSqlite(
        "importing on|updating a pet on|deleting a pet on|known categories|ids start|what is not of|pet was imported|events on SQLite > (are those|of an import|are none)",
      ),
    ],
  },
  validation: {
    sources: ["src/contract/schema.ts"],
    tests: ["test/contract/readers.test.ts"],
  },
  int64: {
    sources: ["src/contract/int64.ts"],
    tests: ["test/contract/json.test.ts#int64", "test/catalogue/petCommands.test.ts"],
  },
  domains: {
    sources: ["claims", "hostName", "nextStep", "schedule"].map(
      (name) => `src/hosting/domains/${name}.ts`,
    ),
    tests: [
      "hostName",
      "nextStep",
      "schedule",
      "scheduledJobs",
      "lifecycle",
      "domainView",
      "serviceAdding",
    ].map((name) => `test/domains/${name}.test.ts`),
  },
};

/** A text for people. In tables, these are not mutated. */
export const isSentence = (text: string): boolean => /^[A-Z].* .*\.$/.test(text);
