/** The CA issues for real, through a proxy that sees all and fails when it is told to. */

import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../../testkit/eventually.ts";
import {
  type AcmeAccount,
  type AcmeAnswer,
  type AcmeObject,
  openAccount,
} from "../../../../testkit/testBed/acmeAccount.ts";
import { run } from "../../../../testkit/testBed/processes.ts";
import { startTestBed, type TestBed } from "../../../../testkit/testBed/testBed.ts";
import { describeWithTestBed } from "../../../../testkit/testBed/tools.ts";

let testBed: TestBed;
let account: AcmeAccount;

describeWithTestBed("the certificate authority", () => {
  beforeAll(async () => {
    testBed = await startTestBed({ certificateValiditySeconds: 3600 });
    account = await openAccount(testBed);
  });
  afterEach(() => testBed.ca.faults.clear());
  afterAll(() => testBed?.stop());

  const get = (url: string) =>
    fetch(url, { tls: { ca: readFileSync(testBed.acmeTrustFile, "utf8") } });

  test("names in its directory only what goes through the proxy", async () => {
    const { meta, ...urls } = (await (await get(testBed.acmeDirectory)).json()) as Record<
      string,
      string
    >;
    expect(Object.keys(urls)).toContain("newOrder");
    for (const url of Object.values(urls))
      expect(new URL(url).origin).toBe(new URL(testBed.acmeDirectory).origin);
    expect(meta).toBeDefined();
  });

  test("gives a nonce, another one each time", async () => {
    const before = testBed.ca.count("newNonce");
    const nonces = await Promise.all(
      [1, 2].map(async () =>
        (await get(account.directory["newNonce"] ?? "")).headers.get("replay-nonce"),
      ),
    );
    expect(nonces[0]).toMatch(/^[\w-]{16,}$/);
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(testBed.ca.count("newNonce")).toBe(before + 2);
  });

  test("issues for a name that leads here, by its CNAME and over HTTP", async () => {
    await testBed.zone("shop.test", { records: `www CNAME ${testBed.target}.` });
    const order = await account.order("www.shop.test");
    expect(order.status).toBe(201);
    const { challenge } = await challengeOf(order);
    const expected = await account.keyAuthorization(challenge.token);
    const edge = Bun.serve({
      hostname: "127.0.0.1",
      port: testBed.httpPort,
      fetch: () => new Response(expected),
    });
    try {
      await account.post(challenge.url, {});
      await untilStatus(order.headers.get("location"), "ready");
    } finally {
      await edge.stop(true);
    }
    await account.post(order.body.finalize, { csr: await requestFor("www.shop.test") });
    const { certificate: url } = await untilStatus(order.headers.get("location"), "valid");
    const certificate = new X509Certificate((await account.post(url)).text);
    expect(certificate.checkHost("www.shop.test")).toBe("www.shop.test");
    expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBeCloseTo(
      3600_000,
      -4,
    );
    expect(new X509Certificate(await testBed.caRoots()).ca).toBe(true);
    expect(testBed.ca.hostsOrdered()).toContain("www.shop.test");
    expect([testBed.ca.count("challenge"), testBed.ca.count("finalize")]).toEqual([1, 1]);
  });

  test("does not issue for a name that its resolver does not find", async () => {
    const order = await account.order("nobody.test");
    const { challenge, authorization } = await challengeOf(order);
    await account.post(challenge.url, {});
    const { challenges = [] } = await untilStatus(authorization, "invalid");
    const refused = challenges.find(({ url }) => url === challenge.url);
    expect(refused?.error?.type).toMatch(/^urn:ietf:params:acme:error:/);
  });

  test("takes an order that replaces a certificate, and the proxy notes which", async () => {
    const { status } = await account.order("again.test", {
      replaces: "an-authority.a-serial",
    });
    expect(status).toBe(201);
    expect(testBed.ca.replaced()).toEqual(["an-authority.a-serial"]);
  });

  test("limits the rate of the next orders, and no more", async () => {
    testBed.ca.faults.rateLimit({ times: 2, retryAfter: 120 });
    for (let refused = 0; refused < 2; refused++) {
      const { status, body, headers } = await account.order("busy.test");
      expect([status, body.type]).toEqual([429, "urn:ietf:params:acme:error:rateLimited"]);
      expect(headers.get("retry-after")).toBe("120");
      expect(headers.get("replay-nonce")).toMatch(/^[\w-]{16,}$/);
    }
    expect((await account.order("busy.test")).status).toBe(201);
  });

  test("limits one name and serves the others", async () => {
    testBed.ca.faults.rateLimit({ host: "limited.test" });
    expect((await account.order("limited.test")).status).toBe(429);
    expect((await account.order("other.test")).status).toBe(201);
    expect((await account.order("limited.test")).status).toBe(429);
  });

  test("refuses for any reason that a test gives", async () => {
    const because = { type: "caa", status: 403, detail: "CAA forbids it" };
    testBed.ca.faults.refuse({ kind: "newOrder", times: 1, ...because });
    const { status, body } = await account.order("caa.test");
    expect(status).toBe(403);
    expect(body).toMatchObject({
      type: "urn:ietf:params:acme:error:caa",
      detail: "CAA forbids it",
    });
  });

  test("is out of service until it is back", async () => {
    testBed.ca.faults.outage(true);
    expect((await get(testBed.acmeDirectory)).status).toBe(503);
    testBed.ca.faults.outage(false);
    expect((await get(testBed.acmeDirectory)).status).toBe(200);
  });

  test("finds a nonce bad as often as it is told", async () => {
    testBed.ca.faults.rejectNonces(1);
    const { status, body } = await account.order("nonce.test");
    expect([status, body.type]).toEqual([400, "urn:ietf:params:acme:error:badNonce"]);
    expect((await account.order("nonce.test")).status).toBe(201);
  });

  test("keeps an answer back until it is released", async () => {
    const hold = testBed.ca.faults.hold("newOrder");
    let answered = false;
    const ordering = account.order("slow.test").then(({ status }) => {
      answered = true;
      return status;
    });
    await hold.arrived();
    expect((await get(testBed.acmeDirectory)).status).toBe(200);
    expect(answered).toBe(false);
    hold.release();
    expect(await ordering).toBe(201);
  });

  test("offers renewal windows once a test has set one", async () => {
    const directory = async () =>
      (await (await get(testBed.acmeDirectory)).json()) as Record<string, string>;
    expect(await directory()).not.toHaveProperty("renewalInfo");
    const [start, end] = [new Date("2027-01-01T00:00:00Z"), new Date("2027-01-02T00:00:00Z")];
    testBed.ca.setRenewalWindow({ start, end, retryAfterSeconds: 600 }, "one.AA");
    const { renewalInfo } = await directory();
    const told = await get(`${renewalInfo}/one.AA`);
    expect(await told.json()).toEqual({
      suggestedWindow: { start: "2027-01-01T00:00:00.000Z", end: "2027-01-02T00:00:00.000Z" },
    });
    expect(told.headers.get("retry-after")).toBe("600");
    expect((await get(`${renewalInfo}/two.AA`)).status).toBe(404);
    testBed.ca.setRenewalWindow({ start, end });
    expect((await get(`${renewalInfo}/two.AA`)).status).toBe(200);
    testBed.ca.setRenewalWindow(undefined);
    testBed.ca.setRenewalWindow(undefined, "one.AA");
    expect(await directory()).not.toHaveProperty("renewalInfo");
  });
});

async function challengeOf(order: AcmeAnswer) {
  const [authorization = ""] = order.body.authorizations ?? [];
  const { challenges = [] } = (await account.post(authorization)).body;
  const challenge = challenges.find(({ type }) => type === "http-01");
  if (challenge === undefined) throw new Error("The CA offers no HTTP-01.");
  return { authorization, challenge };
}

async function untilStatus(url: string | null, wanted: string): Promise<AcmeObject> {
  let object: AcmeObject = {};
  await eventually(async () => {
    object = (await account.post(url)).body;
    return object.status === wanted;
  });
  return object;
}

async function requestFor(host: string): Promise<string> {
  const folder = join(testBed.acmeTrustFile, "..");
  const file = join(folder, "request.der");
  await run("openssl", [
    ...["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-subj", "/", "-addext", `subjectAltName=DNS:${host}`, "-outform", "DER"],
    ...["-keyout", join(folder, "request.key"), "-out", file],
  ]);
  return readFileSync(file).toString("base64url");
}
