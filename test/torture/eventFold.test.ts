import { expect, test } from "bun:test";
import { EventFold } from "../../torture/eventFold.ts";
import { Tally } from "../../torture/tally.ts";
import type { Row } from "../../torture/walk.ts";

const bella = { id: 1n, name: "Bella", categoryId: 3n, status: "available" };
const sold = { ...bella, status: "sold" };
const event = (id: bigint, type: string, data: Row = bella) => ({
  id,
  type,
  resource: `${type.split(".")[0]}s/${data["id"]}`,
  data,
});
const order = { id: 1n, petId: 1n, quantity: 1n, status: "placed" };
const [created, updated] = [event(1n, "pet.created"), event(2n, "pet.updated", sold)];

const key = { id: "key_1", name: "ci", expiresAt: null, revokedAt: null, replacedBy: null };
const revoked = { ...key, revokedAt: "2026-11-15T12:00:00.000Z" };
const keyEvent = (id: bigint, type: string, data: Row) => event(id, type, { ...data, state: type });

function violationsOf(
  events: readonly Row[],
  pets: readonly Row[],
  orders: readonly Row[] = [],
  keys?: readonly Row[],
) {
  const tally = new Tally();
  const fold = new EventFold();
  for (const each of events) fold.take(each, tally);
  fold.judge(pets, orders, tally, keys);
  return tally.violations.length;
}

test("events that lead to what there is are no violation", () => {
  expect(violationsOf([], [])).toBe(0);
  expect(violationsOf([created, updated], [sold])).toBe(0);
  expect(violationsOf([created, event(2n, "pet.deleted")], [])).toBe(0);
  expect(violationsOf([created, event(2n, "order.placed", order)], [bella], [order])).toBe(0);
});

for (const [what, events, pets] of [
  ["a pet without an event", [], [bella]],
  ["an event without a pet", [created], []],
  ["a change without an event", [created], [sold]],
  ["an event without a change", [created, event(2n, "pet.updated")], [bella]],
  ["an event twice", [created, created], [bella]],
  ["events out of order", [event(2n, "pet.created"), event(1n, "pet.updated", sold)], [sold]],
  ["a deletion without an event", [created], []],
  ["a deletion of another state", [created, event(2n, "pet.deleted", sold)], []],
  ["an update of nothing", [updated], [sold]],
] as const) {
  test(`${what} is a violation`, () => {
    expect(violationsOf(events, pets)).toBeGreaterThan(0);
  });
}

test("events of keys are judged where the keys can be read, and those of sites are passed over", () => {
  const [made, ended] = [keyEvent(1n, "key.created", key), keyEvent(2n, "key.revoked", revoked)];
  expect(violationsOf([made, ended], [], [], [revoked])).toBe(0);
  expect(violationsOf([made], [], [])).toBe(0);
  expect(violationsOf([event(1n, "domain.live"), event(2n, "domain.live")], [], [], [])).toBe(0);
  expect(violationsOf([made], [], [], [])).toBeGreaterThan(0);
  expect(violationsOf([], [], [], [key])).toBeGreaterThan(0);
  expect(violationsOf([made], [], [], [revoked])).toBeGreaterThan(0);
  expect(violationsOf([made, made], [], [], [key])).toBeGreaterThan(0);
  expect(violationsOf([ended], [], [], [revoked])).toBeGreaterThan(0);
});
