import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { categoriesFilterMax, searchWordsMax } from "../../src/petstore/catalogue/petSearch.ts";
import { type Client, nextPage, type Seen } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("searching", (engine) => {
  let running: TestService;
  let client: Client;
  const names = ["Bella", "Sir Purr-a-lot", "Élodie", 'Rex "the" O\'Brien', "Bellamy"];

  // 20 pets: ids 1 to 20; names and categories in turn, every third is sold.
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
    for (let n = 1; n <= 20; n++) {
      await client.post("/pets", {
        name: names[(n - 1) % names.length],
        categoryId: n % 4 === 0 ? -3 : n % 4,
        status: n % 3 === 0 ? "sold" : "available",
      });
    }
  });
  afterAll(() => running.stop());

  const ids = (seen: Seen) => (seen.body as { id: number }[]).map(({ id }) => id);
  const found = async (query: string) => {
    const seen = await client.get(`/pets?limit=100&${query}`);
    expect(seen.status).toBe(200);
    return ids(seen);
  };
  const where = (holds: (n: number) => boolean) =>
    Array.from({ length: 20 }, (_, index) => index + 1).filter(holds);

  async function follow(path: string): Promise<number[][]> {
    const pages: number[][] = [];
    for (let at: string | undefined = path; at !== undefined; ) {
      const seen = await client.get(at);
      expect(seen.status).toBe(200);
      pages.push(ids(seen));
      at = nextPage(seen.headers);
      expect(pages.length).toBeLessThan(30);
    }
    return pages;
  }

  describe("listPets", () => {
    test("finds words by their beginnings, without regard to case, accents and order", async () => {
      expect(await found("name=bel")).toEqual(where((n) => n % 5 === 1 || n % 5 === 0));
      expect(await found("name=BELLAM")).toEqual(where((n) => n % 5 === 0));
      expect(await found("name=elodie")).toEqual([3, 8, 13, 18]);
      expect(await found(`name=${encodeURIComponent("E\u0301LO")}`)).toEqual([3, 8, 13, 18]);
      expect(await found("name=lot+sir")).toEqual([2, 7, 12, 17]);
      expect(await found("name=lla")).toEqual([]);
    });

    test("finds the pets of any of several categories", async () => {
      expect(await found("categoryId=-3")).toEqual([4, 8, 12, 16, 20]);
      expect(await found("categoryId=1&categoryId=-3&categoryId=1&categoryId=99")).toEqual(
        where((n) => n % 4 <= 1),
      );
      expect(await found("categoryId=99")).toEqual([]);
    });

    test("combines all filters", async () => {
      const both = where((n) => n % 5 <= 1 && n % 4 === 1 && n % 3 !== 0);
      expect(await found("name=bella&categoryId=1&status=available")).toEqual(both);
      expect(await found("name=bella&categoryId=1&status=available&id=1&id=2")).toEqual([1]);
    });

    test("pages through a search without gaps or duplicates, with links that work", async () => {
      const pages = await follow("/pets?limit=3&name=bel");
      expect(pages.flat()).toEqual(where((n) => n % 5 <= 1));
      expect(pages.map(({ length }) => length)).toEqual([3, 3, 2]);
      const quoted = await follow(`/pets?limit=1&name=${encodeURIComponent('"the" o\'br & rex')}`);
      expect(quoted.flat()).toEqual([4, 9, 14, 19]);
      const mixed = await follow("/pets?limit=2&categoryId=-3&categoryId=2&status=available");
      expect(mixed.flat()).toEqual(where((n) => (n % 4 === 0 || n % 4 === 2) && n % 3 !== 0));
    });

    test("a cursor is valid for the same words and categories only", async () => {
      const next = nextPage(
        (await client.get("/pets?limit=1&name=bel&categoryId=1&categoryId=2")).headers,
      );
      const cursor = new URL(next ?? "").searchParams.get("cursor");
      const status = async (query: string) =>
        (await client.get(`/pets?limit=1&${query}&cursor=${cursor}`)).status;
      expect(await status("name=BEL&categoryId=2&categoryId=1&categoryId=1")).toBe(200);
      for (const other of [
        "",
        "name=bel",
        "name=bell&categoryId=1&categoryId=2",
        "categoryId=1&categoryId=2",
      ]) {
        expect([other, await status(other)]).toEqual([other, 400]);
      }
    });

    const words = (count: number) => Array.from({ length: count }, (_, n) => `${n}w`).join("+");
    const refused: [query: string, message: string][] = [
      [
        "name=",
        "name must be a string of 1 to 255 characters, with at least one letter or digit and at most 10 words.",
      ],
      [
        `name=${"x".repeat(256)}`,
        "name must be a string of 1 to 255 characters, with at least one letter or digit and at most 10 words.",
      ],
      ...["%22%2A%22", "-", "%00", "%F0%9F%90%95", "%CC%81", "+", "%EF%B8%8F"].map(
        (name): [string, string] => [
          `name=${name}`,
          "name must have at least one letter or digit, and at most 10 words.",
        ],
      ),
      [
        `name=${words(searchWordsMax + 1)}`,
        "name must have at least one letter or digit, and at most 10 words.",
      ],
      ["name=a&name=b", "name may be given once at most."],
      ...["", "abc", "1.0", "1,2", "9223372036854775808"].map((id): [string, string] => [
        `categoryId=${id}`,
        "categoryId must be an integer from -9223372036854775808 to 9223372036854775807.",
      ]),
      [
        Array.from({ length: categoriesFilterMax + 1 }, (_, id) => `categoryId=${id}`).join("&"),
        "categoryId may be given 20 times at most.",
      ],
    ];
    for (const [query, message] of refused) {
      test(`?${query.slice(0, 60)} is refused with what was expected`, async () => {
        const seen = await client.get(`/pets?${query}`);
        expect(seen.body).toEqual({ code: "parameter_invalid", message, status: 400 });
      });
    }

    test("the most words, the longest name and the most categories are taken", async () => {
      expect(await found(`name=${words(searchWordsMax)}`)).toEqual([]);
      expect(await found(`name=${"x".repeat(255)}`)).toEqual([]);
      expect(await found("name=a+an+and+andr+andre+andrea+andreas+b+c+d+e+f+g+h")).toEqual([]);
      const most = Array.from({ length: categoriesFilterMax }, (_, id) => `categoryId=${id}`);
      expect(await found(most.join("&"))).toEqual(where((n) => n % 4 !== 0));
    });

    test("nothing in a name is an operator of the index", async () => {
      for (const name of [
        "bella OR rex",
        "NOT bella",
        '"bella',
        "bella*",
        "^bella -x",
        "terms:bella",
        "a' | 'b",
        "\\",
        "(bella",
        "NEAR(bella rex)",
      ]) {
        const seen = await client.get(`/pets?name=${encodeURIComponent(name)}`);
        expect([name, seen.status]).toEqual([name, /[a-z]/.test(name) ? 200 : 400]);
      }
      expect(await found(`name=${encodeURIComponent("bella OR rex")}`)).toEqual([]);
    });

    test("a page of a search that was cached is not served after a pet of it has changed", async () => {
      const page = "/pets?limit=2&name=purr&status=available";
      for (let time = 0; time < 3; time++) expect(ids(await client.get(page))).toEqual([2, 7]);
      await client.post("/store/orders", { petId: 2 });
      expect(ids(await client.get(page))).toEqual([7, 17]);
    });
  });

  test("listOrders finds the orders of a pet", async () => {
    const ordered = (await client.post("/store/orders", { petId: 5 })).body as { id: number };
    await client.post("/store/orders", { petId: 8 });
    const seen = await client.get("/store/orders?petId=5");
    expect(ids(seen)).toEqual([ordered.id]);
    expect(ids(await client.get("/store/orders?petId=5&status=approved"))).toEqual([]);
    expect(ids(await client.get("/store/orders?petId=999"))).toEqual([]);
    expect((await client.get("/store/orders?petId=x")).body).toMatchObject({
      code: "parameter_invalid",
      message: "petId must be an integer from -9223372036854775808 to 9223372036854775807.",
    });
    const next = nextPage((await client.get("/store/orders?limit=1")).headers) ?? "";
    expect((await client.get(`${next}&petId=5`)).status).toBe(400);
  });

  describe("Prefer: count=exact", () => {
    const counted = (path: string, prefer = "count=exact") =>
      client.get(path, { headers: { prefer } });
    const of = ({ headers }: Seen) => [
      headers.get("x-total-count"),
      headers.get("preference-applied"),
    ];

    test("adds the number of all that match, on every page and to the last", async () => {
      expect(of(await counted("/pets?limit=1"))).toEqual(["20", "count=exact"]);
      expect(of(await counted("/pets?name=bel&limit=3"))).toEqual(["8", "count=exact"]);
      expect(of(await counted("/pets?categoryId=-3&status=sold"))).toEqual(["1", "count=exact"]);
      expect(of(await counted("/pets?id=1&id=2&id=99"))).toEqual(["2", "count=exact"]);
      expect(of(await counted("/pets?name=nobody"))).toEqual(["0", "count=exact"]);
      const next = nextPage((await counted("/pets?name=bel&limit=5")).headers) ?? "";
      expect(of(await counted(next))).toEqual(["8", "count=exact"]);
    });

    test("is not remembered: who does not ask gets no number, however often", async () => {
      for (let time = 0; time < 3; time++) {
        expect(of(await counted("/pets?limit=2"))).toEqual(["20", "count=exact"]);
        expect(of(await client.get("/pets?limit=2"))).toEqual([null, null]);
      }
    });

    test("can be combined with strict handling, and counts only if it is exact", async () => {
      const both = await counted("/pets?limit=1", "count=exact, handling=strict");
      expect(of(both)).toEqual(["20", "handling=strict, count=exact"]);
      expect((await counted("/pets?colour=red", "handling=strict, count=exact")).status).toBe(400);
      for (const other of ["count=planned", "count", "count=none, count=exact"]) {
        expect(of(await counted("/pets?limit=1", other))).toEqual([null, null]);
      }
    });

    test("works on all lists and with a 304, and changes nothing else", async () => {
      expect(of(await counted("/categories"))).toEqual(["0", "count=exact"]);
      const orders = await counted("/store/orders?limit=1");
      expect(orders.headers.get("x-total-count")).toBe("3");
      expect(of(await counted("/store/orders?petId=5&status=placed"))[0]).toBe("1");
      const plain = await client.get("/pets?limit=2");
      const etag = plain.headers.get("etag") ?? "";
      expect((await counted("/pets?limit=2")).headers.get("etag")).toBe(etag);
      const held = await client.get("/pets?limit=2", {
        headers: { prefer: "count=exact", "if-none-match": etag },
      });
      expect([held.status, ...of(held)]).toEqual([304, "20", "count=exact"]);
      expect(of(await counted("/pets/1"))).toEqual([null, null]);
    });
  });
});
