import { expect, test } from "bun:test";
import { systemClock } from "../../src/core/clock.ts";
import { connect } from "../../src/storage/sqlite/connection.ts";
import { useTemporaryFolder } from "./folder.ts";

const folder = useTemporaryFolder();
const bella = { name: "Bella", categoryId: 3n, status: "available" } as const;

test("whatever changes or deletes a pet changes what it is found by", async () => {
  const { catalogue } = await folder.open();
  for (let count = 0; count < 3; count++) await catalogue.add(bella);
  const db = connect(folder.path("petstore.db"));
  const found = async (...words: string[]) => catalogue.count({ words });
  const inCategory = async (id: bigint) => catalogue.count({ categoryIds: [id] });

  const text = (id: number, name: string, categoryId: bigint) =>
    `{"id":${id},"name":"${name}","categoryId":${categoryId},"status":"available"}`;
  db.prepare("UPDATE pets SET name = ?, json = ? WHERE id = 1").run("Rex", text(1, "Rex", 3n));
  expect([await found("bella"), await found("rex"), await inCategory(3n)]).toEqual([2, 1, 3]);
  const exact = db.prepare("UPDATE pets SET category_id = ?, json = ? WHERE id = 2");
  exact.run(-(2n ** 63n), text(2, "Bella", -(2n ** 63n)));
  expect([await inCategory(3n), await inCategory(-(2n ** 63n))]).toEqual([2, 1]);
  expect((await catalogue.list({ words: ["bella"], categoryIds: [3n], limit: 9 })).pets).toEqual([
    text(3, "Bella", 3n),
  ]);
  db.exec("DELETE FROM pets WHERE id = 3");
  expect([await found("bella"), await inCategory(3n)]).toEqual([1, 1]);
  db.exec("INSERT INTO pet_terms (pet_terms) VALUES ('optimize')");
  expect([await found("bella"), await found("rex")]).toEqual([1, 1]);
  expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  db.close();
});

test("counting sees one instant, and no request waits for all of it", async () => {
  const { catalogue } = await folder.open();
  const many = Array.from({ length: 10_000 }, () => bella);
  for (let batch = 0; batch < 5; batch++) await catalogue.import(many);
  const counting = catalogue.count({});
  let isCounted = false;
  void Promise.resolve(counting).then(() => {
    isCounted = true;
  });
  expect(catalogue.get(1n)).toContain('"id":1,');
  await catalogue.add({ ...bella, status: "sold" });
  expect(await counting).toBe(50_000);
  expect(isCounted).toBe(true);
  expect(await catalogue.count({})).toBe(50_001);
});

test("a search for words that many pets begin so, but none has together, is made of small steps", async () => {
  let steps = 0;
  const next = (action: () => void) => {
    steps++;
    systemClock.next(action);
  };
  const { catalogue } = await folder.open({ clock: { ...systemClock, next } });
  const named = ["Bella", "Boris"].map((name) => ({ ...bella, name }));
  await catalogue.import(Array.from({ length: 5_000 }, () => named).flat());
  const stepsOf = async (work: () => unknown) => {
    const before = steps;
    return [await work(), steps - before > 5];
  };
  const words = ["be", "bo"];
  expect(await stepsOf(() => catalogue.count({ words }))).toEqual([0, true]);
  expect(await stepsOf(() => catalogue.count({ words: ["be"] }))).toEqual([5_000, true]);
  expect(await stepsOf(() => catalogue.list({ words, limit: 1 }))).toEqual([
    { pets: [], next: undefined, readUpTo: undefined },
    true,
  ]);
  await catalogue.add({ ...bella, name: "Bo Bella" });
  expect(await catalogue.count({ words })).toBe(1);
  expect(await catalogue.count({ words: ["bz"] })).toBe(0);
  expect(await catalogue.count({ words: ["be"], status: "sold" })).toBe(0);
});
