import { describe, expect, test } from "bun:test";
import { CliFixture, dayMs } from "./cliFixture.ts";

/** A fixture with as many available pets, and an order for each. */
async function withOrders(count: number): Promise<CliFixture> {
  const cli = new CliFixture();
  await cli.withStores(async ({ catalogue, orders }) => {
    await catalogue.import(
      Array.from({ length: count }, (_, index) => ({
        id: BigInt(101 + index),
        name: `Pet ${index}`,
        categoryId: 1n,
        status: "available" as const,
      })),
    );
    for (let index = 0; index < count; index++) {
      const order = { petId: BigInt(101 + index), quantity: index + 1 };
      expect((await orders.place(order, cli.clock.now())).kind).toBe("done");
    }
  });
  return cli;
}

async function petStatus(cli: CliFixture, id: number): Promise<string> {
  const pets: { id: number; status: string }[] = await cli.json("pets", "export");
  return pets.find((pet) => pet.id === id)?.status ?? "none";
}

const first = { id: 1, petId: 101, quantity: 1, placedAt: "2026-11-15T12:00:00.000Z" };

describe("orders list", () => {
  test("shows orders in the order of their ids", async () => {
    await using cli = await withOrders(2);
    await cli.json("orders", "approve", "2");
    cli.clock.advance(3 * dayMs);
    expect((await cli.run(["orders", "list"])).out).toBe(
      [
        "Id  Pet  Quantity  Status    Placed",
        "1   101  1         placed    3 days ago",
        "2   102  2         approved  3 days ago",
        "",
      ].join("\n"),
    );
    expect(await cli.json("orders", "list", "--status", "placed")).toEqual({
      orders: [{ ...first, status: "placed" }],
      next: null,
    });
  });

  test("stops at the limit and says how to go on, with the same filter", async () => {
    await using cli = await withOrders(3);
    const list = async (...rest: string[]) => (await cli.run(["orders", "list", ...rest])).out;
    const one = await list("--status", "placed", "--limit", "2");
    expect(one).toEndWith(
      "\nMore follow: petstore orders list --status placed --limit 2 --after 2\n",
    );
    const rest = await list("--status", "placed", "--limit", "2", "--after", "2");
    expect(rest).toContain("\n3   103  3");
    expect(rest).not.toContain("More follow");
    const page = await cli.json("orders", "list", "--limit", "2");
    expect(page.orders.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
    expect(page.next).toBe(2);
  });

  test("of a pet shows its orders alone, and goes on with them", async () => {
    await using cli = await withOrders(3);
    const list = async (...rest: string[]) => (await cli.run(["orders", "list", ...rest])).out;
    expect(await cli.json("orders", "list", "--pet", "101", "--status", "placed")).toEqual({
      orders: [{ ...first, status: "placed" }],
      next: null,
    });
    await cli.json("orders", "cancel", "1");
    await cli.withStores(({ orders }) => orders.place({ petId: 101n, quantity: 1 }, 0));
    expect(await list("--pet", "101", "--limit", "1")).toEndWith(
      "\nMore follow: petstore orders list --pet 101 --limit 1 --after 1\n",
    );
    expect(await list("--pet", "9")).toBe("There are no orders for pet 9.\n");
  });

  test("shows 50 unless told otherwise", async () => {
    await using cli = await withOrders(51);
    const { out } = await cli.run(["orders", "list"]);
    expect(out.trimEnd().split("\n")).toHaveLength(1 + 50 + 1);
    expect(out).toEndWith("\nMore follow: petstore orders list --after 50\n");
  });

  test("of nothing says so", async () => {
    await using cli = new CliFixture();
    const said = async (...rest: string[]) => (await cli.run(["orders", "list", ...rest])).out;
    expect(await said()).toBe("There are no orders yet.\n");
    expect(await said("--status", "approved")).toBe("There are no approved orders.\n");
    expect(await said("--after", "7")).toBe("There are no orders with an id above 7.\n");
    expect(await cli.json("orders", "list")).toEqual({ orders: [], next: null });
  });

  test.each([
    [["--status", "aproved"], 'not "aproved". Did you mean approved?'],
    [["--status", "sold"], "--status must be one of placed, approved, delivered, cancelled, not"],
    [["--limit", "0"], "--limit must be a whole number from 1 to 10000."],
    [["--limit", "10001"], "--limit must be"],
    [["--after", "x"], "--after must be a whole number"],
  ])("refuses %p", async (rest, said) => {
    await using cli = new CliFixture();
    const { code, out, err } = await cli.run(["orders", "list", ...rest]);
    expect(err).toContain(said);
    expect(out).toBe("");
    expect(code).toBe(2);
  });
});

describe("orders show", () => {
  test("shows an order and its next step", async () => {
    await using cli = await withOrders(1);
    cli.clock.advance(3 * dayMs);
    expect((await cli.run(["orders", "show", "1"])).out).toBe(
      [
        "Order     1",
        "Pet       101",
        "Quantity  1",
        "Status    placed",
        "Placed    2026-11-15 12:00 UTC (3 days ago)",
        "Its next step: petstore orders approve 1 or petstore orders cancel 1.",
        "",
      ].join("\n"),
    );
    expect(await cli.json("orders", "show", "1")).toEqual({ ...first, status: "placed" });
  });

  test("keeps every digit of the pet's id", async () => {
    await using cli = new CliFixture();
    const petId = 9007199254740993n;
    await cli.withStores(async ({ catalogue, orders }) => {
      await catalogue.import([{ id: petId, name: "Rex", categoryId: 1n, status: "available" }]);
      await orders.place({ petId, quantity: 1 }, cli.clock.now());
    });
    for (const options of [[], ["--json"]]) {
      const { out } = await cli.run(["orders", "show", "1", ...options]);
      expect(out).toContain("9007199254740993");
    }
  });
});

describe("an order moves along", () => {
  test("from placed over approved to delivered, and its pet from pending to sold", async () => {
    await using cli = await withOrders(1);
    expect(await petStatus(cli, 101)).toBe("pending");
    expect(await cli.run(["orders", "approve", "1"])).toEqual({
      code: 0,
      out: "Approved order 1. Its next step: petstore orders deliver 1 or petstore orders cancel 1.\n",
      err: "",
    });
    expect(await petStatus(cli, 101)).toBe("pending");
    expect(await cli.run(["orders", "deliver", "1"])).toEqual({
      code: 0,
      out: "Delivered order 1. Pet 101 is sold.\n",
      err: "",
    });
    expect(await petStatus(cli, 101)).toBe("sold");
    expect((await cli.run(["orders", "show", "1"])).out).toEndWith(
      "\nNothing further can be done with a delivered order.\n",
    );
  });

  test("to cancelled from wherever it is open, and its pet is available again", async () => {
    await using cli = await withOrders(2);
    await cli.json("orders", "approve", "2");
    for (const [order, pet] of [
      ["1", 101],
      ["2", 102],
    ] as const) {
      expect(await cli.run(["orders", "cancel", order])).toEqual({
        code: 0,
        out: `Cancelled order ${order}. Pet ${pet} is available.\n`,
        err: "",
      });
      expect(await petStatus(cli, pet)).toBe("available");
      expect((await cli.run(["orders", "show", order])).out).toEndWith(
        "\nNothing further can be done with a cancelled order.\n",
      );
    }
  });

  test("--json prints the order as it is now", async () => {
    await using cli = await withOrders(1);
    const approved = { ...first, status: "approved" };
    expect(await cli.json("orders", "approve", "1")).toEqual(approved);
    expect(await cli.json("orders", "deliver", "1")).toEqual({ ...first, status: "delivered" });
  });

  test("no other way: a refusal says where it stands and what it takes", async () => {
    await using cli = await withOrders(1);
    const refused = async (event: string, said: string) => {
      const before = await cli.json("orders", "show", "1");
      const { code, out, err } = await cli.run(["orders", event, "1", "--json"]);
      expect(JSON.parse(err)).toEqual({ error: said, exitCode: 1 });
      expect(out).toBe("");
      expect(code).toBe(1);
      expect(await cli.json("orders", "show", "1")).toEqual(before);
    };
    await refused(
      "deliver",
      "Order 1 is placed, and only an approved order can be delivered. Nothing changed. Its next step: petstore orders approve 1 or petstore orders cancel 1.",
    );
    await cli.json("orders", "approve", "1");
    await refused(
      "approve",
      "Order 1 is approved, and only a placed order can be approved. Nothing changed. Its next step: petstore orders deliver 1 or petstore orders cancel 1.",
    );
    await cli.json("orders", "deliver", "1");
    for (const [event, only] of [
      ["approve", "a placed order can be approved"],
      ["deliver", "an approved order can be delivered"],
      ["cancel", "a placed or an approved order can be cancelled"],
    ] as const) {
      await refused(
        event,
        `Order 1 is delivered, and only ${only}. Nothing changed. Nothing further can be done with a delivered order.`,
      );
    }
  });

  test.each(["show", "approve", "deliver", "cancel"])(
    "%s refuses what names no order",
    async (verb) => {
      await using cli = await withOrders(1);
      const absent = await cli.run(["orders", verb, "2"]);
      expect(absent.err).toBe("petstore: No order has the id 2. See petstore orders list.\n");
      expect(absent.code).toBe(1);
      const wrong = await cli.run(["orders", verb, "first"]);
      expect(wrong.err).toContain("<id> must be a whole number");
      expect(wrong.code).toBe(2);
    },
  );
});
