/** What the service learns of its clients from the configurations of deploy/proxies. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AddressInfo, connect, createServer } from "node:net";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { freePort } from "../../testkit/freePorts.ts";
import { startTestEdge, type TestEdge } from "../edge/testEdge.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { configurations } from "./configurations.ts";
import { exchange } from "./exchange.ts";
import { missing, type RunningProxy, shipped, startProxy } from "./proxy.ts";

/** Another address of this machine than the proxies', which alone are trusted. */
const client = "127.0.0.2";
const variables = { PETSTORE_TRUSTED_PROXIES: "127.0.0.1" };
const secondAddress = process.platform === "linux" ? undefined : "needs Linux, for 127.0.0.2";

/** What the log has in the field of the last event of a name. */
function logged(text: string, event: string, field: string): unknown {
  const lines = text.split("\n").filter((line) => line.includes(`"event":"${event}"`));
  return JSON.parse(lines.at(-1) ?? "{}")[field];
}

/** Passes connections on, and counts those on which something was asked. */
async function countingRelay(to: number, asked: string) {
  let count = 0;
  const relay = createServer((from) => {
    const upstream = connect(to, "127.0.0.1");
    let counted = false;
    from.on("data", (chunk) => {
      if (!counted && chunk.includes(asked)) count++;
      counted ||= chunk.includes(asked);
    });
    from.pipe(upstream).pipe(from);
    for (const socket of [from, upstream]) socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => void relay.listen(0, "127.0.0.1", resolve));
  const { port } = relay.address() as AddressInfo;
  return { port, connections: () => count, [Symbol.dispose]: () => void relay.close() };
}

for (const { proxy: kind, name, text } of configurations.filter(({ encrypted }) => encrypted)) {
  describeUnless(secondAddress ?? missing(kind), `behind ${name}`, () => {
    let service: TestService;
    let proxy: RunningProxy;
    beforeAll(async () => {
      service = await startTestService({ variables });
      for (const pet of ["Bella", "Rex"]) {
        await service.client.post("/pets", { name: pet, categoryId: 1 });
      }
      const { port } = service.service;
      proxy = await startProxy(kind, (at, folder) => text(at, folder, [port, port]));
    });
    afterAll(async () => {
      await proxy.stop();
      await service.stop();
    });
    const ask = async (path: string, headers = "") => {
      const request = `GET ${path} HTTP/1.1\r\nHost: api.example.com\r\n${headers}\r\n`;
      const at = { port: proxy.port, encrypted: true, localAddress: client };
      return (await exchange(at, [request], 1))[0];
    };
    const madeUp = [
      "",
      "X-Forwarded-For: 203.0.113.9\r\n",
      "X-Forwarded-For: 203.0.113.9, 127.0.0.1\r\n",
      "Forwarded: for=203.0.113.9;proto=http;host=evil.example\r\n",
      "X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: http\r\n",
      "Connection: X-Forwarded-For, X-Forwarded-Proto\r\n",
    ];

    test.each(madeUp)(
      "the client is known by its address, whatever it sends: %j",
      async (headers) => {
        const refused = (await ask("/internal/v1/projects", headers))?.status;
        if (refused === 400) return;
        expect(refused).toBe(401);
        expect(logged(service.logged(), "request.completed", "client")).toBe(client);
      },
    );

    test.each(madeUp)(
      "links lead back through the proxy, whatever it sends: %j",
      async (headers) => {
        const key = `Authorization: Bearer ${service.token}\r\n`;
        const answer = await ask("/v1/pets?limit=1", headers + key);
        if (answer?.status === 400) return;
        expect(answer?.head).toMatch(/^link: <https:\/\/api\.example\.com\/v1\/pets\?/im);
      },
    );

    test("connections to the service stay open", async () => {
      using relay = await countingRelay(service.service.port, "GET /healthz ");
      const { port } = relay;
      const before = await startProxy(kind, (at, folder) => text(at, folder, [port, port]));
      const request = "GET /healthz HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
      const requests = Array(8).fill(request);
      expect(await exchange({ port: before.port, encrypted: true }, requests, 8)).toHaveLength(8);
      await before.stop();
      // One for each of the two processes.
      expect([1, 2]).toContain(relay.connections());
    });
  });
}

describeUnless(secondAddress ?? missing("haproxy"), "behind haproxy-edge.cfg", () => {
  let edge: TestEdge;
  let proxy: RunningProxy;
  let httpPort = 0;
  beforeAll(async () => {
    edge = await startTestEdge({ proxyProtocol: true });
    edge.attach("api.example.com");
    httpPort = await freePort();
    proxy = await startProxy("haproxy", (port) =>
      shipped("haproxy-edge.cfg", {
        "bind :80": `bind 127.0.0.1:${httpPort}`,
        "bind :443": `bind 127.0.0.1:${port}`,
        "127.0.0.1:8088": `127.0.0.1:${edge.httpPort}`,
        "127.0.0.1:8443": `127.0.0.1:${edge.httpsPort}`,
      }),
    );
  });
  afterAll(async () => {
    await proxy.stop();
    await edge.stop(0);
  });

  test.each([true, false])(
    "a visitor is known by its address (encrypted: %p)",
    async (encrypted) => {
      const request = "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n";
      const at = { port: encrypted ? proxy.port : httpPort, encrypted, localAddress: client };
      const [answer] = await exchange(at, [request], 1);
      expect(answer?.status).toBe(encrypted ? 200 : 301);
      const requests = edge.logged.filter(({ event }) => event === "edge.request_served");
      expect(requests.at(-1)?.fields).toMatchObject({ client, secured: encrypted });
    },
  );

  test("its own checks are no visitors, and are not refused", () => {
    expect(edge.logged.filter(({ event }) => event === "edge.connection_refused")).toEqual([]);
  });
});

describeUnless(secondAddress ?? missing("haproxy"), "behind HAProxy with send-proxy-v2", () => {
  test("the API knows its clients, with TLS extensions in the header too", async () => {
    const proxied = { ...variables, PETSTORE_PROXY_PROTOCOL: "api" };
    const service = await startTestService({ variables: proxied });
    const proxy = await startProxy(
      "haproxy",
      (port) => `defaults
mode http
timeout connect 5s
timeout client 30s
timeout server 30s
listen petstore
bind 127.0.0.1:${port}
server one 127.0.0.1:${service.service.port} send-proxy-v2 proxy-v2-options unique-id,authority check
`,
    );
    const request = "GET /internal/v1/projects HTTP/1.1\r\nHost: a.example\r\n\r\n";
    const at = { port: proxy.port, encrypted: false, localAddress: client };
    expect((await exchange(at, [request], 1))[0]?.status).toBe(401);
    expect(logged(service.logged(), "request.completed", "client")).toBe(client);
    expect(service.logged()).not.toContain("connection.refused");
    await proxy.stop();
    await service.stop();
  });
});
