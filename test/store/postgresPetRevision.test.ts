/** How a process follows the revision of the pets by what statements have read of it. */
import { describe, expect, test } from "bun:test";
import { petsWithIds } from "../../src/petstore/catalogue/petChanges.ts";
import { PetRevision, type RevisionRow } from "../../src/storage/postgres/petRevision.ts";

interface Change {
  readonly revision: bigint;
  readonly previous: bigint;
  readonly ids: readonly bigint[];
}

/** As `petRevisionRows` gives them: the newest change first. */
function rows(value: bigint, changes: readonly Change[] = [], timeline = "1"): RevisionRow[] {
  const last: RevisionRow = [0n, `${timeline} ${value}`];
  const newestFirst = [...changes].reverse();
  return [
    last,
    ...newestFirst.map(
      ({ revision, previous, ids }): RevisionRow => [-revision, [previous, ...ids].join(" ")],
    ),
  ];
}

const first: Change = { revision: 20n, previous: 10n, ids: [1n, 2n] };
const second: Change = { revision: 30n, previous: 20n, ids: [3n] };

function begun(): { revision: PetRevision; affected: () => string } {
  const revision = new PetRevision();
  revision.note(rows(10n), 0n);
  const at = revision.changes.revision;
  // Each of the pets 1 to 4 that was affected since.
  const affected = () =>
    [1n, 2n, 3n, 4n].filter((id) => revision.changes.affect(petsWithIds([id]), at)).join(" ");
  return { revision, affected };
}

describe("the pets that are affected", () => {
  test("are all, when the first revision is known", () => {
    const revision = new PetRevision();
    revision.note(rows(10n), 0n);
    expect(revision.changes.affect(petsWithIds([1n]), 0)).toBe(true);
  });

  test("are those of every transaction since", () => {
    const { revision, affected } = begun();
    revision.note(rows(10n), 10n);
    expect(affected()).toBe("");
    revision.note(rows(20n, [first]), 10n);
    expect(affected()).toBe("1 2");
    revision.note(rows(30n, [second]), 20n);
    expect(affected()).toBe("1 2 3");
  });

  test("are the same when answers arrive in another order than they were made", () => {
    const { revision, affected } = begun();
    revision.note(rows(30n, [first, second]), 10n);
    expect(affected()).toBe("1 2 3");
    const then = revision.changes.revision;
    revision.note(rows(20n, [first]), 10n);
    revision.note(rows(30n, [first, second]), 10n);
    expect([revision.changes.revision, revision.value]).toEqual([then, 30n]);
    const third: Change = { revision: 40n, previous: 30n, ids: [4n] };
    revision.note(rows(40n, [first, second, third]), 10n);
    expect(revision.changes.affect(petsWithIds([1n]), then)).toBe(false);
    expect(revision.changes.affect(petsWithIds([4n]), then)).toBe(true);
  });

  test("are all where a transaction is missing: the oldest, the newest, or one between", () => {
    const third: Change = { revision: 40n, previous: 30n, ids: [3n] };
    for (const known of [[second, third], [first, second], [first, third], []]) {
      const { revision, affected } = begun();
      revision.note(rows(40n, known), 10n);
      expect([known.length, affected()]).toEqual([known.length, "1 2 3 4"]);
    }
  });

  test("are all on another timeline, whatever its number", () => {
    for (const value of [5n, 10n, 20n]) {
      const { revision, affected } = begun();
      revision.note(rows(value, value === 20n ? [first] : [], "2"), 10n);
      expect(affected()).toBe("1 2 3 4");
    }
  });

  test("are all where the number itself went back", () => {
    const { revision, affected } = begun();
    revision.note(rows(7n), 10n);
    expect([affected(), revision.value]).toEqual(["1 2 3 4", 7n]);
  });

  test("cannot be told without the counters", () => {
    expect(() => begun().revision.note([], 10n)).toThrow("counters are missing");
  });
});
