import { describe, expect, test } from "bun:test";
import { int64Max } from "../../src/contract/int64.ts";
import {
  moveOrder,
  type OrderTransaction,
  placeOrder,
  type StoredOrder,
} from "../../src/petstore/orders/orderCommands.ts";
import { isOpen, orderStatuses, refusalText } from "../../src/petstore/orders/orders.ts";

test("an order is open until it is delivered or cancelled", () => {
  expect(orderStatuses.filter(isOpen)).toEqual(["placed", "approved"]);
});

test("a refusal says which orders the event is for", () => {
  expect(refusalText(7n, "deliver", "placed")).toBe(
    "Order 7 is placed, and only an approved order can be delivered.",
  );
  expect(refusalText(7n, "cancel", "delivered")).toBe(
    "Order 7 is delivered, and only a placed or an approved order can be cancelled.",
  );
});

const placed: StoredOrder = { petId: 1n, quantity: 1, status: "placed", placedAtMs: 0 };
const textOf = (status: string) =>
  `{"id":7,"petId":1,"quantity":1,"status":"${status}","placedAt":"1970-01-01T00:00:00.000Z"}`;

test("an event is recorded with the order before it", () => {
  const seen: unknown[] = [];
  const transaction = {
    order: () => placed,
    updateOrder: (...update: unknown[]) => seen.push(update),
    record: (event: object, before?: () => string) => seen.push({ ...event, before: before?.() }),
  } as unknown as OrderTransaction;
  moveOrder(transaction, { id: 7n, event: "approve", idempotency: undefined });
  expect(seen).toEqual([
    [7n, { ...placed, status: "approved" }, textOf("approved")],
    {
      type: "order.approved",
      resource: "orders/7",
      data: textOf("approved"),
      before: textOf("placed"),
    },
  ]);
});

describe("a write that cannot be right", () => {
  const transaction = (changes: Partial<OrderTransaction>) =>
    ({
      lastOrderId: 0n,
      order: () => placed,
      updateOrder() {},
      record() {},
      ...changes,
    }) as OrderTransaction;

  test("is an order after the last id there is", () => {
    const pet = () => ({ name: "Bella", categoryId: 3n, status: "available" }) as const;
    const order = { petId: 1n, quantity: 1 };
    expect(() =>
      placeOrder(transaction({ lastOrderId: int64Max, pet }), {
        order,
        placedAtMs: 0,
        idempotency: undefined,
      }),
    ).toThrow("Every number of last_order_id is used up.");
  });

  test("is the end of an order whose pet is gone", () => {
    const move = { id: 7n, event: "cancel", idempotency: undefined } as const;
    expect(() => moveOrder(transaction({ pet: () => undefined }), move)).toThrow(
      "Order 7 is for pet 1, which is gone.",
    );
  });
});
