/** The certificate authority of the rehearsal, as clients see it. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { connect, createServer } from "node:tls";
import { type RunningAuthority, startAuthority } from "../../../scripts/rehearsal/authority.ts";
import { type NameServer, startNameServer } from "../../../scripts/rehearsal/nameServer.ts";
import { Zone, Zones } from "../../../scripts/rehearsal/zones.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { Vault } from "../../../src/core/vault.ts";
import { AccountKey, newPrivateKeyPem } from "../../../src/hosting/acme/account.ts";
import { AcmeAuthority } from "../../../src/hosting/acme/authority.ts";
import { certificateRequest } from "../../../src/hosting/acme/certificates.ts";
import { createResolver } from "../../../src/hosting/dns/resolver.ts";
import { identitiesOf, issuedIn, KeptAccounts, refusalIn } from "../../acme/acmeFixture.ts";

const caaIdentity = "ca.platform.test";
const published = new Map<string, string>();
const edge = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    const key = `${request.headers.get("host")}${pathname}`;
    return new Response(published.get(key) ?? "no", { status: published.has(key) ? 200 : 404 });
  },
});
const zone = new Zone("acme.test", "127.0.0.1");
let server: NameServer;
let resolver: ReturnType<typeof createResolver>;
let authority: RunningAuthority;
let client: AcmeAuthority;

beforeAll(async () => {
  server = await startNameServer(new Zones([new Zone(".", "127.0.0.1"), zone]));
  resolver = createResolver({
    clock: systemClock,
    recursors: [server],
    authorityPort: server.port,
    allowPrivateAddresses: true,
  });
  authority = await startAuthority({ resolver, httpPort: edge.port ?? 0, caaIdentity });
  client = new AcmeAuthority({
    clock: systemClock,
    accounts: new KeptAccounts(),
    vault: new Vault("a secret of this test", systemClock),
    directory: authority.directory,
    contact: undefined,
    trustPem: authority.rootPem,
    termsAgreed: true,
    pollMs: 5,
  });
});
afterEach(() => {
  for (const { id } of zone.records) zone.delete(id);
  published.clear();
});
afterAll(async () => {
  resolver?.close();
  await Promise.all([authority?.stop(), server?.stop(), edge.stop(true)]);
});

const signal = new AbortController().signal;
type Publish = Parameters<AcmeAuthority["order"]>[0]["publish"];
const orderBy = (host: string, publish: Publish) =>
  client.order({ host, replaces: undefined, signal, placed: async () => {}, publish });

const order = (host: string, isRight = true) =>
  orderBy(host, async ({ token, keyAuthorization }) => {
    const path = `${host}/.well-known/acme-challenge/${token}`;
    published.set(path, isRight ? keyAuthorization : "something else");
  });

test("a name that points here gets a certificate that TLS clients accept", async () => {
  expect(await identitiesOf(client)).toEqual([caaIdentity]);
  zone.add({ name: "docs", type: "A", value: "127.0.0.1" });
  const { chainPem, privateKeyPem } = issuedIn(await order("docs.acme.test"));
  const leaf = new X509Certificate(chainPem);
  const root = new X509Certificate(authority.rootPem);
  expect(leaf.subjectAltName).toBe("DNS:docs.acme.test");
  expect(leaf.checkIssued(root) && leaf.verify(root.publicKey) && root.ca && !leaf.ca).toBe(true);
  const tls = createServer({ cert: chainPem, key: privateKeyPem }, (socket) => socket.end("here"));
  const port = await new Promise<number>((resolve) =>
    tls.listen(0, "127.0.0.1", () => resolve((tls.address() as { port: number }).port)),
  );
  const said = await new Promise<string>((resolve, reject) => {
    const at = { host: "127.0.0.1", port, servername: "docs.acme.test", ca: authority.rootPem };
    connect(at)
      .on("data", (chunk) => resolve(String(chunk)))
      .on("error", reject);
  });
  expect(said).toBe("here");
  tls.close();
});

test("what a public authority would refuse is refused, with the reason", async () => {
  const refused = async (host: string, isRight = true) => {
    const { reason, detail } = refusalIn(await order(host, isRight));
    return { reason, detail };
  };
  const failed = "authorization_failed" as const;
  expect(await refused("docs.acme.test")).toEqual({
    reason: failed,
    detail: expect.stringContaining("has no address"),
  });
  zone.add({ name: "docs", type: "A", value: "192.0.2.7" });
  expect(await refused("docs.acme.test")).toEqual({
    reason: failed,
    detail: expect.stringMatching(/192\.0\.2\.7.*this machine alone/),
  });
  zone.add({ name: "www", type: "A", value: "127.0.0.1" });
  expect(await refused("www.acme.test", false)).toEqual({
    reason: failed,
    detail: expect.stringContaining("not with the challenge"),
  });
  zone.add({ name: "@", type: "CAA", value: '0 issue "other.example"' });
  expect((await refused("www.acme.test")).reason).toBe("caa");
  zone.add({ name: "@", type: "CAA", value: `0 issue "${caaIdentity}"` });
  issuedIn(await order("www.acme.test"));
});

test("a wildcard is proven in DNS", async () => {
  const orderWith = (made: (right: string) => string) =>
    orderBy("*.acme.test", async ({ keyAuthorization }) => {
      const right = new Bun.CryptoHasher("sha256").update(keyAuthorization).digest("base64url");
      zone.add({ name: "_acme-challenge", type: "TXT", value: made(right) });
    });
  const refused = refusalIn(await orderWith((right) => right.toLowerCase()));
  expect(refused.detail).toContain("_acme-challenge.acme.test");
  const { chainPem } = issuedIn(await orderWith((right) => right));
  expect(new X509Certificate(chainPem).subjectAltName).toBe("DNS:*.acme.test");
});

/** A client that may do what ours never does. */
class Scratch {
  readonly key = new AccountKey(newPrivateKeyPem());
  account: string | undefined;
  nonce = "";

  async post(path: string, payload: unknown, nonce = this.nonce) {
    const url = URL.canParse(path) ? path : new URL(path, authority.directory).href;
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/jose+json" },
      body: this.key.signed(url, nonce, this.account, payload),
      tls: { ca: authority.rootPem },
    });
    this.nonce = response.headers.get("replay-nonce") ?? "";
    const text = await response.text();
    const body = text.startsWith("{") ? JSON.parse(text) : text;
    const { headers, status } = response;
    return { status, location: headers.get("location") ?? "", link: headers.get("link"), body };
  }

  async open(): Promise<this> {
    const url = new URL("/new-nonce", authority.directory);
    const response = await fetch(url, { method: "HEAD", tls: { ca: authority.rootPem } });
    this.nonce = response.headers.get("replay-nonce") ?? "";
    this.account = (await this.post("/new-account", {})).location;
    return this;
  }
}

const error = (type: string) => ({ body: { type: `urn:ietf:params:acme:error:${type}` } });

test("a request is accepted once, from the account whose order it is, when it is due", async () => {
  const one = await new Scratch().open();
  const other = await new Scratch().open();
  const identifiers = [{ type: "dns", value: "docs.acme.test" }];
  const { nonce } = one;
  const placed = await one.post("/new-order", { identifiers });
  expect(placed).toMatchObject({ status: 201, body: { status: "pending", identifiers } });
  expect(await one.post("/new-order", { identifiers }, nonce)).toMatchObject(error("badNonce"));
  expect(await one.post(placed.location, undefined)).toMatchObject({ status: 200 });
  expect(await other.post(placed.location, undefined)).toMatchObject({ status: 404 });
  const csr = certificateRequest("docs.acme.test", newPrivateKeyPem()).toString("base64url");
  expect(await one.post(placed.body.finalize, { csr })).toMatchObject(error("orderNotReady"));
  other.account = `${authority.directory}/nobody`;
  const unknown = await other.post("/new-order", { identifiers });
  expect(unknown).toMatchObject(error("accountDoesNotExist"));
  for (const bad of [
    [],
    [{ type: "ip", value: "127.0.0.1" }],
    [{ type: "dns", value: "a b.test" }],
  ])
    expect(await one.post("/new-order", { identifiers: bad })).toMatchObject(
      error("rejectedIdentifier"),
    );
});

test("a certificate is for the names of the order alone", async () => {
  zone.add({ name: "docs", type: "A", value: "127.0.0.1" });
  const scratch = await new Scratch().open();
  const identifiers = [{ type: "dns", value: "docs.acme.test" }];
  const { body: placed, location } = await scratch.post("/new-order", { identifiers });
  const { body: authorization } = await scratch.post(placed.authorizations[0], undefined);
  const { token, url } = authorization.challenges[0];
  const path = `docs.acme.test/.well-known/acme-challenge/${token}`;
  published.set(path, scratch.key.keyAuthorization(token));
  const { link } = await scratch.post(url, {});
  expect(link).toContain(`<${placed.authorizations[0]}>;rel="up"`);
  let status = "pending";
  while (status === "pending") ({ status } = (await scratch.post(location, undefined)).body);
  expect(status).toBe("ready");
  const csr = (host: string) => certificateRequest(host, newPrivateKeyPem()).toString("base64url");
  for (const wrong of [csr("www.acme.test"), "AAAA"]) {
    expect(await scratch.post(placed.finalize, { csr: wrong })).toMatchObject(error("badCSR"));
  }
  const done = await scratch.post(placed.finalize, { csr: csr("docs.acme.test") });
  expect(done.body.status).toBe("valid");
  const { body: chain } = await scratch.post(done.body.certificate, undefined);
  expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
});
