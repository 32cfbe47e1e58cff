/** Lists, shows, approves, delivers and cancels orders. */
import type { JsonOf } from "../contract/document.ts";
import { parseJson } from "../contract/json.ts";
import { pageSizeMax } from "../petstore/catalogue/catalogue.ts";
import {
  type Order,
  type OrderEvent,
  type OrderQuery,
  orderStatuses,
  refusalText,
  transitions,
  withArticle,
} from "../petstore/orders/orders.ts";
import type { Command } from "./command.ts";
import type { CliContext } from "./context.ts";
import { fromNow, whenText } from "./durations.ts";
import { CommandFailure } from "./errors.ts";
import { readChoice, readInt64, readWhole } from "./readText.ts";
import { listReport, table } from "./table.ts";
import { withStores } from "./withStores.ts";

const limitDefault = 50;

const whichOrder = { "<id>": "The order, by its id" };

const listOrders: Command = {
  name: "orders list",
  summary: "List orders, oldest first",
  options: {
    "status <status>": "Only orders that are placed, approved, delivered or cancelled",
    "pet <id>": "Only orders for this pet",
    "after <id>": "Only orders with a larger id, to continue a list",
    "limit <number>": `How many at most, 1 to ${pageSizeMax} (default ${limitDefault})`,
  },
  about:
    "With --json, it is an object with the orders and the id to go on after as next, which is null\nat the end.",
  examples: ["petstore orders list --status placed", "petstore orders list --after 50"],
  async run({ values }, context) {
    const typedStatus = values.get("status");
    const typedPet = values.get("pet");
    const typedAfter = values.get("after");
    const query: OrderQuery = {
      status:
        typedStatus === undefined ? undefined : readChoice("--status", typedStatus, orderStatuses),
      petId: typedPet === undefined ? undefined : readInt64("--pet", typedPet),
      after: typedAfter === undefined ? undefined : readInt64("--after", typedAfter),
      limit: readWhole("limit", values.get("limit") ?? String(limitDefault), 1, pageSizeMax),
    };
    const page = await withStores(context, (stores) => stores.orders.list(query));
    const orders = page.orders.map(orderFrom);
    const more = page.next === undefined ? "" : moreText({ ...query, after: page.next });
    const { text } = listReport(orders, {
      columns: {
        Id: ({ id }) => String(id),
        Pet: ({ petId }) => String(petId),
        Quantity: ({ quantity }) => String(quantity),
        Status: ({ status }) => status,
        Placed: ({ placedAt }) => fromNow(Date.parse(placedAt), context.clock.now()),
      },
      empty: nothingText(query),
    });
    return { json: { orders, next: page.next ?? null }, text: `${text}${more}` };
  },
};

const showOrder: Command = {
  name: "orders show",
  summary: "Show one order and its next steps",
  operands: whichOrder,
  examples: ["petstore orders show 7"],
  async run({ operand }, context) {
    const id = readInt64("<id>", operand);
    const text = await withStores(context, ({ orders }) => orders.get(id));
    if (text === undefined) throw noSuchOrder(id);
    const order = orderFrom(text);
    return { json: order, text: orderView(order, context.clock.now()) };
  },
};

/** A command that moves an order by an event, and says what came of it. */
function moving(event: OrderEvent, summary: string, done: (order: Order) => string): Command {
  return {
    name: `orders ${event}`,
    summary,
    operands: whichOrder,
    examples: [`petstore orders ${event} 7`],
    async run({ operand }, context) {
      const order = await move(readInt64("<id>", operand), event, context);
      return { json: order, text: `${done(order)}\n` };
    },
  };
}

async function move(id: bigint, event: OrderEvent, context: CliContext): Promise<Order> {
  const outcome = await withStores(context, ({ orders }) => orders.move(id, event));
  switch (outcome.kind) {
    case "no_such_order":
      throw noSuchOrder(id);
    case "refused":
      throw new CommandFailure(
        `${refusalText(id, event, outcome.status)} Nothing changed. ${nextStep({ id, status: outcome.status })}`,
      );
    case "mismatch":
      throw new TypeError("The store returned mismatch, and no idempotency key was given.");
    default:
      return orderFrom(outcome.text);
  }
}

/** parseJson keeps every digit: an id is a number where that holds it, and else a bigint. */
function orderFrom(text: JsonOf<Order>): Order {
  return parseJson(text) as Order;
}

function noSuchOrder(id: bigint): CommandFailure {
  return new CommandFailure(`No order has the id ${id}. See petstore orders list.`);
}

/** What an order takes where it stands. */
function nextStep({ id, status }: Pick<Order, "id" | "status">): string {
  const events = Object.keys(transitions[status]);
  return events.length === 0
    ? `Nothing further can be done with ${withArticle(status)} order.`
    : `Its next step: ${events.map((event) => `petstore orders ${event} ${id}`).join(" or ")}.`;
}

function orderView(order: Order, nowMs: number): string {
  const placedAtMs = Date.parse(order.placedAt);
  const facts = table([
    ["Order", String(order.id)],
    ["Pet", String(order.petId)],
    ["Quantity", String(order.quantity)],
    ["Status", order.status],
    ["Placed", whenText(placedAtMs, nowMs)],
  ]);
  return `${facts}${nextStep(order)}\n`;
}

function moreText({ status, petId, after, limit }: OrderQuery): string {
  const ofPet = petId === undefined ? "" : ` --pet ${petId}`;
  const filter = `${status === undefined ? "" : ` --status ${status}`}${ofPet}`;
  const size = limit === limitDefault ? "" : ` --limit ${limit}`;
  return `More follow: petstore orders list${filter}${size} --after ${after}\n`;
}

function nothingText({ status, petId, after }: OrderQuery): string {
  const orders = status === undefined ? "orders" : `${status} orders`;
  const which = petId === undefined ? orders : `${orders} for pet ${petId}`;
  if (after !== undefined) return `There are no ${which} with an id above ${after}.`;
  return `There are no ${which}${which === "orders" ? " yet" : ""}.`;
}

/** In the order of the help. */
export const ordersCommands: readonly Command[] = [
  listOrders,
  showOrder,
  moving(
    "approve",
    "Approve an order that was placed",
    (order) => `Approved order ${order.id}. ${nextStep(order)}`,
  ),
  moving(
    "deliver",
    "Deliver an approved order; its pet is then sold",
    ({ id, petId }) => `Delivered order ${id}. Pet ${petId} is sold.`,
  ),
  moving(
    "cancel",
    "Cancel an order; its pet is then available",
    ({ id, petId }) => `Cancelled order ${id}. Pet ${petId} is available.`,
  ),
];
