/** The dashboard and its API on a port of their own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { invitationMs, issueLink } from "../../src/accounts/sessions.ts";
import { systemClock } from "../../src/core/clock.ts";
import { petstore, startProcess } from "../../testkit/serviceProcess.ts";
import { CliFixture } from "../cli/cliFixture.ts";
import { rawExchange } from "../end-to-end/rawHttp.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describe("a service with a port for its dashboard", () => {
  let running: TestService;
  let adminPort = 0;
  beforeAll(async () => {
    const variables = {
      PETSTORE_ADMIN_PORT: "0",
      PETSTORE_BASE_URL: "https://api.example.com/v1",
    };
    running = await startTestService({ variables });
    adminPort = running.service.adminPort ?? 0;
    for (const name of ["Bella", "Rex"]) {
      await running.client.post("/pets", { name, categoryId: 1 });
    }
  });
  afterAll(() => running.stop());

  const ask = (port: number, method: string, path: string, headers = "") =>
    rawExchange(port, `${method} ${path} HTTP/1.1\r\nHost: a.example\r\n${headers}\r\n`);
  const publicly = async (method: string, path: string) =>
    (await ask(running.service.port, method, path)).replace(/^Date: .*$/m, "Date");

  test.each(["GET", "POST", "DELETE", "OPTIONS", "BREW"])(
    "answers %s of the dashboard on the public port as it does any unknown path",
    async (method) => {
      const unknown = await publicly(method, "/nothing/here");
      for (const path of [
        "/dashboard",
        "/dashboard/",
        "/dashboard/index.html",
        "/internal/v1/session",
        "/internal/v1/overview",
        "/internal",
        "/v1/../internal/v1/session",
        "/v1/..\\internal/v1/session",
        "/%2e%2e/internal/v1/session",
        "/dashboard/%2e%2e/internal/v1/session",
      ]) {
        const answer = await publicly(method, path);
        // What begins with /v1 is the API's to refuse.
        if (path.startsWith("/v1/")) expect(answer).toMatch(/^HTTP\/1\.1 401 /);
        else expect(answer).toBe(unknown);
      }
    },
  );

  test("has the dashboard, its API and health on its own port", async () => {
    expect(await ask(adminPort, "GET", "/dashboard/")).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask(adminPort, "GET", "/dashboard")).toContain("\r\nLocation: /dashboard/\r\n");
    expect(await ask(adminPort, "GET", "/internal/v1/projects")).toMatch(/^HTTP\/1\.1 401 /);
    expect(await ask(adminPort, "GET", "/readyz")).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("says where the dashboard is only where it is", async () => {
    const html = "Accept: text/html\r\n";
    for (const headers of ["", html]) {
      expect(await ask(running.service.port, "GET", "/", headers)).not.toMatch(/dashboard/i);
      expect(await ask(adminPort, "GET", "/", headers)).toMatch(/\/dashboard\//);
    }
  });

  test("leads each client back to the port it came by", async () => {
    const headers = `Authorization: Bearer ${running.token}\r\n`;
    const next = async (port: number) =>
      /^Link: <(.*)\/v1\/pets\?/m.exec(await ask(port, "GET", "/v1/pets?limit=1", headers))?.[1];
    // More than once, since the second answer may be a cached one.
    for (let times = 0; times < 3; times++) {
      expect(await next(running.service.port)).toBe("https://api.example.com");
      expect(await next(adminPort)).toBe("http://a.example");
    }
  });

  test("gives a cookie that fits the dashboard's own address, not that of the API", async () => {
    const link = await issueLink(
      running.stores.accounts,
      systemClock,
      { kind: "operator" },
      invitationMs,
    );
    const body = JSON.stringify({ token: link.token });
    const headers = `Origin: http://a.example\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const answer = await rawExchange(
      adminPort,
      `POST /internal/v1/welcome HTTP/1.1\r\nHost: a.example\r\n${headers}\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/^Set-Cookie: petstore=/m);
  });
});

test("a start prints the address of the dashboard on its port, and invitations lead there", async () => {
  await using cli = new CliFixture({ store: false });
  const variables = { PETSTORE_DATA: cli.folder, PETSTORE_ADMIN_PORT: "0" };
  const service = await startProcess(variables);
  const [, dashboard = ""] = /(http:\S+)\/dashboard\//.exec(service.stdout()) ?? [];
  expect(new URL(dashboard).port).not.toBe(new URL(service.base).port);
  expect((await fetch(`${dashboard}/dashboard/`)).status).toBe(200);
  const invite = (url: Record<string, string>) =>
    petstore(["owners", "invite", "--operator"], { ...variables, ...url });
  const named = { PETSTORE_ADMIN_URL: "https://admin.example.com" };
  expect((await invite(named)).stdout).toContain("https://admin.example.com/dashboard/#/welcome/");
  const { port } = new URL(dashboard);
  expect((await invite({ PETSTORE_ADMIN_PORT: port })).stdout).toContain(`${dashboard}/dashboard/`);
  const taken = await petstore(["serve"], {
    ...variables,
    PORT: "0",
    PETSTORE_METRICS_PORT: "off",
    PETSTORE_ADMIN_PORT: port,
  });
  expect(taken.stderr).toContain(`set PETSTORE_ADMIN_PORT to a free port`);
  expect(await service.end("SIGTERM")).toBe(0);
});
