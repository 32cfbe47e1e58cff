/** What a command says of a service that is busy, elsewhere, not to be trusted or none at all. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { systemClock } from "../../../src/core/clock.ts";
import { Vault } from "../../../src/core/vault.ts";
import { certificateSeal } from "../../../src/hosting/domains/domains.ts";
import { createAuthority } from "../../edge/certificates.ts";
import { listening } from "./proxies.ts";
import { RemoteFixture } from "./remoteFixture.ts";

describe("a command on a service", () => {
  let fixture: RemoteFixture;
  beforeEach(async () => {
    fixture = await RemoteFixture.open();
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  /** Lists the projects where something else answers. */
  async function listOn(answer: RequestListener) {
    await using stub = await listening(createServer(answer));
    fixture.origin = stub.origin;
    return { ...(await fixture.remote("sites list")), origin: stub.origin };
  }

  const error = (code: string, message = "Said by the service.") =>
    JSON.stringify({ code, message, status: 503 });

  test.each([
    [429, "uploads_exhausted"],
    [503, "store_unavailable"],
  ])("waits as long as it asks for with %d, and tries again", async (status, code) => {
    let count = 0;
    const { code: exitCode, out } = await listOn((_, response) => {
      if (count++ < 2) response.writeHead(status, { "retry-after": "7" }).end(error(code));
      else response.end("[]");
    });
    expect([exitCode, count]).toEqual([0, 3]);
    expect(out).toStartWith("There are no projects yet.");
    expect(fixture.clock.pausesMs).toEqual([7_000, 7_000]);
  });

  test("waits longer each time, a little more than the time before, and not for ever", async () => {
    let count = 0;
    const { code, err } = await listOn((_, response) => {
      count++;
      response.writeHead(503).end(error("overloaded"));
    });
    expect([code, err, count]).toEqual([1, "petstore: Said by the service.\n", 6]);
    const usual = [500, 1_000, 2_000, 4_000, 8_000];
    expect(fixture.clock.pausesMs).toHaveLength(usual.length);
    for (const [index, ms] of fixture.clock.pausesMs.entries()) {
      expect(ms).toBeWithin(usual[index] ?? 0, (usual[index] ?? 0) * 1.5);
    }
  });

  test("does not wait for longer than a minute", async () => {
    const { code, err } = await listOn((_, response) => {
      response.writeHead(503, { "retry-after": "3600" }).end(error("overloaded"));
    });
    expect([code, err]).toEqual([1, "petstore: Said by the service.\n"]);
    expect(fixture.clock.pausesMs).toEqual([]);
  });

  test("never follows a redirect, since the token is not for others", async () => {
    const visits: unknown[] = [];
    await using other = await listening(
      createServer(({ headers }, response) => {
        visits.push(headers);
        response.end("[]");
      }),
    );
    const { code, err, origin } = await listOn((_, response) => {
      response.writeHead(307, { location: `${other.origin}/internal/v1/projects` }).end();
    });
    expect([code, err]).toEqual([
      1,
      `petstore: ${origin} redirects to ${other.origin}. The token was not sent there. If that is the service, name it with --to.\n`,
    ]);
    expect(visits).toEqual([]);
  });

  test("says where the token is not accepted, and how to get another", async () => {
    const [token] = await fixture.service.stores.access.list();
    await fixture.service.stores.access.revoke(token?.id ?? "", systemClock.now());
    const { code, err } = await fixture.remote("sites list --json");
    expect(code).toBe(1);
    expect(JSON.parse(err)).toMatchObject({
      code: "unauthorized",
      error: expect.stringContaining(`${fixture.origin} does not accept this token.`),
    });
  });

  test("repeats no token that is mistyped, or is an API key", async () => {
    for (const as of [fixture.tokens.shop.slice(0, -1), fixture.service.token, "secret"]) {
      const { code, err } = await fixture.remote("sites list", { as });
      expect([code, err]).toEqual([
        2,
        expect.stringContaining("PETSTORE_TOKEN is not an access token"),
      ]);
      expect(err).not.toContain(as);
    }
  });

  test.each([
    [200, "<!doctype html><title>Hello</title>"],
    [404, "not found"],
    [404, error("path_not_found")],
    [502, "bad gateway"],
  ])("says that what answers with %d is no service", async (status, text) => {
    const { code, err, origin } = await listOn((_, response) => {
      response.writeHead(status).end(text);
    });
    expect(code).toBe(1);
    expect(err).toStartWith(
      `petstore: ${origin} answers with status ${status}, and not as a Pet Store`,
    );
  });

  test("sends nothing where the certificate cannot be trusted", async () => {
    const vault = new Vault("a secret that only tests ever use, of good length", systemClock);
    const { chainPem, sealedKey } = createAuthority().issue("localhost", "cert_a", vault);
    const key = vault.open(sealedKey, certificateSeal("localhost", "cert_a"));
    let visits = 0;
    const server = createTlsServer({ key, cert: chainPem }, (_, response) => {
      visits++;
      response.end("[]");
    });
    await using stub = await listening(server as never);
    fixture.origin = stub.origin.replace("http://127.0.0.1", "https://localhost");
    const { code, err } = await fixture.remote("sites list");
    expect([code, visits]).toEqual([1, 0]);
    expect(err).toStartWith(`petstore: ${fixture.origin} has no certificate that can be trusted`);
    expect(err).toContain("NODE_EXTRA_CA_CERTS");
  });

  test.each([
    ["http://127.0.0.1:1", "nothing listens there"],
    ["https://no-such-name.invalid", "there is no such name"],
  ])("%s cannot be reached, which is said at once", async (origin, why) => {
    fixture.origin = origin;
    const { code, err } = await fixture.remote("sites list");
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`${origin} cannot be reached: ${why}.`),
    ]);
    expect(fixture.clock.pausesMs).toEqual([]);
  });

  test("gives up on one that says nothing", async () => {
    // As if the time were over at once.
    const after = (_delayMs: number, action: () => void) => {
      const immediate = setImmediate(action);
      return () => clearImmediate(immediate);
    };
    fixture.clock = { ...fixture.clock, after };
    const { code, err } = await listOn(() => {});
    expect([code, err]).toEqual([1, expect.stringContaining("there was no answer in time.")]);
  });

  test("does not send again what may have been done, where the response was lost", async () => {
    let count = 0;
    const answer: RequestListener = ({ method, url = "" }, response) => {
      if (method === "GET") return response.end(url.includes("/domains") ? '{"items":[]}' : "{}");
      count++;
      return response.socket?.destroy();
    };
    await using stub = await listening(createServer(answer));
    fixture.origin = stub.origin;
    const { code, err } = await fixture.remote("sites unpublish shop");
    expect([code, count]).toEqual([1, 1]);
    expect(err).toContain("cannot be reached: the connection was closed.");
  });
});
