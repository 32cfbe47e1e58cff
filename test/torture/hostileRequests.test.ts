import { afterEach, describe, expect, test } from "bun:test";
import { SeededRandom } from "../../testkit/seededRandom.ts";
import { Acknowledged } from "../../torture/hostile/acknowledged.ts";
import { bytesOf, draft, type KnownValues } from "../../torture/hostile/drafts.ts";
import { outsideDraft } from "../../torture/hostile/outsideDrafts.ts";
import { Tally } from "../../torture/tally.ts";
import { answerText, type NaiveServer, startNaiveServer } from "./naiveServer.ts";

const known: KnownValues = { petIds: ["1"], orderIds: ["1"], cursors: ["AAAA"], etags: ['"x"'] };

function drafts(seed: number, count: number) {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, () => draft("the-token", known, random));
}

describe("requests made from the contract", () => {
  test("are the same for the same seed", () => {
    expect(drafts(5, 200)).toEqual(drafts(5, 200));
    expect(drafts(5, 200)).not.toEqual(drafts(6, 200));
  });

  test("reach every operation, and many are right", () => {
    const made = drafts(1, 3_000);
    const places = new Set(made.map(({ method, target }) => `${method} ${target.split("?")[0]}`));
    for (const place of [
      ...["GET /pets", "POST /pets", "GET /pets/1", "GET /categories", "GET /store/orders"],
      ...["POST /store/orders", "GET /store/orders/1", "POST /store/orders/1/approve"],
      "POST /store/orders/1/deliver",
    ]) {
      expect(places).toContain(place);
    }
  });

  test("are framed rightly whatever is in them, so that none is lost to the listener", () => {
    const random = new SeededRandom(3);
    const made = [
      ...drafts(2, 2_000),
      ...Array.from({ length: 2_000 }, () => outsideDraft("t", random)),
    ];
    for (const each of made) {
      const bytes = bytesOf(each, `/v1${each.target}`);
      const head = bytes.subarray(0, bytes.indexOf("\r\n\r\n")).toString("latin1");
      const [first = "", ...lines] = head.split("\r\n");
      expect(first).toMatch(/^[A-Z]+ \/[!-~\x80-\xff]* HTTP\/1\.1$/);
      for (const line of lines) expect(line).toMatch(/^[\w-]+: [\t -~\x80-\xff]*$/);
    }
  });
});

let server: NaiveServer | undefined;
afterEach(() => server?.close());

const bella = '{"id":1,"name":"Bella","categoryId":9007199254740993,"status":"available"}';
const order =
  '{"id":1,"petId":1,"quantity":1,"status":"placed","placedAt":"2026-11-15T12:00:00.000Z"}';
const pending = bella.replace("available", "pending");

/** What the judge says of a store that holds these, when Bella and her order were acknowledged. */
async function violationsOf(pets: string, orders: string): Promise<string[]> {
  const headers =
    'Content-Type: application/json\r\nCache-Control: private, no-cache\r\nETag: "x"\r\n';
  server = await startNaiveServer((socket, heard) => {
    if (!heard.includes("\r\n\r\n")) return heard;
    socket.write(answerText(200, heard.includes("/store/orders") ? orders : pets, headers));
    return "";
  });
  const acknowledged = new Acknowledged();
  const tally = new Tally();
  acknowledged.pet(bella, '{"name":"Bella","categoryId":9007199254740993}', tally);
  acknowledged.order(order);
  await acknowledged.judgeStore(`http://127.0.0.1:${server.port}/v1`, "t", tally);
  return tally.violations;
}

describe("what was acknowledged is held against the store", () => {
  test("and nothing is said where all of it is there", async () => {
    expect(await violationsOf(`[${pending}]`, `[${order}]`)).toEqual([]);
  });

  for (const [what, pets, orders] of [
    ["a pet that is lost", "[]", `[${order}]`],
    ["an order that is lost", `[${bella}]`, "[]"],
    [
      "a pet that nobody was told of",
      `[${pending},${pending.replace('"id":1', '"id":2')}]`,
      `[${order}]`,
    ],
    ["a number that was rounded", `[${pending.replace("993", "992")}]`, `[${order}]`],
    ["a name that was changed", `[${pending.replace("Bella", "Béla")}]`, `[${order}]`],
    ["a pet that disagrees with its order", `[${bella}]`, `[${order}]`],
    ["an order that went on by itself", `[${pending}]`, `[${order.replace("placed", "approved")}]`],
  ] as const) {
    test(`${what} is a violation`, async () => {
      expect((await violationsOf(pets, orders)).length).toBeGreaterThan(0);
    });
  }

  test("an answer that is not what was sent is a violation", () => {
    const tally = new Tally();
    new Acknowledged().pet(bella, '{"name":"Bella","categoryId":9007199254740992}', tally);
    new Acknowledged().pet(bella, '{"name":"Rex","categoryId":9007199254740993}', tally);
    expect(tally.violations.length).toBe(2);
  });
});
