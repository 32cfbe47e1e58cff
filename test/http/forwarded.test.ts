/** What follows from the word of a proxy: links, cookies, limits and log lines. */
import { afterEach, describe, expect, test } from "bun:test";
import { eventually } from "../../testkit/eventually.ts";
import { openSessionFixture, phrase, shop } from "../accounts/sessionFixture.ts";
import { startTestEdge } from "../edge/testEdge.ts";
import { rawExchange } from "../end-to-end/rawHttp.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

let running: TestService | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

/** A service that knows two pets, so that a page of one has another after it. */
async function startWith(variables: Record<string, string>): Promise<TestService> {
  running = await startTestService({ variables });
  for (const name of ["Bella", "Rex"]) await running.client.post("/pets", { name, categoryId: 1 });
  return running;
}

async function nextPage({ service, token }: TestService, headers: string): Promise<string> {
  const request = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: inside:8080\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n`;
  const answer = await rawExchange(service.port, request);
  return /^Link: <(.*)\/v1\/pets\?/m.exec(answer)?.[1] ?? answer;
}

const byProxy = "X-Forwarded-Proto: https\r\nX-Forwarded-Host: api.example.com\r\n";

describe("links", () => {
  test("lead to where a trusted proxy was asked, also when the answer is a cached one", async () => {
    const service = await startWith({});
    for (let times = 0; times < 4; times++) {
      expect(await nextPage(service, byProxy)).toBe("https://api.example.com");
      expect(await nextPage(service, "")).toBe("http://inside:8080");
      expect(await nextPage(service, "Forwarded: proto=https;host=b.example\r\n")).toBe(
        "https://b.example",
      );
    }
  });

  test("do not where the proxy is not trusted", async () => {
    const service = await startWith({ PETSTORE_TRUSTED_PROXIES: "192.0.2.0/24" });
    for (let times = 0; times < 4; times++) {
      expect(await nextPage(service, byProxy)).toBe("http://inside:8080");
    }
  });

  test("lead to the base address where one is set, whatever a proxy says", async () => {
    const service = await startWith({ PETSTORE_BASE_URL: "https://set.example.com/v1" });
    expect(await nextPage(service, byProxy)).toBe("https://set.example.com");
  });
});

test("every request under /v1 is logged with its client, whether its response is cached or not", async () => {
  const service = await startWith({});
  const heads = ["", "X-Forwarded-For: 203.0.113.9\r\n", "Forwarded: for=203.0.113.10\r\n"];
  // The first two fill the cache, the third is found by its address, the rest by their bytes.
  for (let times = 0; times < 5; times++) {
    for (const head of heads) await nextPage(service, head);
  }
  const clients = () =>
    service
      .logged()
      .split("\n")
      .filter((line) => line.includes('"operation":"listPets"'))
      .map((line) => JSON.parse(line).client);
  await eventually(() => clients().length === 5 * heads.length);
  const each = ["127.0.0.1", "203.0.113.9", "203.0.113.10"];
  expect(clients()).toEqual([...each, ...each, ...each, ...each, ...each]);
});

test("a request that is refused is logged with the client that a trusted proxy names", async () => {
  const { service, logged } = await startWith({});
  const heads = ["X-Forwarded-For: 203.0.113.9\r\n", "Forwarded: for=203.0.113.10\r\n", ""];
  for (const head of heads) {
    await rawExchange(service.port, `GET / HTTP/1.1\r\nHost: a b\r\n${head}\r\n`);
  }
  const clients = logged()
    .split("\n")
    .filter((line) => line.includes('"request.refused"'))
    .map((line) => JSON.parse(line).client);
  expect(clients).toEqual(["203.0.113.9", "203.0.113.10", "127.0.0.1"]);
});

describe("signing in", () => {
  test("is limited by the client behind a trusted proxy, and no other client is", async () => {
    const fixture = await openSessionFixture();
    await fixture.signInByLink(shop);
    fixture.state.peer = "127.0.0.1";
    const signIn = (client: string, password: string) =>
      fixture.signIn("shop", password, {
        headers: { "sec-fetch-site": "same-origin", "x-forwarded-for": client },
      });
    for (let count = 0; count < 10; count++) {
      expect((await signIn(`1.2.3.${count}, 203.0.113.9`, "a wrong password")).status).toBe(401);
    }
    expect((await signIn("203.0.113.9", phrase)).status).toBe(429);
    expect((await signIn("203.0.113.10", phrase)).status).toBe(200);
    expect(fixture.logged()).toContain('"client":"203.0.113.10"');
    await fixture.close();
  });

  test("is limited by the address itself where that is no proxy's", async () => {
    const fixture = await openSessionFixture();
    await fixture.signInByLink(shop);
    fixture.state.peer = "10.0.0.2";
    for (let count = 0; count < 10; count++) {
      const headers = { "sec-fetch-site": "same-origin", "x-forwarded-for": `203.0.113.${count}` };
      expect((await fixture.signIn("shop", "a wrong password", { headers })).status).toBe(401);
    }
    expect((await fixture.signIn("shop", phrase)).status).toBe(429);
    await fixture.close();
  });

  test("gives a cookie for encrypted connections alone where a trusted proxy had one", async () => {
    const fixture = await openSessionFixture();
    await fixture.signInByLink(shop);
    const headers = { "sec-fetch-site": "same-origin", "x-forwarded-proto": "https" };
    const cookieAt = async (peer: string) => {
      fixture.state.peer = peer;
      return (await fixture.signIn("shop", phrase, { headers })).headers.get("set-cookie");
    };
    expect(await cookieAt("127.0.0.1")).toMatch(/^__Host-petstore=.*; Secure$/);
    expect(await cookieAt("198.51.100.7")).not.toContain("Secure");
    await fixture.close();
  });
});

test("an edge logs the client behind a trusted proxy, and answers for the host that was asked", async () => {
  const edge = await startTestEdge();
  edge.attach("a.example");
  edge.attach("b.example");
  const headers = "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Host: b.example\r\n";
  const answer = await rawExchange(
    edge.httpPort,
    `GET / HTTP/1.1\r\nHost: a.example\r\n${headers}\r\n`,
  );
  expect(answer).toContain("Location: https://a.example/");
  await eventually(() => edge.logged.some(({ event }) => event === "edge.request_served"));
  const request = edge.logged.find(({ event }) => event === "edge.request_served");
  expect(request?.fields).toMatchObject({ client: "203.0.113.9", host: "a.example" });
  await edge.stop();
});
