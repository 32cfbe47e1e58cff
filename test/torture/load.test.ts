/** The clients of the rig against a service that answers wrongly, one way at a time. */
import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { Ledger, newPetText } from "../../torture/ledger.ts";
import { startLoad } from "../../torture/load.ts";
import { Tally } from "../../torture/tally.ts";

interface Wrong {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: (asked: string, id: number) => string;
}

const wholePet = (asked: string, id: number) =>
  `{"id":${id},${asked.slice(1, -1)}${asked.includes('"status":') ? "" : ',"status":"available"'}}`;

/** Runs a few clients against a service that answers every request alike. */
async function violationsOf(wrong: Wrong, mayFail = false): Promise<Tally> {
  let id = 0;
  const server = createServer((request, response) => {
    let asked = "";
    request.on("data", (chunk) => {
      asked += chunk;
    });
    request.on("end", () => {
      const location = `/v1/pets/${++id}`;
      const said = { "content-type": "application/json", "x-request-id": "1", location };
      response.writeHead(wrong.status, { ...said, ...wrong.headers });
      response.end(request.url === "/v1/pets" ? wrong.body(asked, id) : "[]");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const tally = new Tally();
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const load = startLoad({
    addresses: () => [base],
    token: "any",
    random: new SeededRandom(3),
    ledger: new Ledger(),
    tally,
    clients: 2,
    writesMayFail: () => mayFail,
  });
  while (id < 20) await new Promise(setImmediate);
  await load.ended();
  server.closeAllConnections();
  server.close();
  return tally;
}

/** Lets clients read pages from a service that shows every pet as it was when it was added. */
async function violationsOfPages(sold: boolean): Promise<readonly string[]> {
  const random = new SeededRandom(5);
  const ledger = new Ledger();
  let pet = ledger.newPet(random);
  while (pet.status !== "available") pet = ledger.newPet(random);
  ledger.petIsThere(pet, "1");
  ledger.acknowledge(pet, "");
  if (sold) {
    const order = ledger.newOrder(random);
    if (order === undefined) throw new Error("There is no pet to order.");
    ledger.orderIsThere(order, "1", "2026-11-15T12:00:00.000Z");
    ledger.acknowledge(order, "");
  }
  let pages = 0;
  const server = createServer((request, response) => {
    request.resume();
    const { pathname, searchParams } = new URL(request.url ?? "", "http://any");
    const isPage = request.method === "GET" && pathname === "/v1/pets" && !searchParams.has("id");
    if (!isPage) return void response.writeHead(503).end();
    pages++;
    const wanted = ["available", null].includes(searchParams.get("status"));
    response.writeHead(200, { "content-type": "application/json", "x-request-id": "1" });
    response.end(wanted ? `[${wholePet(newPetText(pet), 1)}]` : "[]");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const tally = new Tally();
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const load = startLoad({ addresses: () => [base], token: "any", random, ledger, tally });
  while (pages < 20) await new Promise(setImmediate);
  await load.ended();
  server.closeAllConnections();
  server.close();
  return tally.violations.filter((each) => each.startsWith("A read of pet"));
}

const failure = (code: string, status: number) =>
  `{"code":"${code}","message":"No.","status":${status}}`;

describe("the clients find", () => {
  test("a pet that comes back with another category", async () => {
    const body = (asked: string, id: number) =>
      wholePet(asked.replace(/"categoryId":-?\d+/, '"categoryId":12345'), id);
    const { violations } = await violationsOf({ status: 201, body });
    expect(violations).toContainEqual(expect.stringContaining("its category 12345"));
  });

  test("an id that was given twice", async () => {
    const { violations } = await violationsOf({ status: 201, body: (asked) => wholePet(asked, 7) });
    expect(violations).toContainEqual(expect.stringContaining("given twice"));
  });

  test("a 500, and a 503 that does not say when to come back", async () => {
    const internal = { status: 500, body: () => failure("internal", 500) };
    expect((await violationsOf(internal)).violations).toContainEqual(
      expect.stringContaining("answered 500"),
    );
    const away = { status: 503, body: () => failure("store_unavailable", 503) };
    expect((await violationsOf(away, true)).violations).toContainEqual(
      expect.stringContaining("answered 503"),
    );
  });

  test("a 503 while nothing is wrong, and none while something is", async () => {
    const away: Wrong = {
      status: 503,
      headers: { "retry-after": "1" },
      body: () => failure("store_unavailable", 503),
    };
    const unexpected = await violationsOf(away);
    expect(unexpected.violations).toContainEqual(expect.stringContaining("pet was answered 503"));
    const expected = await violationsOf(away, true);
    expect(expected.violations.filter((each) => each.includes("pet was answered"))).toEqual([]);
  });

  test("a page that shows a pet as it was before its order was acknowledged", async () => {
    const violations = await violationsOfPages(true);
    expect(violations).toContainEqual(expect.stringContaining("it is available"));
    expect(await violationsOfPages(false)).toEqual([]);
  });

  test("an answer that the contract does not allow", async () => {
    const body = (asked: string, id: number) => wholePet(asked, id).replace('"name"', '"nom"');
    const { violations } = await violationsOf({ status: 201, body });
    expect(violations).toContainEqual(expect.stringContaining("which the contract does not allow"));
  });
});
