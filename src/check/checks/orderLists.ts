import { assert, type Check, checksOf, expectAscending, expectIds, idsOf } from "../check.ts";
import { type Order, orderStatuses } from "../exchange.ts";

const check = checksOf("orders");
const listCheck = check("openapi: /paths/~1store~1orders/get");
const cursorCheck = check("openapi: /components/parameters/cursor");
const place = "/store/orders";

/** Enough for three thousand orders; where there are more, only the beginning is walked. */
const pagesMax = 30;

const refused: Readonly<Record<string, readonly [query: string, names: string]>> = {
  "limit-0": ["limit=0", "limit"],
  "limit-101": ["limit=101", "limit"],
  "limit-word": ["limit=ten", "limit"],
  "status-unknown": ["status=lost", "status"],
  "status-of-pets": ["status=sold", "status"],
};

export const orderLists: readonly Check[] = [
  check("openapi: /components/schemas/Orders")(
    "orders-bare-array",
    "A list of orders is an array in the order of identifiers.",
    async (caller) => {
      await caller.placeOrder();
      const found = (await caller.get(place)).orders();
      assert(found.length >= 1 && found.length <= 20, "1 to 20 orders", String(found.length));
      expectAscending(found, "orders");
    },
  ),
  ...orderStatuses.map((status, steps) =>
    check("openapi: /components/parameters/orderStatus")(
      `orders-status-${status}`,
      `With status=${status}, only such orders are returned.`,
      async (caller) => {
        const { id } = await caller.placeOrder();
        for (const event of ["approve", "deliver"].slice(0, steps)) {
          await caller.send("POST", `${place}/${id}/${event}`);
        }
        const found = (await caller.get(`${place}?status=${status}&limit=100`)).orders();
        assert(found.length > 0, `${status} orders, for there is one`, "none");
        const other = found.find((order) => order.status !== status);
        assert(other === undefined, `only ${status}`, `order ${other?.id} ${other?.status}`);
      },
    ),
  ),
  ...Object.entries(refused).map(([what, [query, names]]) =>
    listCheck(
      `orders-${what}-refused`,
      `A list of orders with ${query} is refused with 400, naming ${names}.`,
      async (caller) => {
        (await caller.get(`${place}?${query}`)).expectNamed("parameter_invalid", names);
      },
    ),
  ),
  listCheck(
    "orders-walk",
    "Following Link meets every order once, in the order of identifiers.",
    async (caller) => {
      const pets = await caller.addPets(3);
      const placed = await Promise.all(pets.map((pet) => caller.placeOrder(pet)));
      // Small pages first, where the seams are.
      for (const [limit, most] of [
        [2, 3],
        [100, pagesMax],
      ] as const) {
        const pages: Order[][] = [];
        for await (const seen of caller.walk(place, `limit=${limit}`, most)) {
          pages.push(seen.orders());
        }
        expectAscending(pages.flat(), "orders of all pages");
        const short = pages.slice(0, -1).find((page) => page.length !== limit);
        assert(short === undefined, `${limit} on every page but the last`, `${short?.length}`);
        if (pages.length === most) continue;
        const met = pages.flat().filter(({ id }) => placed.some((order) => order.id === id));
        assert(met.length === 3, `${idsOf(placed)} once each`, idsOf(met));
      }
      const [first, second] = [`${place}?limit=1`, `${place}?limit=2`];
      const two = (await caller.get(second)).orders();
      const next = caller.cursorOf(await caller.get(first), place);
      const then = (await caller.get(`${first}&cursor=${encodeURIComponent(next)}`)).orders();
      expectIds(then, two.slice(1));
    },
  ),
  cursorCheck(
    "orders-cursor-bound",
    "A cursor of one list of orders is refused by another.",
    async (caller) => {
      const [one, two] = await caller.addPets(2);
      await caller.placeOrder(one);
      await caller.placeOrder(two);
      const next = caller.cursorOf(await caller.get(`${place}?limit=1`), place);
      const path = `${place}?status=placed&cursor=${encodeURIComponent(next)}`;
      (await caller.get(path)).error(400, "cursor_invalid");
    },
  ),
  cursorCheck(
    "orders-cursor-of-pets-refused",
    "A cursor of the pets is refused by the orders.",
    async (caller) => {
      await caller.addPets(2);
      const next = caller.cursorOf(await caller.get("/pets?limit=1"), "/pets");
      const path = `${place}?cursor=${encodeURIComponent(next)}`;
      (await caller.get(path)).error(400, "cursor_invalid");
    },
  ),
];
