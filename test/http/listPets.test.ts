import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Client, nextPage, type Seen } from "../end-to-end/client.ts";
import { describeOnEngines } from "../end-to-end/engines.ts";
import { startTestService, type TestService } from "../end-to-end/service.ts";

describeOnEngines("listPets", (engine) => {
  interface ListedPet {
    id: number;
    name: string;
    status: string;
  }

  let running: TestService;
  let client: Client;
  const statuses = ["available", "pending", "sold"] as const;

  // 45 pets: ids 1 to 45, statuses in turn.
  beforeAll(async () => {
    running = await startTestService({ engine });
    client = running.client;
    for (let n = 1; n <= 45; n++) {
      await client.post("/pets", {
        name: `Pet ${n}`,
        categoryId: 1,
        status: statuses[(n - 1) % 3],
      });
    }
  });
  afterAll(() => running.stop());

  const listed = (seen: Seen) => seen.body as ListedPet[];
  const ids = (seen: Seen) => listed(seen).map((pet) => pet.id);
  const upTo = (last: number, first = 1) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);

  async function follow(path: string): Promise<number[][]> {
    const pages: number[][] = [];
    for (let at: string | undefined = path; at !== undefined; ) {
      const seen = await client.get(at);
      expect(seen.status).toBe(200);
      pages.push(ids(seen));
      at = nextPage(seen.headers);
      expect(pages.length).toBeLessThan(100);
    }
    return pages;
  }

  test("returns a bare array of 20 in the order of their ids unless asked otherwise", async () => {
    expect(ids(await client.get("/pets"))).toEqual(upTo(20));
  });

  test("following the next links visits each pet once, and the last page has no link", async () => {
    expect(await follow("/pets")).toEqual([upTo(20), upTo(40, 21), upTo(45, 41)]);
  });

  test("a page that is exactly full and last has no next link", async () => {
    expect(await follow("/pets?limit=15")).toEqual([upTo(15), upTo(30, 16), upTo(45, 31)]);
    expect(nextPage((await client.get("/pets?limit=45")).headers)).toBeUndefined();
  });

  test("limit takes 1 and 100", async () => {
    expect(ids(await client.get("/pets?limit=1"))).toEqual([1]);
    expect(ids(await client.get("/pets?limit=100"))).toEqual(upTo(45));
  });

  test("the limit may change from page to page", async () => {
    const next = nextPage((await client.get("/pets?limit=5")).headers) ?? "";
    expect(ids(await client.get(next.replace("limit=5", "limit=2")))).toEqual([6, 7]);
  });

  for (const [turn, status] of statuses.entries()) {
    test(`status=${status} returns only those, page by page`, async () => {
      const expected = upTo(45).filter((id) => (id - 1) % 3 === turn);
      const pages = await follow(`/pets?status=${status}&limit=4`);
      expect(pages.flat()).toEqual(expected);
      expect(pages.map((page) => page.length)).toEqual([4, 4, 4, 3]);
    });
  }

  test("id returns the pets that were asked for, in order, once each, leaving unknown ones out", async () => {
    expect(ids(await client.get("/pets?id=7&id=3&id=7&id=999&id=-1&id=0"))).toEqual([3, 7]);
  });

  test("id and status together return what both allow", async () => {
    expect(ids(await client.get("/pets?id=1&id=2&id=4&status=available"))).toEqual([1, 4]);
  });

  test("ids are paged like everything else", async () => {
    expect(await follow("/pets?id=9&id=8&id=5&limit=2")).toEqual([[5, 8], [9]]);
  });

  test("100 ids are taken and 101 are refused", async () => {
    const query = (count: number) =>
      upTo(count)
        .map((id) => `id=${id}`)
        .join("&");
    expect(ids(await client.get(`/pets?limit=100&${query(100)}`))).toEqual(upTo(45));
    const seen = await client.get(`/pets?${query(101)}`);
    expect(seen.body).toEqual({
      code: "parameter_invalid",
      message: "id may be given 100 times at most.",
      status: 400,
    });
  });

  const refused: [query: string, message: string][] = [
    ...[
      "0",
      "101",
      "-1",
      "1.0",
      "1e1",
      "abc",
      "",
      "+5",
      "0x10",
      "%205",
      "20%20",
      "99999999999999999999",
      "٣",
    ].map((limit): [string, string] => [
      `limit=${limit}`,
      "limit must be an integer from 1 to 100.",
    ]),
    ...["Available", "", "gone", "available,sold", "%zz", "available%00", "%ff"].map(
      (status): [string, string] => [
        `status=${status}`,
        "status must be one of available, pending, sold.",
      ],
    ),
    ...[
      "",
      "abc",
      "1.0",
      "01",
      "-0",
      "+1",
      "9223372036854775808",
      "-9223372036854775809",
      "1,2",
    ].map((id): [string, string] => [
      `id=${id}`,
      "id must be an integer from -9223372036854775808 to 9223372036854775807.",
    ]),
    ["limit=5&limit=6", "limit may be given once at most."],
    ["status=sold&status=sold", "status may be given once at most."],
    ["cursor=a&cursor=b", "cursor may be given once at most."],
  ];
  for (const [query, message] of refused) {
    test(`?${query} is refused with what was expected`, async () => {
      const seen = await client.get(`/pets?${query}`);
      expect(seen.body).toEqual({ code: "parameter_invalid", message, status: 400 });
    });
  }

  test("every wrong parameter is named, not just the first", async () => {
    const seen = await client.get("/pets?limit=0&status=x&id=y");
    expect((seen.body as { message: string }).message).toBe(
      "limit must be an integer from 1 to 100. status must be one of available, pending, sold. id must be an integer from -9223372036854775808 to 9223372036854775807.",
    );
  });

  test("int64 extremes are valid ids to ask for", async () => {
    const seen = await client.get("/pets?id=9223372036854775807&id=-9223372036854775808");
    expect(seen.body).toEqual([]);
  });

  describe("cursors", () => {
    const cursorOf = async (query: string) =>
      new URL(nextPage((await client.get(`/pets?${query}`)).headers) ?? "").searchParams.get(
        "cursor",
      );

    test("one of another filter is refused", async () => {
      const cursor = await cursorOf("limit=2");
      for (const query of ["status=sold&", "id=1&id=2&id=3&"]) {
        const seen = await client.get(`/pets?${query}cursor=${cursor}`);
        expect(seen.status).toBe(400);
        expect(seen.body).toMatchObject({ code: "cursor_invalid" });
      }
      const sold = await cursorOf("limit=2&status=sold");
      expect((await client.get(`/pets?cursor=${sold}`)).status).toBe(400);
    });

    test("a forged, damaged, cut, empty or padded one is refused", async () => {
      const cursor = (await cursorOf("limit=2")) ?? "";
      const flipped = cursor.slice(0, -1) + (cursor.endsWith("A") ? "Q" : "A");
      const early = (cursor.startsWith("B") ? "C" : "B") + cursor.slice(1);
      const all = [flipped, early, cursor.slice(1), `${cursor}=`, "AAAA", "%00", "1", "%ff"];
      for (const forged of all) {
        const seen = await client.get(`/pets?cursor=${forged}`);
        expect([forged, seen.body]).toMatchObject([forged, { code: "cursor_invalid" }]);
      }
      expect((await client.get("/pets?cursor=")).body).toEqual({
        code: "parameter_invalid",
        message: "cursor must be a string of at least 1 character.",
        status: 400,
      });
    });

    test("one whose ids are asked for in another order still fits", async () => {
      const cursor = await cursorOf("limit=1&id=2&id=1");
      expect(ids(await client.get(`/pets?id=1&id=2&id=2&cursor=${cursor}`))).toEqual([2]);
    });
  });

  test("unknown parameters are ignored, and refused by name under strict handling", async () => {
    expect((await client.get("/pets?limit=1&colour=red")).status).toBe(200);
    const strict = { headers: { prefer: "handling=strict" } };
    const refusedStrictly = await client.get("/pets?limit=1&colour=red&<b>=1", strict);
    expect(refusedStrictly.body).toEqual({
      code: "parameter_invalid",
      message:
        'colour is not a parameter of this operation. "<b>" is not a parameter of this operation.',
      status: 400,
    });
    const fine = await client.get("/pets?limit=1", strict);
    expect(fine.status).toBe(200);
    expect(fine.headers.get("preference-applied")).toBe("handling=strict");
  });

  for (const prefer of [
    "handling=lenient",
    "respond-async",
    "handling=lenient, handling=strict",
    "respond-async; handling=strict",
    "",
  ]) {
    test(`Prefer: ${prefer} is not strict`, async () => {
      expect((await client.get("/pets?colour=red", { headers: { prefer } })).status).toBe(200);
    });
  }

  for (const prefer of [
    'Handling = "strict"',
    "respond-async, handling=strict",
    "handling=strict; x=y",
  ]) {
    test(`Prefer: ${prefer} is strict`, async () => {
      expect((await client.get("/pets?colour=red", { headers: { prefer } })).status).toBe(400);
    });
  }

  test("the next link is an address that works as it stands, also where a base address is set", async () => {
    const next = nextPage((await client.get("/pets?limit=1")).headers) ?? "";
    expect(next.startsWith(`${running.base}/pets?`)).toBe(true);

    const behindProxy = await startTestService({
      engine,
      variables: { PETSTORE_BASE_URL: "https://api.example.com/shop/v1" },
    });
    try {
      await behindProxy.client.post("/pets", { name: "A", categoryId: 1 });
      const second = await behindProxy.client.post("/pets", { name: "B", categoryId: 1 });
      expect(second.headers.get("location")).toBe("https://api.example.com/shop/v1/pets/2");
      const seen = await behindProxy.client.get("/pets?limit=1");
      expect(nextPage(seen.headers)).toStartWith(
        "https://api.example.com/shop/v1/pets?limit=1&cursor=",
      );
    } finally {
      await behindProxy.stop();
    }
  });
});
