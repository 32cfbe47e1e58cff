/** A client that orders pets at a steady pace while a load reads. */
import { setTimeout as pause } from "node:timers/promises";
import { type Dialect, ordersPerSecond } from "./works.ts";
import type { Load } from "./wrk.ts";

/** How long a load may take to begin and to end, beside its own seconds. */
const marginSeconds = 1;
const createdAtOnce = 32;

interface OrderTarget {
  readonly port: number;
  readonly dialect: Dialect;
}

interface Tally {
  readonly placed: number;
  readonly refused: number;
  readonly seconds: number;
}

/**
 * Creates the pets that will be ordered, so that no pet of the sample becomes another, and gives
 * back what orders them during a load.
 */
export async function readyOrders(
  target: OrderTarget,
  seconds: number,
): Promise<(load: () => Promise<Load>) => Promise<Load>> {
  const pets = await createPets(target, (seconds + marginSeconds) * ordersPerSecond);
  return async (load) => {
    const over = new AbortController();
    const [loaded, { placed, refused, seconds }] = await Promise.all([
      load().finally(() => over.abort()),
      orderInTurn(target, pets, over.signal),
    ]);
    return {
      ...loaded,
      faults: loaded.faults + refused,
      ordersPerSecond: placed / seconds,
    };
  };
}

async function createPets(target: OrderTarget, count: number): Promise<number[]> {
  const { path, body } = target.dialect.create;
  const create = async (at: number) => {
    const response = await post(target, path, body.replace("{n}", `to order ${at}`));
    if (response.status !== 201) throw new Error(`${path} was answered ${response.status}.`);
    return ((await response.json()) as { id: number }).id;
  };
  const ids: number[] = [];
  while (ids.length < count) {
    const batch = Array.from({ length: Math.min(createdAtOnce, count - ids.length) }, (_, at) =>
      create(ids.length + at),
    );
    ids.push(...(await Promise.all(batch)));
  }
  return ids;
}

/** Each at its moment, whether or not those before it are answered: all get as many orders. */
async function orderInTurn(
  target: OrderTarget,
  pets: readonly number[],
  over: AbortSignal,
): Promise<Tally> {
  const began = performance.now();
  const orders: Promise<boolean>[] = [];
  for (const pet of pets) {
    const earlyMs = began + (orders.length * 1_000) / ordersPerSecond - performance.now();
    if (earlyMs > 0) await pause(Math.ceil(earlyMs));
    if (over.aborted) break;
    orders.push(placeOrder(target, pet));
  }
  const answered = await Promise.all(orders);
  const placed = answered.filter(Boolean).length;
  const seconds = (performance.now() - began) / 1_000;
  return { placed, refused: answered.length - placed, seconds };
}

/** Whether it was taken. One that was broken off was not. */
async function placeOrder(target: OrderTarget, pet: number): Promise<boolean> {
  const order = target.dialect.order?.(pet);
  if (order === undefined) return false;
  try {
    const response = await post(target, order.path, order.body);
    await response.arrayBuffer();
    return response.status === 201;
  } catch {
    return false;
  }
}

function post({ port, dialect }: OrderTarget, path: string, body: string): Promise<Response> {
  const { headers } = dialect;
  return fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
}
