/**
 * Real proxies before two listeners of the service. Whatever a client sends, its answer arrives, and
 * no proxy takes either of the two for broken: every ordinary request that follows is answered.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { describeUnless } from "../../testkit/describeUnless.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";
import { configurations } from "./configurations.ts";
import { exchange } from "./exchange.ts";
import { type HostileRequest, hostileRequests } from "./hostileRequests.ts";
import { missing, type RunningProxy, startProxy } from "./proxy.ts";

let service: TestService;
beforeAll(async () => {
  // The port of the dashboard is a second listener of the same service.
  service = await startTestService({ variables: { PETSTORE_ADMIN_PORT: "0" } });
});
afterAll(() => service.stop());

/** The requests have the key of the service, which is not known before it runs. */
const names = hostileRequests("").map(({ name }) => name);
const requestBy = (wanted: string) =>
  hostileRequests(service.token).find(({ name }) => name === wanted) as HostileRequest;
const ordinary = "GET / HTTP/1.1\r\nHost: api.example.com\r\n\r\n";

describe("the service itself", () => {
  test.each(names)("answers as the table says: %s", async (name) => {
    const { pieces, statuses } = requestBy(name);
    const at = { port: service.service.port, encrypted: false };
    const answers = await exchange(at, pieces, statuses.length);
    expect(answers.map(({ status }) => status)).toEqual([...statuses]);
  });
});

for (const { proxy: kind, name: title, encrypted, takesTurns, text } of configurations) {
  describeUnless(missing(kind), `behind ${title}`, () => {
    let proxy: RunningProxy;
    beforeAll(async () => {
      const { port, adminPort = 0 } = service.service;
      proxy = await startProxy(kind, (at, folder) => text(at, folder, [port, adminPort]));
    });
    afterAll(() => proxy.stop());

    test.each(names)("%s takes no process away", async (name) => {
      const { pieces, statuses, otherwise } = requestBy(name);
      const at = { port: proxy.port, encrypted };
      const answers = await exchange(at, pieces, statuses.length);
      const seen = answers.map(({ status }) => status);
      if (seen[0] !== otherwise[kind]) expect(seen).toEqual([...statuses]);

      const after = await exchange(at, Array(4).fill(ordinary), 4);
      expect(after.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      // Only one of the two has a dashboard to name.
      const reached = new Set(after.map(({ body }) => body.includes("Dashboard")));
      if (takesTurns) expect(reached.size).toBe(2);
    });
  });
}
