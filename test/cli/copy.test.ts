import { describe, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { Shop } from "./shop.ts";

async function stocked(pets: number): Promise<Shop> {
  const shop = new Shop();
  await shop.json("pets", "seed", "--count", String(pets));
  await shop.json("keys", "create", "--name", "ci");
  return shop;
}

async function petCount(shop: Shop): Promise<number> {
  return (await shop.json("pets", "export")).length;
}

describe("backup", () => {
  test("copies the store and says what is in the copy", async () => {
    await using shop = await stocked(12);
    const file = shop.path("copy.db");
    const { code, out, err } = await shop.types(["backup", file]);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toMatch(/^Copied 12 pets and 1 key to .*copy\.db \([\d.]+ KiB\)\.\n$/);
    const other = shop.path("other.db");
    expect(await shop.json("backup", other)).toEqual({
      file: other,
      bytes: statSync(other).size,
      pets: 12,
      keys: 1,
    });
  });

  test("refuses to overwrite", async () => {
    await using shop = await stocked(1);
    const file = shop.path("precious");
    writeFileSync(file, "precious");
    const { code, out, err } = await shop.types(["backup", file]);
    expect(err).toContain(file);
    expect(err).not.toContain("fault of the program");
    expect(out).toBe("");
    expect(code).toBe(1);
    expect(statSync(file).size).toBe(8);
  });
});

describe("restore", () => {
  test("into an empty store needs no confirmation", async () => {
    await using shop = await stocked(12);
    await using empty = new Shop();
    const file = shop.path("copy.db");
    await shop.json("backup", file);
    expect(await empty.types(["restore", file])).toEqual({
      code: 0,
      out: `Restored 12 pets and 1 key from ${file}.\n`,
      err: "",
    });
    expect(await petCount(empty)).toBe(12);
    expect(await empty.json("keys", "list")).toEqual(await shop.json("keys", "list"));
  });

  test("says what it would replace and refuses without --yes", async () => {
    await using shop = await stocked(12);
    await using other = await stocked(3);
    const file = shop.path("copy.db");
    await shop.json("backup", file);
    const { code, out, err } = await other.types(["restore", file]);
    expect(err).toContain("The store holds 3 pets and 1 key.");
    expect(err).toContain("with --yes");
    expect(out).toBe("");
    expect(code).toBe(1);
    expect(await petCount(other)).toBe(3);
    const replaced = await other.types(["restore", file, "--yes"]);
    expect(replaced.out).toBe(
      `Restored 12 pets and 1 key from ${file}, in place of 3 pets and 1 key.\n`,
    );
    expect(await petCount(other)).toBe(12);
    expect(await other.json("restore", file, "--yes")).toMatchObject({ file, pets: 12, keys: 1 });
  });

  test("a key alone is enough to be asked", async () => {
    await using shop = new Shop();
    await shop.json("keys", "create");
    await shop.json("backup", shop.path("copy.db"));
    const { code, err } = await shop.types(["restore", shop.path("copy.db")]);
    expect(err).toContain("The store holds 0 pets and 1 key.");
    expect(code).toBe(1);
  });

  test("categories alone are enough to be asked", async () => {
    await using shop = new Shop();
    await shop.json("categories", "add", "Dogs");
    await shop.json("backup", shop.path("copy.db"));
    const { code, err } = await shop.types(["restore", shop.path("copy.db")]);
    expect(err).toContain("The store holds 0 pets and 0 keys, and categories.");
    expect(code).toBe(1);
  });

  test("brings categories and orders back", async () => {
    await using shop = new Shop();
    await using empty = new Shop();
    await shop.json("categories", "add", "Dogs");
    await shop.withStores(async ({ catalogue, orders }) => {
      await catalogue.import([{ id: 1n, name: "Rex", categoryId: 1n, status: "available" }]);
      await orders.place({ petId: 1n, quantity: 2 }, shop.clock.now());
    });
    const file = shop.path("copy.db");
    await shop.json("backup", file);
    await empty.json("restore", file);
    for (const noun of ["categories", "orders"]) {
      expect(await empty.json(noun, "list")).toEqual(await shop.json(noun, "list"));
    }
    expect((await empty.json("orders", "list")).orders).toHaveLength(1);
  });

  test("refuses what is no backup, and changes nothing", async () => {
    await using shop = await stocked(3);
    const file = shop.path("letter.txt");
    writeFileSync(file, "Dear shop,");
    for (const wrong of [file, shop.path("nowhere.db")]) {
      const { code, out, err } = await shop.types(["restore", wrong, "--yes"]);
      expect(err).toContain(wrong);
      expect(err).not.toContain("fault of the program");
      expect(out).toBe("");
      expect(code).toBe(1);
    }
    expect(await petCount(shop)).toBe(3);
    expect(readdirSync(shop.folder)).not.toContain("nowhere.db");
  });
});
