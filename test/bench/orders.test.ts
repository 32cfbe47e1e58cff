import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { fastify } from "../../bench/contestants/fastify.ts";
import { jsonServer } from "../../bench/contestants/jsonServer.ts";
import { nginx } from "../../bench/contestants/nginx.ts";
import { ourDialect, ours } from "../../bench/contestants/ours.ts";
import { pocketbase } from "../../bench/contestants/pocketbase.ts";
import { readyOrders } from "../../bench/orders.ts";
import type { Load } from "../../bench/wrk.ts";

const load: Load = { requests: 10, requestsPerSecond: 10, p50Ms: 1, p99Ms: 2, faults: 1 };

/** A service that rejects the second order, and reports when it has received the fifth. */
function startFakeService() {
  const fifth = Promise.withResolvers<void>();
  const created: number[] = [];
  const ordered: number[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (new URL(request.url).pathname === "/v1/pets") {
        created.push(created.length + 1);
        return Response.json({ id: created.at(-1) }, { status: 201 });
      }
      const { petId } = (await request.json()) as { petId: number };
      ordered.push(petId);
      if (ordered.length === 5) fifth.resolve();
      return Response.json({}, { status: ordered.length === 2 ? 409 : 201 });
    },
  });
  return { server, port: server.port ?? 0, created, ordered, fifth: fifth.promise };
}

describe("orders beside a load", () => {
  let service: ReturnType<typeof startFakeService>;
  beforeEach(() => {
    service = startFakeService();
  });
  afterEach(() => service.server.stop(true));

  const during = async (finished: Promise<void>) => {
    const orderDuring = await readyOrders({ port: service.port, dialect: ourDialect("a-key") }, 1);
    expect(service.ordered).toEqual([]);
    return orderDuring(() => finished.then(() => load));
  };

  test("are for pets made for it, each ordered once, and end with the load", async () => {
    await during(service.fifth);
    expect(new Set(service.ordered).size).toBe(service.ordered.length);
    for (const id of service.ordered) expect(service.created).toContain(id);
    expect(service.ordered.length).toBeLessThan(service.created.length);
  });

  test("that are refused count as faults, beside those of the load", async () => {
    const measured = await during(service.fifth);
    expect(measured.faults).toBe(load.faults + 1);
  });

  test("come no faster than they should, however fast the shop is", async () => {
    const { ordersPerSecond = Number.NaN } = await during(service.fifth);
    expect(ordersPerSecond).toBeGreaterThan(0);
    // Five orders take at least four of the pauses between them, and one was refused.
    expect(ordersPerSecond).toBeLessThanOrEqual(100);
  });
});

test("orders are asked only of those who can take them", () => {
  const able = [ours, fastify, nginx, pocketbase, jsonServer].filter(({ works }) =>
    works.includes("getPetAmongOrders"),
  );
  expect(able).toEqual([ours, fastify]);
});
