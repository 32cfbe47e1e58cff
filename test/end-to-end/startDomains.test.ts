import { expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { systemClock } from "../../src/core/clock.ts";
import { eventually } from "../../testkit/eventually.ts";
import { petstore, startProcess } from "../../testkit/serviceProcess.ts";
import { describeOnEngines, type Engine } from "./engines.ts";
import { startTestService } from "./service.ts";

const settings = {
  PETSTORE_SITES_HOST: "sites.example.com",
  PETSTORE_ACME_TERMS: "agreed",
  PETSTORE_EDGE_HTTP_PORT: "0",
  PETSTORE_EDGE_HTTPS_PORT: "0",
};

async function startWith(engine: Engine, variables: Record<string, string>) {
  const database = await engine.newDatabase();
  try {
    return await petstore(["serve"], {
      PORT: "0",
      PETSTORE_METRICS_PORT: "0",
      ...database.variables,
      PETSTORE_LOG: "off",
      ...settings,
      ...variables,
    });
  } finally {
    await database.remove();
  }
}

describeOnEngines("a start with custom domains", (engine) => {
  for (const setting of ["PETSTORE_EDGE_HTTP_PORT", "PETSTORE_EDGE_HTTPS_PORT"]) {
    test(`names ${setting} when another program has its port, serves the API, and tries again`, async () => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const { port } = other.address() as AddressInfo;
      // The next try comes soon.
      const after = (delayMs: number, work: () => void) =>
        systemClock.after(Math.min(delayMs, 100), work);
      const service = await startTestService({
        engine,
        clock: { ...systemClock, after },
        variables: { ...settings, [setting]: String(port) },
      });
      expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
      expect(service.logged()).toContain(
        `Port ${port} is taken by another program. Stop it, or set ${setting} to a free port.`,
      );
      expect(service.service.sockets.edgeHttp).toBeUndefined();
      await new Promise((resolve) => other.close(resolve));
      await eventually(() => service.service.sockets.edgeHttp !== undefined);
      expect(service.logged()).toContain('"event":"edge.started"');
      await service.stop();
    });
  }

  test("with several processes, too, serves the API without a port that another program has, and with it later", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const database = await engine.newDatabase();
    const running = await startProcess({
      ...database.variables,
      ...settings,
      PETSTORE_PROCESSES: "2",
      PETSTORE_EDGE_HOST: "127.0.0.1",
      PETSTORE_EDGE_HTTP_PORT: String(port),
    });
    const count = (event: string) => running.stderr().split(`"event":"${event}"`).length - 1;
    expect((await fetch(new URL("/readyz", running.base))).status).toBe(200);
    // Once, by the process that opens all of them.
    expect(count("edge.listen_failed")).toBe(1);
    expect(running.stderr()).toContain(
      `Port ${port} is taken by another program. Stop it, or set PETSTORE_EDGE_HTTP_PORT to`,
    );
    expect(count("edge.started")).toBe(0);
    await new Promise((resolve) => other.close(resolve));
    await eventually(() => count("edge.started") === 2);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    expect((await fetch(new URL("/readyz", running.base))).status).toBe(200);
    expect(await running.end("SIGTERM")).toBe(0);
    await database.remove();
  });

  test("names the file with the root when it cannot be read, and ends", async () => {
    const { code, stderr } = await startWith(engine, { PETSTORE_ACME_TRUST: "/nowhere/root.pem" });
    expect(code).toBe(1);
    expect(stderr).toContain("PETSTORE_ACME_TRUST names /nowhere/root.pem");
  });
});
