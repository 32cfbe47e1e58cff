import { describe, expect, test } from "bun:test";
import { ConfigError, readConfig } from "../src/config.ts";

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
      environment: "production",
      baseUrls: {},
      secret: undefined,
      metrics: { host: "127.0.0.1", port: 9464 },
      logLevel: "info",
      shutdownSecondsMax: 10,
      quota: undefined,
      knownCategoriesOnly: false,
    });
  });

  test("are taken from the environment, and an empty one counts as unset", () => {
    const config = readConfig({
      HOST: "0.0.0.0",
      PORT: "",
      PETSTORE_ENV: "staging",
      PETSTORE_BASE_URL: "https://api.example.com/v1",
      PETSTORE_STAGING_BASE_URL: "https://api.staging.example.com/shop/v1",
      PETSTORE_METRICS_PORT: "off",
      PETSTORE_LOG: "off",
      PETSTORE_SHUTDOWN_SECONDS: "30",
      PETSTORE_RATE_LIMIT: "600/60",
      PETSTORE_ENFORCE_CATEGORIES: "on",
    });
    expect(config).toMatchObject({
      host: "0.0.0.0",
      port: 8080,
      environment: "staging",
      baseUrls: {
        production: "https://api.example.com/v1",
        staging: "https://api.staging.example.com/shop/v1",
      },
      metrics: undefined,
      logLevel: "off",
      shutdownSecondsMax: 30,
      quota: { requests: 600, windowSeconds: 60 },
      knownCategoriesOnly: true,
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
    ["PETSTORE_ENFORCE_CATEGORIES", "yes"],
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
    const address = "postgres://user:word@db.example.com/pets";
    expect(complaintOf({ DATABASE_URL: address })).toStartWith("DATABASE_URL must be left unset");
    expect(complaintOf({ DATABASE_URL: address })).not.toContain("word");
  });

  test("all that is wrong is said at once", () => {
    expect(complaintOf({ PORT: "x", PETSTORE_ENV: "y" }).split("\n").length).toBe(2);
  });
});
