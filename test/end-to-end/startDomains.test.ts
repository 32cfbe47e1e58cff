import { expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { petstore } from "../../testkit/serviceProcess.ts";
import { describeOnEngines, type Engine } from "./engines.ts";

async function startWith(engine: Engine, variables: Record<string, string>) {
  const database = await engine.newDatabase();
  try {
    return await petstore(["serve"], {
      PORT: "0",
      PETSTORE_METRICS_PORT: "0",
      ...database.variables,
      PETSTORE_LOG: "off",
      PETSTORE_SITES_HOST: "sites.example.com",
      PETSTORE_ACME_TERMS: "agreed",
      PETSTORE_EDGE_HTTP_PORT: "0",
      PETSTORE_EDGE_HTTPS_PORT: "0",
      ...variables,
    });
  } finally {
    await database.remove();
  }
}

describeOnEngines("a start with custom domains", (engine) => {
  for (const setting of ["PETSTORE_EDGE_HTTP_PORT", "PETSTORE_EDGE_HTTPS_PORT"]) {
    test(`names ${setting} when another program has its port, and ends`, async () => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const { port } = other.address() as AddressInfo;
      const { code, stderr } = await startWith(engine, { [setting]: String(port) });
      other.close();
      expect(code).toBe(1);
      expect(stderr).toContain(`Port ${port} is taken by another program.`);
      expect(stderr).toContain(`set ${setting} to a free port`);
    });
  }

  test("names the file with the root when it cannot be read, and ends", async () => {
    const { code, stderr } = await startWith(engine, { PETSTORE_ACME_TRUST: "/nowhere/root.pem" });
    expect(code).toBe(1);
    expect(stderr).toContain("PETSTORE_ACME_TRUST names /nowhere/root.pem");
  });
});
