import { expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import {
  behindDoor,
  planEnvironments,
  planOf,
  variablesOfOne,
  variablesOfService,
} from "../../src/serve/environments/settings.ts";
import { TrustedProxies } from "../../src/wire/trustedProxies.ts";

const both = { PETSTORE_ENVIRONMENTS: "production,staging" };
const complaintOf = (variables: Record<string, string>) => {
  try {
    planEnvironments({ ...both, ...variables });
    return "";
  } catch (cause) {
    return (cause as Error).message;
  }
};

test("each environment has ports and a folder of its own", () => {
  const [production, staging] = planEnvironments(both);
  expect(production.environment).toBe("production");
  expect(production.config).toMatchObject({ environment: "production", port: 8080 });
  expect(staging?.config).toMatchObject({
    environment: "staging",
    port: 8081,
    metrics: { port: 9465 },
    admin: undefined,
  });
  const admin = planEnvironments({ ...both, PETSTORE_ADMIN_PORT: "9000", PORT: "0" });
  expect(admin.map(({ config }) => [config.port, config.admin?.port])).toEqual([
    [0, 9000],
    [0, 9001],
  ]);
});

test("each has its name, in their order", () => {
  const plans = planEnvironments({
    ...both,
    PETSTORE_DOMAIN: "api.example.com, staging.example.com",
    PETSTORE_SITES_HOST: "sites.example.com",
    PETSTORE_ACME_TERMS: "agreed",
  });
  expect(plans.map(({ config }) => config.domains?.ownName)).toEqual([
    "api.example.com",
    "staging.example.com",
  ]);
  expect(plans.map(({ config }) => config.domains?.sites?.host)).toEqual([
    "sites.example.com",
    undefined,
  ]);
  expect(plans.map(({ config: { baseUrls } }) => baseUrls)).toEqual([
    { production: "https://api.example.com/v1" },
    { staging: "https://staging.example.com/v1" },
  ]);
});

test("a command goes by the settings of one environment, production unless another is named", () => {
  const shared = {
    ...both,
    PETSTORE_DOMAIN: "api.example.com,staging.example.com",
    PETSTORE_STAGING_PORT: "9000",
  };
  const configFor = (variables: Record<string, string>) =>
    readConfig(variablesOfOne({ ...shared, ...variables }));
  const production = configFor({});
  expect([production.environment, production.port]).toEqual(["production", 8080]);
  expect(production.domains?.ownName).toBe("api.example.com");
  const staging = configFor({ PETSTORE_ENV: "staging" });
  expect([staging.environment, staging.port]).toEqual(["staging", 9000]);
  expect(staging.domains?.ownName).toBe("staging.example.com");
  const alone = { PETSTORE_DOMAIN: "api.example.com" };
  expect(variablesOfOne(alone)).toBe(alone);
});

test("a host belongs to the environment whose name is nearest to it", () => {
  const plans = planEnvironments({
    ...both,
    PETSTORE_DOMAIN: "api.example.com,api.sites.example.com",
    PETSTORE_SITES_HOST: "sites.example.com,staging.sites.example.com",
    PETSTORE_ACME_TERMS: "agreed",
  });
  const environmentOf = (host: string) => planOf(host, plans)?.environment;
  expect(environmentOf("api.example.com")).toBe("production");
  expect(environmentOf("sites.example.com")).toBe("production");
  expect(environmentOf("docs.sites.example.com")).toBe("production");
  expect(environmentOf("api.sites.example.com")).toBe("staging");
  expect(environmentOf("staging.sites.example.com")).toBe("staging");
  expect(environmentOf("docs.staging.sites.example.com")).toBe("staging");
  expect(environmentOf("docs.acme.com")).toBeUndefined();
  expect(planOf(undefined, plans)).toBeUndefined();
  expect(planOf("docs.undefined", planEnvironments(both))).toBeUndefined();
});

test("the contract of each names the addresses of both", () => {
  const addressesOf = (variables: Record<string, string>) =>
    planEnvironments({ ...both, ...variables }).map((plan) => readConfig(plan.variables).baseUrls);
  expect(addressesOf({ PORT: "9000" })).toEqual([
    { staging: "http://localhost:9001/v1" },
    { production: "http://localhost:9000/v1" },
  ]);
  const named = { PETSTORE_DOMAIN: "a.example.com,b.example.com", PETSTORE_ACME_TERMS: "agreed" };
  const all = { production: "https://a.example.com/v1", staging: "https://b.example.com/v1" };
  expect(addressesOf(named)).toEqual([all, all]);
});

test("there is a name for each environment, or none", () => {
  const terms = { PETSTORE_ACME_TERMS: "agreed" };
  for (const names of ["a.example.com", "a.example.com,a.example.com", "a.test,b.test,c.test"]) {
    expect(complaintOf({ ...terms, PETSTORE_DOMAIN: names })).toContain(
      "PETSTORE_DOMAIN must have a name for each environment, production and staging",
    );
  }
  expect(complaintOf({ PETSTORE_DOMAIN: "a.example.com,b.example.com" })).toContain(
    "start with --agree-to-terms",
  );
});

test("a setting with the name of the environment in it is for that one alone", () => {
  const [production, staging] = planEnvironments({
    ...both,
    PETSTORE_RATE_LIMIT: "600/60",
    PETSTORE_STAGING_RATE_LIMIT: "5/1",
    PETSTORE_STAGING_PORT: "9999",
    PETSTORE_STAGING_BASE_URL: "https://staging.example.com/v1",
  });
  expect(production.config.quota?.requests).toBe(600);
  expect(staging?.config).toMatchObject({ port: 9999, quota: { requests: 5 } });
  expect(production.config.baseUrls.staging).toBe("https://staging.example.com/v1");
});

test("a secret and a database are never shared", () => {
  const secret = "s".repeat(32);
  const [production, staging] = planEnvironments({ ...both, PETSTORE_SECRET: secret });
  expect(production.config.secret).toBe(secret);
  expect(staging?.config.secret).toBeUndefined();
  expect(complaintOf({ DATABASE_URL: "postgres://db/pets" })).toBe(
    "staging: PETSTORE_STAGING_DATABASE_URL must be set where DATABASE_URL is: each environment has a database of its own.",
  );
});

test("neither environment is handed the settings of the other", () => {
  const plans = planEnvironments({
    ...both,
    PETSTORE_PRODUCTION_SECRET: "p".repeat(32),
    PETSTORE_STAGING_SECRET: "s".repeat(32),
    PETSTORE_STAGING_BASE_URL: "https://staging.example.com/v1",
  });
  const texts = plans.map(({ variables }) => JSON.stringify(variables));
  expect(texts.map((text) => text.includes("pppp"))).toEqual([true, false]);
  expect(texts.map((text) => text.includes("ssss"))).toEqual([false, true]);
  for (const text of texts) expect(text).toContain("https://staging.example.com/v1");
});

test("the front door is trusted to say who the client is, whoever else is", () => {
  const named = { PETSTORE_DOMAIN: "a.example.com,b.example.com", PETSTORE_ACME_TERMS: "agreed" };
  const trustedWith = (variables: Record<string, string>) => {
    const [production] = planEnvironments({ ...both, ...named, ...variables });
    const config = readConfig(behindDoor(production));
    expect(config.proxyProtocol).toEqual(["edge"]);
    return new TrustedProxies(config.trustedProxies);
  };
  for (const setting of [{}, { PETSTORE_TRUSTED_PROXIES: "none" }]) {
    expect(trustedWith(setting).trusts("127.0.0.1")).toBe(true);
    expect(trustedWith(setting).trusts("192.0.2.1")).toBe(false);
  }
  const some = trustedWith({ PETSTORE_TRUSTED_PROXIES: "192.0.2.0/24" });
  expect([some.trusts("127.0.0.1"), some.trusts("192.0.2.1")]).toEqual([true, true]);
});

test("a service is reloaded with what it was started with", () => {
  const shared = {
    ...both,
    PETSTORE_DOMAIN: "a.example.com,b.example.com",
    PETSTORE_ACME_TERMS: "agreed",
  };
  for (const plan of planEnvironments(shared)) {
    expect(variablesOfService(shared, plan.environment)).toEqual(behindDoor(plan));
  }
  const alone = { PORT: "9000" };
  expect(variablesOfService(alone, "production")).toBe(alone);
});

test("what cannot be understood is said, with whose it is", () => {
  expect(complaintOf({ PETSTORE_ENVIRONMENTS: "production,test" })).toStartWith(
    "PETSTORE_ENVIRONMENTS must be production and staging",
  );
  const named = { PETSTORE_DOMAIN: "a.example.com,b.example.com", PETSTORE_ACME_TERMS: "agreed" };
  expect(complaintOf({ ...named, PETSTORE_PROXY_PROTOCOL: "edge" })).toStartWith(
    "production: PETSTORE_PROXY_PROTOCOL cannot be edge with PETSTORE_ENVIRONMENTS",
  );
  expect(complaintOf({ PETSTORE_STAGING_LOG: "loud" })).toStartWith(
    "staging: PETSTORE_LOG must be",
  );
});
