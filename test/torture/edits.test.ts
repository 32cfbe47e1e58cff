/** The judge of edited pets must find what is wrong with them: each fault is planted here. */
import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { EditedPets, edit } from "../../torture/edits.ts";
import { Ledger } from "../../torture/ledger.ts";
import { Tally } from "../../torture/tally.ts";

type Row = Record<string, unknown>;
const state = (
  ordered: "placed" | "approved" | false,
  status = ordered ? "pending" : "available",
) => ({ name: "Edited 0 5", status, ordered }) as never;
const row = { id: 1, name: "Edited 0 5", categoryId: 1, status: "available" };
const pending = { ...row, status: "pending" };
const sold = { ...row, status: "sold" };
const order = (status: string): Row => ({ id: 9, petId: 1, quantity: 1, status });

function violations(possible: unknown[], pets: Row[], orders: Row[], orderIds: string[] = []) {
  const edits = new EditedPets();
  Object.assign(edits.add(), { id: "1", possible, orderIds });
  const tally = new Tally();
  edits.judge(tally, pets, orders, false);
  return tally.violations.length;
}

describe("a store is found out where", () => {
  const cases: [what: string, ...Parameters<typeof violations>][] = [
    ["an acknowledged pet is lost", [state(false)], [], []],
    ["a deleted pet is there", [undefined], [row], []],
    ["an update is lost", [state(false)], [{ ...row, name: "Edited 0 4" }], []],
    ["a status is lost", [state(false, "sold")], [row], []],
    ["a pet is there twice", [state(false)], [row, { ...row, id: 2 }], []],
    ["a cancellation is lost", [state(false)], [row], [order("placed")], ["9"]],
    ["an approval is lost", [state("approved")], [pending], [order("placed")], ["9"]],
    ["a delivery is lost", [state(false, "sold")], [sold], [order("approved")], ["9"]],
    ["an order is lost", [state("placed")], [pending], [], ["9"]],
    ["a cancelled order left its pet pending", [state(false)], [pending], []],
    ["a pet is there that nobody added", [state(false)], [row, { ...row, name: "Edited 7 1" }], []],
  ];
  for (const [what, ...planted] of cases) {
    test(what, () => {
      expect(violations(...planted)).toBeGreaterThan(0);
    });
  }
});

test("a faithful store is not, and neither is either side of what got no answer", () => {
  expect(violations([state(false)], [row], [order("cancelled")], ["9"])).toBe(0);
  expect(violations([state("placed")], [pending], [order("placed")], ["9"])).toBe(0);
  expect(violations([undefined], [], [order("cancelled")], ["9"])).toBe(0);
  expect(violations([state("approved")], [pending], [order("approved")], ["9"])).toBe(0);
  expect(violations([state(false, "sold")], [sold], [order("delivered")], ["9"])).toBe(0);
  for (const pets of [[row], []]) expect(violations([state(false), undefined], pets, [])).toBe(0);
});

const after = {
  orders: { status: "placed", petStatus: "pending" },
  approve: { status: "approved", petStatus: "pending" },
  deliver: { status: "delivered", petStatus: "sold" },
  cancel: { status: "cancelled", petStatus: "available" },
};

/** Edits against a service that does as it is asked, but for one thing. */
async function violationsOf(
  wrong: "nothing" | "update" | "delete" | "stale",
): Promise<readonly string[]> {
  let pet: Row | undefined;
  let ordered = false;
  const server = createServer((request, response) => {
    let asked = "";
    request.on("data", (chunk) => {
      asked += chunk;
    });
    request.on("end", () => {
      const { method, url = "" } = request;
      const say = (status: number, body = "", headers = {}) => {
        const json = body === "" ? {} : { "content-type": "application/json", "x-request-id": "1" };
        response.writeHead(status, { ...json, ...headers }).end(body);
      };
      const etag = { etag: '"x"' };
      const refuse = (status: number, code: string) =>
        say(status, JSON.stringify({ code, message: "No.", status }));
      if (method === "GET") {
        const headers = { ...etag, "cache-control": "private, no-cache" };
        return say(200, pet ? `[${JSON.stringify(pet)}]` : "[]", headers);
      }
      if (url.startsWith("/v1/store")) {
        const event = /\w+$/.exec(url)?.[0] as keyof typeof after;
        const places = event === "orders";
        if (places && pet?.["status"] !== "available") return refuse(409, "pet_not_available");
        const { status, petStatus } = after[event];
        ordered = petStatus === "pending";
        pet = { ...pet, status: petStatus };
        const order = {
          id: 9,
          petId: 1,
          quantity: 1,
          status,
          placedAt: "2026-11-15T12:00:00.000Z",
        };
        return say(places ? 201 : 200, JSON.stringify(order), { location: "/v1/store/orders/9" });
      }
      if (method === "POST") {
        pet = { id: 1, ...JSON.parse(asked), status: "available" };
        return say(201, JSON.stringify(pet), { location: "/v1/pets/1" });
      }
      const stale = request.headers["if-match"] === '"stale"';
      if (stale && wrong !== "stale") return refuse(412, "precondition_failed");
      const moves = (JSON.parse(asked || "{}").status ?? pet?.["status"]) !== pet?.["status"];
      if (ordered && (moves || method === "DELETE")) return refuse(409, "pet_reserved");
      if (method === "DELETE") {
        if (wrong !== "delete") pet = undefined;
        return say(204);
      }
      if (wrong !== "update") pet = { ...pet, ...JSON.parse(asked) };
      return say(200, JSON.stringify(pet), etag);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const ledger = new Ledger();
  // All others have ended, so that one pet is edited.
  for (let count = 0; count < 11; count++) Object.assign(ledger.edits.add(), { busy: true });
  const tally = new Tally();
  const seen = { reads: 0, slowReads: 0, acknowledged: 0, failed: 0, limited: 0, lost: 0 };
  const random = new SeededRandom(4);
  const client = { addresses: () => [base], token: "any", random, ledger, tally, seen, base };
  for (let count = 0; count < 40; count++) await edit({ ...client, fresh: false });
  server.closeAllConnections();
  server.close();
  // Node.js adds headers of its own.
  return tally.violations.filter((text) => !text.includes("the contract does not allow: header"));
}

test("edits that are done as they are asked for are not complained about", async () => {
  expect(await violationsOf("nothing")).toEqual([]);
});

for (const wrong of ["update", "delete", "stale"] as const) {
  test(`a service that does wrong by ${wrong} is found out at once`, async () => {
    expect((await violationsOf(wrong)).length).toBeGreaterThan(0);
  });
}
