import { describe, expect, test } from "bun:test";
import {
  changesMax,
  PetChanges,
  petRange,
  petsWithIds,
} from "../../src/petstore/catalogue/petChanges.ts";

describe("what was read of the pets", () => {
  test("is affected by changes of the pets it depends on, and by no others", () => {
    const changes = new PetChanges();
    const read = changes.revision;
    changes.add(10n);
    const affected = (extent: Parameters<PetChanges["affect"]>[0]) => changes.affect(extent, read);
    expect([petRange(1n, 9n), petRange(11n, 20n), petsWithIds([9n, 11n])].map(affected)).toEqual(
      Array(3).fill(false),
    );
    const touched = [petRange(10n, 10n), petRange(1n, 20n), petsWithIds([3n, 10n, 12n])];
    expect(touched.map(affected)).toEqual(Array(3).fill(true));
  });

  test("is affected by later changes only", () => {
    const changes = new PetChanges();
    changes.add(1n);
    const read = changes.revision;
    expect(changes.affect(petsWithIds([1n]), read)).toBe(false);
    changes.add(2n);
    expect(changes.affect(petsWithIds([1n]), read)).toBe(false);
    changes.add(1n);
    expect(changes.affect(petsWithIds([1n]), read)).toBe(true);
    while (changes.revision < changesMax) changes.add(2n);
    expect(changes.affect(petsWithIds([1n]), changesMax)).toBe(false);
  });

  test("is affected when anything may have changed, and what is read after that is not", () => {
    const changes = new PetChanges();
    const before = changes.revision;
    changes.addAll();
    expect(changes.affect(petsWithIds([1n]), before)).toBe(true);
    expect(changes.affect(petsWithIds([1n]), changes.revision)).toBe(false);
  });

  test("is affected when more changed since than is remembered", () => {
    const changes = new PetChanges();
    const before = changes.revision;
    for (let change = 0; change < changesMax; change++) changes.add(2n);
    expect(changes.affect(petsWithIds([1n]), before)).toBe(false);
    changes.add(2n);
    expect(changes.affect(petsWithIds([1n]), before)).toBe(true);
    expect(changes.affect(petsWithIds([1n]), before + 1)).toBe(false);
  });

  test("is affected by its pet also where ids are too large for exact numbers", () => {
    for (const id of [2n ** 53n + 1n, 2n ** 62n + 3n, 2n ** 63n - 1n]) {
      const changes = new PetChanges();
      changes.add(id);
      const extents = [petsWithIds([id]), petRange(id, id), petRange(id - 1n, id + 1n)];
      expect(extents.map((extent) => changes.affect(extent, 0))).toEqual([true, true, true]);
      expect(changes.affect(petRange(1n, 2n ** 52n), 0)).toBe(false);
    }
  });
});
