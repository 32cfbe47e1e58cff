import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { mintToken } from "../../src/petstore/keys/token.ts";
import { fakeClock } from "../../testkit/fakeClock.ts";
import { Client } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { rawExchange } from "../end-to-end/rawHttp.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("authentication", (engine) => {
  let running: TestService;
  let anonymous: Client;
  beforeAll(async () => {
    running = await startTestService({ engine });
    anonymous = new Client(running.base);
    await running.client.post("/pets", { name: "Bella", categoryId: 3 });
  });
  afterAll(() => running.stop());

  const withHeader = (authorization: string, path = "/pets") =>
    anonymous.get(path, { headers: { authorization } });

  test("without a key: 401 key_missing, and the challenge names no error", async () => {
    const seen = await anonymous.get("/pets");
    expect(seen.body).toMatchObject({ code: "key_missing", status: 401 });
    expect(seen.headers.get("www-authenticate")).toBe('Bearer realm="petstore"');
  });

  test("an unknown key of good form: 401 key_invalid, and the challenge says invalid_token", async () => {
    const seen = await withHeader(`Bearer ${mintToken("production", systemClock)}`);
    expect(seen.body).toMatchObject({ code: "key_invalid" });
    expect(seen.headers.get("www-authenticate")).toBe(
      'Bearer realm="petstore", error="invalid_token"',
    );
  });

  test("the scheme is case-insensitive and may be followed by several spaces", async () => {
    for (const scheme of ["bearer", "BEARER", "BeArEr", "Bearer  "]) {
      expect((await withHeader(`${scheme} ${running.token}`)).status).toBe(200);
    }
  });

  test("every malformed Authorization gets 401 key_invalid and is not repeated", async () => {
    const { token } = running;
    const typo = token.slice(0, 12) + (token[12] === "x" ? "y" : "x") + token.slice(13);
    const malformed = [
      "Bearer",
      "Bearer ",
      token,
      `Basic ${btoa(`user:${token}`)}`,
      `Token ${token}`,
      `Bearer ${token} extra`,
      `Bearer ${token},${token}`,
      `Bearer "${token}"`,
      `Bearer${token}`,
      `Bearer\t${token}`,
      `Bearer ${token}=`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}x`,
      `Bearer ${token.toLowerCase()}`,
      `Bearer ${typo}`,
      "Bearer pet_live_",
      "Bearer ' OR 1=1 --",
      "Bearer é",
      `Bearer ${"a".repeat(8000)}`,
      "Bearer null",
      `Bearer Bearer ${token}`,
      "\u00a0",
    ];
    for (const authorization of malformed) {
      const seen = await withHeader(authorization);
      expect([authorization, seen.status]).toEqual([authorization, 401]);
      expect((seen.body as { code: string }).code).toBe("key_invalid");
      expect(seen.text).not.toContain(token);
    }
  });

  test("two Authorization headers are one malformed credential", async () => {
    const line = `Authorization: Bearer ${running.token}\r\n`;
    const answer = await rawExchange(
      running.service.port,
      `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${line}${line}\r\n`,
    );
    expect(answer).toStartWith("HTTP/1.1 401");
  });

  test("an empty Authorization is a missing key", async () => {
    expect((await withHeader("")).body).toMatchObject({ code: "key_missing" });
  });

  test("comes before everything else: unknown paths, wrong methods, bad input", async () => {
    expect((await anonymous.get("/nothing/here")).status).toBe(401);
    expect((await anonymous.get("")).status).toBe(401);
    expect((await anonymous.send("DELETE", "/pets")).status).toBe(401);
    expect((await anonymous.get("/pets?limit=0")).status).toBe(401);
    expect((await anonymous.post("/pets", "{")).status).toBe(401);
    expect((await anonymous.get("/pets/1")).status).toBe(401);
  });

  test("the contract needs no key", async () => {
    expect((await fetch(`${running.base}/openapi.json`)).status).toBe(200);
  });

  test("a staging key on production is 401 and says so, and the other way round", async () => {
    const seen = await withHeader(`Bearer ${mintToken("staging", systemClock)}`);
    expect(seen.body).toEqual({
      code: "key_wrong_environment",
      message: "This is a staging key, and this is production.",
      status: 401,
    });
    const staging = await startTestService({ engine, variables: { PETSTORE_ENV: "staging" } });
    try {
      expect(staging.token).toStartWith("pet_test_");
      const crossed = await new Client(staging.base, running.token).get("/pets");
      expect(crossed.body).toMatchObject({ code: "key_wrong_environment" });
    } finally {
      await staging.stop();
    }
  });

  test("a key without the scope gets 403 and is told which one, before its input is read", async () => {
    const { token } = await running.newKey({ scopes: ["pets:read"] });
    const reader = new Client(running.base, token);
    expect((await reader.get("/pets")).status).toBe(200);
    const seen = await reader.post("/pets", "{");
    expect(seen.body).toEqual({
      code: "insufficient_scope",
      message: "This API key lacks the scope pets:write.",
      status: 403,
    });
    expect(seen.headers.get("www-authenticate")).toBe(
      'Bearer realm="petstore", error="insufficient_scope", scope="pets:write"',
    );
    const writer = new Client(
      running.base,
      (await running.newKey({ scopes: ["pets:write"] })).token,
    );
    expect((await writer.get("/pets")).status).toBe(403);
    expect((await writer.get("/pets/1")).status).toBe(403);
    expect((await writer.post("/pets", { name: "W", categoryId: 1 })).status).toBe(201);
  });

  test("a key revoked by another process stops working with the next request", async () => {
    const { key, token } = await running.newKey();
    const client = new Client(running.base, token);
    expect((await client.get("/pets")).status).toBe(200);
    const other = await running.database.open();
    await other.keys.revoke(key.id, Date.now());
    expect((await client.get("/pets")).body).toMatchObject({ code: "key_revoked", status: 401 });
    await other.close();
  });

  test("a key works until the instant it expires", async () => {
    const clock = fakeClock(Date.UTC(2027, 0, 1));
    const timed = await startTestService({ engine, clock });
    try {
      const { token } = await timed.newKey({ expiresAtMs: clock.now() + 1000 });
      const client = new Client(timed.base, token);
      clock.advance(999);
      expect((await client.get("/pets")).status).toBe(200);
      clock.advance(1);
      expect((await client.get("/pets")).body).toMatchObject({ code: "key_expired" });
    } finally {
      await timed.stop();
    }
  });

  test("who called what is written down when the service stops", async () => {
    const stopped = await startTestService({ engine });
    const { key, token } = await stopped.newKey({ name: "counted" });
    const client = new Client(stopped.base, token);
    for (const path of ["/pets/1", "/pets", "/pets/1", "/nothing"]) await client.get(path);
    await stopped.service.stop();
    const reopened = await stopped.database.open();
    const uses = (await reopened.keys.listUses()).filter(({ keyId }) => keyId === key.id);
    expect(uses.map(({ operation, count }) => [operation, count])).toEqual([
      ["getPet", 2],
      ["listPets", 1],
    ]);
    await reopened.close();
    await stopped.database.remove();
  });

  test("a call without the scope counts as a call: it is somebody's, and will fail", async () => {
    const stopped = await startTestService({ engine });
    const { key, token } = await stopped.newKey({ scopes: ["pets:write"] });
    expect((await new Client(stopped.base, token).get("/pets/1")).status).toBe(403);
    await stopped.service.stop();
    const reopened = await stopped.database.open();
    expect((await reopened.keys.listUses()).filter(({ keyId }) => keyId === key.id).length).toBe(1);
    await reopened.close();
    await stopped.database.remove();
  });

  test("no key is in the log or in the database, whatever was sent", async () => {
    const { token } = running;
    await anonymous.get(`/pets?api_key=${token}`);
    await anonymous.get(`/${token}`);
    await running.client.get(`/${token}?${token}`);
    await running.client.get("/pets", { headers: { "x-request-id": token } });
    await running.client.post("/pets", { name: "N", categoryId: 1 });
    expect(running.logged().length).toBeGreaterThan(1000);
    const secretPart = token.slice(9, 30);
    expect(running.logged()).not.toContain(secretPart);
    const stored = await running.database.storedText();
    expect(stored).toContain("Bella");
    expect(stored).not.toContain(secretPart);
  });
});
