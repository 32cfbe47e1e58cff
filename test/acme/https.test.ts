/** An authority over TLS, as it is everywhere but in tests. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { AcmeFixture, identitiesOf } from "./acmeFixture.ts";
import { missingOf, selfSign } from "./pebble.ts";

describeUnless(missingOf(["openssl"]), "an authority over https", () => {
  const fixture = new AcmeFixture();
  let folder: string;
  let trustPem: string;
  let server: Server;
  let directory: string;
  let entries: Record<string, unknown>;

  beforeAll(async () => {
    await fixture.start();
    folder = mkdtempSync(join(tmpdir(), "petstore-acme-"));
    trustPem = selfSign(folder);
    const key = readFileSync(join(folder, "key.pem"));
    server = createServer({ key, cert: trustPem }, (_, response) => {
      response.end(JSON.stringify(entries));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    directory = `https://127.0.0.1:${(server.address() as AddressInfo).port}/directory`;
  });
  afterAll(() => {
    server.close();
    fixture.ca.stop();
    rmSync(folder, { recursive: true });
  });

  const at = (origin: string) => ({
    newNonce: `${origin}/newNonce`,
    newAccount: `${origin}/newAccount`,
    newOrder: `${origin}/newOrder`,
    meta: { caaIdentities: ["ca.example"] },
  });

  test("is trusted by the root that was given", async () => {
    entries = at("https://127.0.0.1:9");
    expect(await identitiesOf(fixture.client({ directory, trustPem }))).toEqual(["ca.example"]);
    expect(await identitiesOf(fixture.client({ directory }))).toBeUndefined();
    const other = mkdtempSync(join(folder, "other-"));
    const otherPem = selfSign(other);
    expect(await identitiesOf(fixture.client({ directory, trustPem: otherPem }))).toBeUndefined();
  });

  test("cannot send us on to plain http", async () => {
    entries = at(fixture.ca.origin);
    const refusal = await fixture.refusal({}, { directory, trustPem });
    expect(refusal.reason).toBe("unavailable");
    expect(refusal.detail).toContain("directory");
    expect(fixture.ca.seen).toEqual([]);
  });
});
