import { expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import { dashboardAddress } from "../../src/serve/serveDashboard.ts";

test("the dashboard on this machine has the name that passkeys need", () => {
  expect(dashboardAddress(readConfig({}))).toBe("http://localhost:8080/dashboard/");
});

test("the dashboard elsewhere has the address it listens on, or the one that is set", () => {
  const address = (variables: Record<string, string>) => dashboardAddress(readConfig(variables));
  expect(address({ HOST: "192.0.2.7", PORT: "80" })).toBe("http://192.0.2.7:80/dashboard/");
  expect(address({ HOST: "::1" })).toBe("http://[::1]:8080/dashboard/");
  expect(address({ PETSTORE_BASE_URL: "https://api.example.com/v1" })).toBe(
    "https://api.example.com/dashboard/",
  );
});
