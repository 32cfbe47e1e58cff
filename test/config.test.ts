import { describe, expect, test } from "bun:test";
import { ConfigError, readConfig, requireTerms } from "../src/config/config.ts";

function complaintOf(variables: Record<string, string>): string {
  try {
    readConfig(variables);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.message;
    throw thrown;
  }
  return "";
}

describe("settings", () => {
  test("have the documented defaults", () => {
    expect(readConfig({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      dataFolder: "./data",
      database: undefined,
      environment: "production",
      baseUrls: {},
      secret: undefined,
      secondFactor: "optional",
      admin: undefined,
      metrics: { host: "127.0.0.1", port: 9464 },
      logLevel: "info",
      traces: undefined,
      shutdownSecondsMax: 10,
      processes: 1,
      printsFirstKey: true,
      trustedProxies: [
        { address: "127.0.0.0", prefix: 8, family: "ipv4" },
        { address: "::1", prefix: 128, family: "ipv6" },
      ],
      proxyProtocol: [],
      quota: undefined,
      eventsDays: 30,
      webhookNetworks: [],
      mail: undefined,
      knownCategoriesOnly: false,
      docsSite: true,
      roles: ["edge", "worker"],
      domains: undefined,
    });
  });

  test("are taken from the environment, and an empty one counts as unset", () => {
    const config = readConfig({
      HOST: "0.0.0.0",
      PORT: "",
      PETSTORE_ENV: "staging",
      PETSTORE_BASE_URL: "https://api.example.com/v1",
      PETSTORE_STAGING_BASE_URL: "https://api.staging.example.com/shop/v1",
      PETSTORE_ADMIN_PORT: "8090",
      PETSTORE_ADMIN_URL: "https://admin.example.com/",
      PETSTORE_METRICS_PORT: "off",
      PETSTORE_LOG: "off",
      PETSTORE_SHUTDOWN_SECONDS: "30",
      PETSTORE_RATE_LIMIT: "600/60",
      PETSTORE_FIRST_KEY: "off",
      PETSTORE_PROXY_PROTOCOL: "api, edge",
      PETSTORE_TRUSTED_PROXIES: "192.0.2.1, 10.0.0.0/8,2001:db8::/32",
      PETSTORE_ENFORCE_CATEGORIES: "on",
      PETSTORE_DOCS_SITE: "off",
    });
    expect(config).toMatchObject({
      host: "0.0.0.0",
      port: 8080,
      environment: "staging",
      baseUrls: {
        production: "https://api.example.com/v1",
        staging: "https://api.staging.example.com/shop/v1",
      },
      admin: { host: "127.0.0.1", port: 8090, url: "https://admin.example.com" },
      metrics: undefined,
      logLevel: "off",
      shutdownSecondsMax: 30,
      printsFirstKey: false,
      trustedProxies: [
        { address: "192.0.2.1", prefix: 32, family: "ipv4" },
        { address: "10.0.0.0", prefix: 8, family: "ipv4" },
        { address: "2001:db8::", prefix: 32, family: "ipv6" },
      ],
      proxyProtocol: ["api", "edge"],
      quota: { requests: 600, windowSeconds: 60 },
      knownCategoriesOnly: true,
      docsSite: false,
    });
  });

  const wrong: [name: string, value: string][] = [
    ["PORT", "http"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["HOST", "not a host"],
    ["PETSTORE_ENV", "prod"],
    ["PETSTORE_BASE_URL", "api.example.com/v1"],
    ["PETSTORE_BASE_URL", "https://api.example.com"],
    ["PETSTORE_BASE_URL", "https://api.example.com/v1/"],
    ["PETSTORE_BASE_URL", "ftp://api.example.com/v1"],
    ["PETSTORE_STAGING_BASE_URL", "https://user@example.com/v1"],
    ["PETSTORE_STAGING_BASE_URL", "https://example.com/v1?x"],
    ["PETSTORE_METRICS_PORT", "on"],
    ["PETSTORE_METRICS_HOST", "a b"],
    ["PETSTORE_LOG", "verbose"],
    ["PETSTORE_SHUTDOWN_SECONDS", "0"],
    ["PETSTORE_RATE_LIMIT", "600"],
    ["PETSTORE_RATE_LIMIT", "0/60"],
    ["PETSTORE_RATE_LIMIT", "600/0"],
    ["PETSTORE_RATE_LIMIT", "1000001/1"],
    ["PETSTORE_RATE_LIMIT", "600/60s"],
    ["PETSTORE_ADMIN_PORT", "off"],
    ["PETSTORE_ADMIN_HOST", "not a host"],
    ["PETSTORE_ADMIN_URL", "admin.example.com"],
    ["PETSTORE_ADMIN_URL", "https://admin.example.com/dashboard"],
    ["PETSTORE_PROXY_PROTOCOL", "v1"],
    ["PETSTORE_PROXY_PROTOCOL", "api,metrics"],
    ["PETSTORE_TRUSTED_PROXIES", "10.0.0.0/33"],
    ["PETSTORE_TRUSTED_PROXIES", "127.0.0.1,proxy.example.com"],
    ["PETSTORE_TRUSTED_PROXIES", "127.0.0.1,,::1"],
    ["PETSTORE_ENFORCE_CATEGORIES", "yes"],
    ["PETSTORE_FIRST_KEY", "no"],
    ["PETSTORE_DOCS_SITE", "none"],
    ["PETSTORE_ROLES", "edge,cook"],
    ["PETSTORE_SITES_HOST", "sites"],
    ["PETSTORE_SITES_HOST", "192.0.2.1"],
    ["PETSTORE_DNS_RECURSORS", "192.0.2.1,dns.example.com"],
    ["PETSTORE_DNS_RECURSORS", "192.0.2.1:99999"],
    ["PETSTORE_DNS_PORT", "0"],
    ["PETSTORE_DNS_PRIVATE", "1"],
    ["PETSTORE_ACME_DIRECTORY", "acme.example.com"],
    ["PETSTORE_ACME_CONTACT", "nobody"],
    ["PETSTORE_ACME_CAA", "ca.example.com,ca"],
    ["PETSTORE_ACME_TERMS", "yes"],
    ["PETSTORE_EDGE_HOST", "a b"],
    ["PETSTORE_EDGE_HTTP_PORT", "http"],
    ["PETSTORE_EDGE_HTTPS_PORT", "65536"],
    ["PETSTORE_EDGE_ADDRESS", "edge.example.com"],
    ["PETSTORE_LEASE_SECONDS", "1"],
    ["PETSTORE_DATABASE_POOL", "0"],
    ["PETSTORE_DATABASE_PREPARE", "yes"],
  ];
  for (const [name, value] of wrong) {
    test(`${name}=${value} is refused by name, with what it accepts`, () => {
      const complaint = complaintOf({ [name]: value });
      expect(complaint).toStartWith(`${name} must be `);
      expect(complaint).toEndWith(`; "${value}" is not.`);
    });
  }

  test("a secret or a database address that is refused is not repeated", () => {
    const short = "too short";
    expect(complaintOf({ PETSTORE_SECRET: short })).toStartWith(
      "PETSTORE_SECRET must be at least 32",
    );
    expect(complaintOf({ PETSTORE_SECRET: short })).not.toContain(short);
    const address = "mysql://user:word@db.example.com/pets";
    expect(complaintOf({ DATABASE_URL: address })).toStartWith("DATABASE_URL must be the address");
    expect(complaintOf({ DATABASE_URL: address })).not.toContain(":word@");
  });

  test("a database may be on several hosts, by name or address, or on a socket", () => {
    for (const address of [
      "postgres://db.example.com/pets",
      "postgresql://user:p%40ss@db.example.com:5432/pets?sslmode=verify-full",
      "postgres://user@a:5432,b:5433,[::1]:5434/pets",
      "postgres:///pets?host=/run/postgresql",
    ]) {
      expect(readConfig({ DATABASE_URL: address }).database).toEqual({
        address,
        connectionsMax: 10,
        namedStatements: false,
      });
    }
    const chosen = { PETSTORE_DATABASE_POOL: "3", PETSTORE_DATABASE_PREPARE: "on" };
    expect(readConfig({ DATABASE_URL: "postgres://a/b", ...chosen }).database).toEqual({
      address: "postgres://a/b",
      connectionsMax: 3,
      namedStatements: true,
    });
    for (const address of [
      "db.example.com",
      "postgres://a b/c",
      "postgres://a:x/c",
      "postgres:a",
    ]) {
      expect(complaintOf({ DATABASE_URL: address })).toStartWith("DATABASE_URL must be");
    }
  });

  test("custom domains are on once the name to point to is set, and the terms must be agreed", () => {
    const named = { PETSTORE_SITES_HOST: "Sites.Example.com.", PETSTORE_ACME_TERMS: "agreed" };
    expect(readConfig(named).domains).toEqual({
      termsAgreed: true,
      ownName: undefined,
      sites: { host: "sites.example.com", certificates: { kind: "each" } },
      target: "sites.example.com",
      dns: { recursors: undefined, authorityPort: 53, privateAddresses: false },
      acme: {
        authorities: [
          {
            prefix: "PETSTORE_ACME",
            name: "Let's Encrypt (https://acme-v02.api.letsencrypt.org/directory)",
            directory: "https://acme-v02.api.letsencrypt.org/directory",
            externalAccount: undefined,
            caaIdentities: undefined,
          },
        ],
        fallbackNeedsContact: true,
        contact: undefined,
        trustFile: undefined,
        ownLimits: true,
      },
      edge: {
        host: "127.0.0.1",
        httpPort: 80,
        httpsPort: 443,
        publicHttpsPort: 443,
        address: "127.0.0.1",
      },
      leaseSeconds: 30,
    });
    // Commands read what is there without it.
    const unagreed = readConfig({ PETSTORE_SITES_HOST: "sites.example.com" });
    expect(() => requireTerms(unagreed)).toThrow(
      "To agree to them, start with --agree-to-terms or set PETSTORE_ACME_TERMS=agreed.",
    );
    requireTerms(readConfig(named));
    requireTerms(readConfig({}));
  });

  test("our own limits apply to public authorities, unless they are turned on or off", () => {
    const limited = (settings: Record<string, string>) =>
      readConfig({ PETSTORE_SITES_HOST: "sites.example.com", ...settings }).domains?.acme.ownLimits;
    const zeroSsl = { PETSTORE_ACME_DIRECTORY: "https://acme.zerossl.com/v2/DV90" };
    const private_ = { PETSTORE_ACME_DIRECTORY: "https://ca.internal:14000/dir" };
    const host = "acme-staging-v02.api.letsencrypt.org";
    const staging = { PETSTORE_ACME_DIRECTORY: `https://${host}/directory` };
    expect([{}, zeroSsl, private_, staging].map(limited)).toEqual([true, true, false, false]);
    expect(limited({ PETSTORE_ACME_LIMITS: "off" })).toBe(false);
    expect(limited({ ...private_, PETSTORE_ACME_LIMITS: "on" })).toBe(true);
    expect(complaintOf({ PETSTORE_ACME_LIMITS: "public" })).toContain("must be on or off");
  });

  test("an external account is a key id and a key, which no complaint repeats", () => {
    const read = (text: string) =>
      readConfig({ PETSTORE_SITES_HOST: "sites.example.com", PETSTORE_ACME_EAB: text }).domains;
    const hmacKey = Buffer.from("of a test, by bytes");
    for (const encoding of ["base64", "base64url"] as const) {
      const { authorities = [] } = read(`a:kid_1:${hmacKey.toString(encoding)}`)?.acme ?? {};
      expect(authorities[0]?.externalAccount).toEqual({ kid: "a:kid_1", hmacKey });
    }
    const complaint = complaintOf({ PETSTORE_ACME_EAB: "not-a-pair" });
    expect(complaint).toStartWith("PETSTORE_ACME_EAB must be a key id and its HMAC key");
    expect(complaint).not.toContain("not-a-pair");
  });

  describe("a second authority", () => {
    const zeroSsl = "https://acme.zerossl.com/v2/DV90";
    const letsEncrypt = "https://acme-v02.api.letsencrypt.org/directory";
    const contact = { PETSTORE_ACME_CONTACT: "operator@example.com" };
    const account = { PETSTORE_ACME_FALLBACK_EAB: "kid:c2VjcmV0IG9mIGEgdGVzdA" };
    const another = { PETSTORE_ACME_FALLBACK_DIRECTORY: "https://ca.example/dir" };
    const at = (directory: string) => ({ PETSTORE_ACME_DIRECTORY: directory });
    const read = (settings: Record<string, string>) => {
      const { domains } = readConfig({ PETSTORE_SITES_HOST: "sites.example.com", ...settings });
      if (domains === undefined) throw new Error("There are no domains.");
      return domains.acme;
    };
    const seconds = (settings: Record<string, string>) =>
      read(settings)
        .authorities.slice(1)
        .map(({ directory }) => directory);

    test("is ZeroSSL where the first is public, with an account for the contact address", () => {
      const { authorities, fallbackNeedsContact } = read(contact);
      expect(fallbackNeedsContact).toBe(false);
      const names = [`Let's Encrypt (${letsEncrypt})`, `ZeroSSL (${zeroSsl})`];
      expect(authorities.map(({ name }) => name)).toEqual(names);
      expect(authorities[1]).toMatchObject({
        directory: zeroSsl,
        externalAccount: {
          madeAt: "https://api.zerossl.com/acme/eab-credentials-email",
          email: "operator@example.com",
        },
      });
      expect(seconds({ ...contact, ...at("https://acme.ssl.com/sslcom-dv-ecc") })).toEqual([
        zeroSsl,
      ]);
    });

    test("is Let's Encrypt where ZeroSSL is the first, with an account for the contact address", () => {
      expect(seconds({ ...contact, ...at(zeroSsl) })).toEqual([letsEncrypt]);
      expect(read({ ...contact, ...at(zeroSsl) }).authorities[0]?.externalAccount).toMatchObject({
        email: "operator@example.com",
      });
      expect(seconds(at(zeroSsl))).toEqual([letsEncrypt]);
    });

    test("is missing without a contact address, and not wanted where it is off", () => {
      expect(read({})).toMatchObject({ fallbackNeedsContact: true, authorities: [{}] });
      const off = { PETSTORE_ACME_FALLBACK: "off" };
      for (const settings of [off, { ...off, ...contact }, { ...off, ...account, ...another }]) {
        const { fallbackNeedsContact, authorities } = read(settings);
        expect([fallbackNeedsContact, authorities.length]).toEqual([false, 1]);
      }
      expect(complaintOf({ PETSTORE_ACME_FALLBACK: "on" })).toBe(
        'PETSTORE_ACME_FALLBACK must be off, or not set; "on" is not.',
      );
    });

    test("is none for private authorities, staging ones, and the staging environment", () => {
      const staging = "https://acme-staging-v02.api.letsencrypt.org/directory";
      for (const settings of [
        at("https://ca.internal:14000/dir"),
        at(staging),
        { PETSTORE_ENV: "staging" },
      ]) {
        expect(read(settings)).toMatchObject({ fallbackNeedsContact: false });
        expect(seconds({ ...settings, ...contact })).toEqual([]);
      }
    });

    test("is the one whose account or directory is set", () => {
      expect(seconds(account)).toEqual([zeroSsl]);
      expect(read({ ...account, ...contact }).authorities[1]?.externalAccount).toMatchObject({
        kid: "kid",
      });
      expect(seconds({ ...account, ...another })).toEqual(["https://ca.example/dir"]);
      expect(seconds({ ...contact, ...another })).toEqual(["https://ca.example/dir"]);
      expect(read({ ...contact, ...another }).authorities[1]?.externalAccount).toBeUndefined();
      const same = { ...at("https://ca.example/dir"), ...another };
      expect(complaintOf(same)).toContain("must be another authority");
    });

    test("is named, with the first, where the terms have to be agreed to", () => {
      const refusal = (settings: Record<string, string>) => {
        const config = readConfig({ PETSTORE_SITES_HOST: "sites.example.com", ...settings });
        try {
          requireTerms(config);
        } catch (cause) {
          return String(cause);
        }
        return "";
      };
      expect(refusal(contact)).toContain(
        `under the terms of Let's Encrypt (${letsEncrypt}), and of ZeroSSL (${zeroSsl}), which`,
      );
      expect(refusal(contact)).toContain("PETSTORE_ACME_FALLBACK=off");
      expect(refusal({})).not.toContain("ZeroSSL");
    });
  });

  test("a name of its own makes its address, and listens where the public can reach it", () => {
    const named = { PETSTORE_DOMAIN: "API.example.com.", PETSTORE_ACME_TERMS: "agreed" };
    const { domains, baseUrls } = readConfig(named);
    expect(domains).toMatchObject({ ownName: "api.example.com", target: "api.example.com" });
    expect(["::", "0.0.0.0"]).toContain(domains?.edge.host ?? "");
    expect(baseUrls).toEqual({ production: "https://api.example.com/v1" });

    const staging = { ...named, PETSTORE_ENV: "staging", PETSTORE_EDGE_PUBLIC_HTTPS_PORT: "8443" };
    expect(readConfig(staging).baseUrls).toEqual({ staging: "https://api.example.com:8443/v1" });
    const behind = { ...named, PETSTORE_BASE_URL: "https://pets.example.com/v1" };
    expect(readConfig(behind).baseUrls).toEqual({ production: "https://pets.example.com/v1" });
    const apart = readConfig({ ...named, PETSTORE_SITES_HOST: "sites.example.net" });
    expect(apart.domains?.target).toBe("sites.example.net");
    expect(complaintOf({ PETSTORE_DOMAIN: "localhost" })).toStartWith("PETSTORE_DOMAIN must be");
  });

  test("a process may be an edge, a worker, both or neither", () => {
    expect(readConfig({ PETSTORE_ROLES: "worker" }).roles).toEqual(["worker"]);
    expect(readConfig({ PETSTORE_ROLES: "worker, edge" }).roles).toEqual(["worker", "edge"]);
    expect(readConfig({ PETSTORE_ROLES: "none" }).roles).toEqual([]);
  });

  test("recursors are addresses, with a port where it is not 53", () => {
    const config = readConfig({
      PETSTORE_SITES_HOST: "sites.example.com",
      PETSTORE_ACME_TERMS: "agreed",
      PETSTORE_DNS_RECURSORS: "192.0.2.1, 192.0.2.2:5353,[2001:db8::1]:54,2001:db8::2",
    });
    expect(config.domains?.dns.recursors).toEqual([
      { address: "192.0.2.1", port: 53 },
      { address: "192.0.2.2", port: 5353 },
      { address: "2001:db8::1", port: 54 },
      { address: "2001:db8::2", port: 53 },
    ]);
  });

  test("all that is wrong is said at once", () => {
    expect(complaintOf({ PORT: "x", PETSTORE_ENV: "y" }).split("\n").length).toBe(2);
  });
});
